//! What a compile ended with, against `expected`.

use strata_engine::{Compilation, EarlyEnd, ErrorKind, Outcome, Stage};
use strata_model::{FromJson as _, Json, Object};

use super::events::without_ids;
use super::stages::stage_group;
use super::state::without_wording;
use super::{compaction, config};
use crate::Failure;
use crate::diff::diff;

pub(crate) fn check_outcome(expected: &Json, compilation: &Compilation) -> Failure {
    let outcome = match &compilation.outcome {
        Outcome::Request => "request",
        Outcome::Early(EarlyEnd::Ended) => "ended",
        Outcome::Early(EarlyEnd::Answered { .. }) => "short_circuit",
        Outcome::Failed { .. } => "error",
    };
    let mut failure = diff("outcome", expected.get("outcome").unwrap_or(&Json::Null), &outcome.into());
    if let Some(request) = expected.get("request") {
        failure.extend(diff("request", request, &compilation.working_context().to_json()));
    }
    failure.extend(diff("error", &expected_error(expected), &error(compilation)));
    failure.extend(check_effects(expected, compilation));
    failure
}

fn error(compilation: &Compilation) -> Json {
    let Outcome::Failed { processor, error } = &compilation.outcome else { return Json::Null };
    let mut out =
        Object::from_iter([("type", error.kind.python_name()), ("processor", stage_group(processor))]);
    match error.kind {
        ErrorKind::ValidationError => out.push("errors", config::problems_json(&error.problems)),
        // The wording is Python's, not ADK's.
        ErrorKind::TypeError | ErrorKind::JsonDecodeError => {}
        ErrorKind::KeyError | ErrorKind::ValueError | ErrorKind::RuntimeError => {
            out.push("message", error.message.clone());
        }
    }
    out.into()
}

fn expected_error(expected: &Json) -> Json {
    let mut error = without_wording(expected.get("error").unwrap_or(&Json::Null));
    if let Json::Object(error) = &mut error
        && matches!(
            error.get("type").and_then(Json::as_str),
            Some("ValidationError" | "TypeError" | "JSONDecodeError")
        )
    {
        error.remove("message");
    }
    error
}

/// What the compile did besides the request: events, summaries, state, searches.
fn check_effects(expected: &Json, compilation: &Compilation) -> Failure {
    let stages = &compilation.stages;
    let mut failure = diff(
        "emitted_events",
        &without_ids(expected.get("emitted_events").cloned().unwrap_or_else(|| Vec::new().into())),
        &without_ids(
            stages
                .iter()
                .filter(|stage| &*stage.processor != "compaction")
                .flat_map(emitted)
                .collect::<Vec<_>>()
                .into(),
        ),
    );
    let check = compilation.stage("compaction").and_then(|stage| stage.output.compaction.as_ref());
    let jobs =
        check.and_then(|check| Some(compaction::job_json(check.job.as_ref()?, check.summary.as_deref())));
    let compactions = expected.get("compactions").cloned().unwrap_or_else(|| Vec::new().into());
    let jobs: Vec<Json> = jobs.into_iter().collect();
    failure.extend(diff("compactions", &compaction::without_ids(compactions), &jobs.into()));
    if let Some(expected) = expected.get("prompt_token_count") {
        let tokens = check.and_then(|check| check.prompt_tokens);
        let tokens = tokens.map_or(Json::Null, |tokens| Json::Int(tokens as i64));
        failure.extend(diff("prompt_token_count", expected, &tokens));
    }
    if let Some(expected) = expected.get("state_delta") {
        let mut delta = Object::new();
        let is_callback = |stage: &&Stage| stage_group(&stage.processor) != &*stage.processor;
        stages.iter().filter(is_callback).for_each(|stage| delta.update(&stage.output.state_delta));
        failure.extend(diff("state_delta", expected, &Json::Object(delta)));
    }
    if let Some(expected) = expected.get("memory_searches") {
        let searches = stages.iter().flat_map(|stage| &stage.output.memory_searches);
        let searches: Vec<Json> = searches
            .map(|search| {
                let memories: Vec<Json> = search.found.iter().map(|memory| memory.to_json()).collect();
                let fields = [("query", Json::from(search.query.clone())), ("memories", memories.into())];
                Json::Object(fields.into_iter().collect())
            })
            .collect();
        failure.extend(diff("memory_searches", expected, &searches.into()));
    }
    failure
}

fn emitted(stage: &Stage) -> impl Iterator<Item = Json> {
    stage.output.emitted.iter().map(|event| event.to_json())
}
