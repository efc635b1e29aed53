//! Questions of nodes to people.

use std::sync::Arc;

use strata_engine::adk_text::REQUEST_INPUT;
use strata_engine::turn::tool_calls::ToolConfirmation;
use strata_model::{Content, Event, FunctionCall, FunctionResponse, Json, Object, Part, Str, python};

use crate::adk_text::{BAD_CONFIRMATION, INVALID_CONFIRMATION, NODE_CONFIRMATION, filled};
use crate::context::Context;
use crate::halt::Failure;
use crate::host::RequestInput;

/// The event that asks.
pub(super) fn event_of(request: RequestInput, context: &Context) -> Event {
    let id = request.id.unwrap_or_else(|| context.invocation().run.new_id());
    let mut args = Object::new();
    args.push("interruptId", id.clone());
    args.push("payload", request.payload.unwrap_or_default());
    args.push("message", request.message.map_or(Json::Null, Json::from));
    args.push("response_schema", request.response_schema.unwrap_or_default());
    asking(REQUEST_INPUT, id, args)
}

/// An event with the one call that waits for an answer.
pub(super) fn asking(call: &str, id: Str, args: Object) -> Event {
    let call = FunctionCall {
        id: Some(id.clone()),
        name: Some(call.into()),
        args: Some(Arc::new(args)),
        ..FunctionCall::default()
    };
    Event {
        content: Some(Arc::new(Content::new("model", [Part::from_call(call)]))),
        long_running_tool_ids: Some(vec![id]),
        ..Event::default()
    }
}

pub(super) fn confirmation_id(node_path: &str) -> Str {
    format!("wf_tool_confirmation:{node_path}").into()
}

pub(super) fn credential_id(node_path: &str) -> Str {
    format!("wf_auth:{node_path}").into()
}

/// Asks whether a tool or a node may run.
pub(super) fn confirmation(
    context: &Context,
    name: &str,
    args: Object,
    hint: Option<&str>,
    payload: Option<Json>,
) -> RequestInput {
    let mut described = Object::new();
    described.push("tool_name", name);
    described.push("args", args);
    described.push_some("confirmation_payload", payload.filter(|payload| !payload.is_null()));
    let message = hint
        .filter(|hint| !hint.is_empty())
        .map_or_else(|| filled(NODE_CONFIRMATION, &[("NAME", name)]), str::to_owned);
    RequestInput {
        id: Some(confirmation_id(context.node_path())),
        message: Some(message.into()),
        payload: Some(described.into()),
        response_schema: Some(confirmation_schema()),
    }
}

/// The JSON Schema pydantic makes of ADK's `ToolConfirmation`.
fn confirmation_schema() -> Json {
    let titled = |title: &str| Object::from_iter([("title", Json::from(title))]);
    let mut hint = titled("Hint");
    hint.push("default", "");
    hint.push("type", "string");
    let mut confirmed = titled("Confirmed");
    confirmed.push("default", false);
    confirmed.push("type", "boolean");
    let anything = Object::from_iter([("anyOf", Json::from(vec![Object::new().into(), null_type()]))]);
    let mut payload = titled("Payload");
    payload.update(&anything);
    payload.push("default", Json::Null);
    let mut properties = Object::new();
    properties.push("hint", hint);
    properties.push("confirmed", confirmed);
    properties.push("payload", payload);
    let mut schema = titled("ToolConfirmation");
    schema.push("additionalProperties", false);
    schema.push("description", crate::adk_text::TOOL_CONFIRMATION_DESCRIPTION);
    schema.push("properties", properties);
    schema.push("type", "object");
    schema.into()
}

fn null_type() -> Json {
    Object::from_iter([("type", "null")]).into()
}

/// What a person said to this node's request for approval.
pub(super) fn confirmation_answer(context: &Context) -> Result<Option<ToolConfirmation>, Failure> {
    let id = confirmation_id(context.node_path());
    let Some(answer) = context.resume_input(&id).filter(|answer| !answer.is_null()) else { return Ok(None) };
    let Json::Object(mut answer) = answer else {
        let message = filled(BAD_CONFIRMATION, &[("TYPE", python::type_name(&answer))]);
        return Err(Failure::data(message));
    };
    answer.retain(|_, value| !value.is_null());
    let shown = python::repr_object(&answer);
    let response = FunctionResponse { response: Some(Arc::new(answer)), ..FunctionResponse::default() };
    match ToolConfirmation::read(&response) {
        Some(Ok(confirmation)) => Ok(Some(confirmation)),
        Some(Err(_)) => Err(Failure::data(filled(INVALID_CONFIRMATION, &[("RESPONSE", &shown)]))),
        None => Ok(None),
    }
}
