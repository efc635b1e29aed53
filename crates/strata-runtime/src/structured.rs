//! Answers in a form that was asked for.

use strata_engine::turn::tool_calls::error_result;
use strata_model::app::{OutputSchema, SchemaKind};
use strata_model::{Agent, Content, Event, Json, Object, Str, json};

use crate::adk_text::{BAD_MODEL_RESPONSE, BAD_TASK_RESULT, filled};
use crate::context::Context;
use crate::event_rules::text_of;
use crate::halt::{Failure, Halt};
use crate::schema;

/// Takes the answer a model gives by calling `set_model_response`.
pub(crate) fn set_model_response(context: &Context, args: &Object) -> Result<Json, Halt> {
    let agent = context.invocation().agent_config()?;
    let Some(schema) = &agent.output_schema else { return Ok(Json::Null) };
    let checked = match schema.kind {
        SchemaKind::PydanticModel => schema::validate(schema, &args.clone().into()),
        SchemaKind::ListOfPydanticModel => {
            let items = args.get("items").cloned().unwrap_or_else(|| Vec::new().into());
            schema::validate(schema, &items)
        }
        SchemaKind::Primitive | SchemaKind::JsonSchema => {
            Ok(args.get("response").cloned().unwrap_or_default())
        }
    };
    Ok(match checked {
        Ok(value) => {
            context.edit_actions(|actions| actions.set_model_response = Some(value.clone()));
            value
        }
        Err(failure) => error_result(&filled(BAD_MODEL_RESPONSE, &[("ERROR", &failure.text())])),
    })
}

/// The answer that `set_model_response` has taken, as the model's own words.
pub(crate) fn model_response(answers: &Event) -> Option<Str> {
    let is_given =
        answers.function_responses().any(|response| response.name.as_deref() == Some("set_model_response"));
    let value = answers.actions.set_model_response.as_ref().filter(|value| is_given && !value.is_null())?;
    Some(json::to_spaced(value).into())
}

/// The name under which a task's result stands in the arguments of `finish_task`; `None`: the arguments are it.
pub(crate) fn task_wrapper(agent: &Agent) -> Option<&'static str> {
    let schema = agent.output_schema.as_ref()?;
    let is_object = schema.json_schema.get("type").and_then(Json::as_str) == Some("object");
    (!is_object).then_some("result")
}

/// What is wrong with a task's result.
pub(crate) fn task_result_problem(agent: &Agent, args: &Object) -> Option<String> {
    let checked = match &agent.output_schema {
        None => schema::validate(&default_task_output(), &args.clone().into()),
        Some(schema) => {
            let value = match task_wrapper(agent) {
                Some(key) => args.get(key).cloned().unwrap_or_default(),
                None => args.clone().into(),
            };
            schema::validate(schema, &value)
        }
    };
    checked.err().map(|failure| filled(BAD_TASK_RESULT, &[("ERROR", &failure.text())]))
}

fn default_task_output() -> OutputSchema {
    let result = Object::from_iter([("type", "string")]);
    let mut schema = Object::from_iter([("type", Json::from("object"))]);
    schema.push("properties", Object::from_iter([("result", result)]));
    schema.push("required", vec![Json::from("result")]);
    schema.push("additionalProperties", false);
    OutputSchema {
        kind: SchemaKind::PydanticModel,
        class: Some("_DefaultTaskOutput".into()),
        annotation: None,
        json_schema: schema.into(),
    }
}

/// What an agent said, as its output: text, or what its schema makes of it. `None`: nothing was said.
pub(crate) fn output_of(agent: &Agent, content: &Content) -> Result<Option<Json>, Failure> {
    let text = text_of(content);
    match &agent.output_schema {
        None => Ok(Some(text.into())),
        Some(_) if strata_model::python::strip(&text).is_empty() => Ok(None),
        Some(schema) => schema::validate_text(schema, &text).map(Some),
    }
}
