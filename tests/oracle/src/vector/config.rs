//! Kind `config`: whether a configuration is accepted, or why not.

use strata_engine::{ConfigError, ConfigTarget, Problem, check_config};
use strata_model::{Json, Object};

use super::state::without_wording;
use crate::diff::diff;
use crate::{Failure, into_result};

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let target = vector.get("target").and_then(Json::as_str).unwrap_or_default();
    let Some(target) = ConfigTarget::from_name(target) else {
        return Err(vec![format!("a configuration of {target} is not known")]);
    };
    let found = match check_config(target, vector.get("value").expect("a value")) {
        Ok(()) => Object::from_iter([("outcome", "accepted")]),
        Err(error) => {
            let mut found = Object::from_iter([("outcome", "rejected")]);
            found.push("error", error_json(&error));
            found
        }
    };
    into_result(diff("expected", &expected(vector), &found.into()))
}

/// Messages of validation errors are pydantic's wording and need not match.
fn expected(vector: &Json) -> Json {
    let mut expected = without_wording(vector.get("expected").expect("what is expected"));
    if let Json::Object(object) = &mut expected
        && let Some(Json::Object(error)) = object.get_mut("error")
        && error.get("type").and_then(Json::as_str) == Some("ValidationError")
    {
        error.remove("message");
    }
    expected
}

fn error_json(error: &ConfigError) -> Object {
    match error {
        ConfigError::Value { message } => {
            Object::from_iter([("type", "ValueError".to_owned()), ("message", message.clone())])
        }
        ConfigError::Attribute { message } => {
            Object::from_iter([("type", "AttributeError".to_owned()), ("message", message.clone())])
        }
        ConfigError::Invalid(problems) => {
            let mut out = Object::from_iter([("type", "ValidationError")]);
            out.push("errors", problems_json(problems));
            out
        }
    }
}

pub(crate) fn problems_json(problems: &[Problem]) -> Vec<Json> {
    let shown = |problem: &Problem| {
        let mut out = Object::new();
        out.push("loc", problem.at.iter().map(|step| Json::from(step.clone())).collect::<Vec<_>>());
        out.push("type", problem.kind);
        Json::from(out)
    };
    problems.iter().map(shown).collect()
}
