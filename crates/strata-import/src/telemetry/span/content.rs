//! What was sent and answered, from the attributes and events of a span.

mod body;
mod flat;
mod logged;
mod sdk;

use strata_model::take::unpacked;
use strata_model::{Json, Object, Str};
use strata_wire::is_request;

use super::recorded::Span;
use crate::draft::Draft;
use crate::exchange::{Exchange, read_exchange};
use body::{bare, given, of_body};

/// The event that holds what was sent and answered.
pub(in crate::telemetry) const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// The exchange of a call, as far as its content was recorded.
pub(super) fn exchange(span: &Span, draft: &mut Draft) -> Exchange {
    let mut exchange = whole_bodies(span, draft)
        .or_else(|| from_messages(span, draft))
        .or_else(|| flat::exchange(span, draft))
        .or_else(|| sdk::exchange(span, draft))
        .or_else(|| logged::exchange(span, draft))
        .unwrap_or_else(|| bare(span, Json::Null, Vec::new(), None));
    // Of some bodies only the half that was sent can be read.
    if exchange.answer.as_ref().is_none_or(|answer| answer.turn.is_none())
        && let Some(spelled) = flat::exchange(span, &mut Draft::new("", ""))
        && spelled.answer.as_ref().is_some_and(|answer| answer.turn.is_some())
    {
        exchange.answer = spelled.answer;
    }
    exchange
}

/// The bodies themselves: ADK 1.x, OpenInference's `input.value`.
fn whole_bodies(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    const PAIRS: [[&str; 2]; 6] = [
        ["gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"],
        ["input.value", "output.value"],
        ["llm.request.body", "llm.response.body"],
        ["langfuse.observation.input", "langfuse.observation.output"],
        ["mlflow.spanInputs", "mlflow.spanOutputs"],
        ["request_data", "response_data"],
    ];
    PAIRS.iter().find_map(|[request, response]| {
        let request = span.attributes.get(request).filter(|value| given(value))?;
        let request = as_body(draft.bodies.unpacked(request.clone()))?;
        let response = span.attributes.get(response).filter(|value| given(value)).cloned();
        let mut exchange = read_exchange(request, response, span.source.clone(), draft)?;
        // A response is one event; its id is that of the span's event.
        if let Some(answer) = &mut exchange.answer {
            answer.id = None;
        }
        Some(exchange)
    })
}

/// A body whose messages can be read: a list of messages is one, too; printed objects of a language are none.
fn as_body(value: Json) -> Option<Json> {
    let body = match value {
        Json::Array(messages) => Object::from_iter([("messages", Json::Array(messages))]),
        Json::Object(body) if is_request(&body) => body,
        _ => return None,
    };
    let messages = body.get("messages").and_then(Json::as_array).unwrap_or_default();
    let messages = match messages {
        [Json::Array(inner)] => inner,
        messages => messages,
    };
    let is_read = messages.iter().all(|message| {
        let keys = ["content", "parts", "tool_calls", "kwargs", "data", "type"];
        message.as_object().is_some_and(|message| keys.iter().any(|key| message.contains_key(key)))
    });
    is_read.then_some(Json::Object(body))
}

/// The names of the conventions since 1.37, on the span or on its event.
fn from_messages(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    let details = span.events.iter().filter(|event| &*event.name == DETAILS).map(|event| &event.attributes);
    let holders: Vec<&Object> = [&span.attributes].into_iter().chain(details).collect();
    let mut find = |key: &str| {
        let value = holders.iter().find_map(|holder| holder.get(key).filter(|value| given(value)));
        value.map(|value| draft.bodies.unpacked(value.clone()))
    };
    let (input, output) = (find("gen_ai.input.messages"), find("gen_ai.output.messages"));
    if input.is_none() && output.is_none() {
        return None;
    }
    let mut body = Object::new();
    body.push_some("model", span.text("gen_ai.request.model"));
    body.push_some("system", find("gen_ai.system_instructions"));
    body.push_some("tools", find("gen_ai.tool.definitions"));
    body.push_some("messages", input);
    Some(of_body(span, body, output, draft))
}

pub(super) fn finish_of(span: &Span) -> Option<Str> {
    let names = ["gen_ai.response.finish_reasons", "ai.response.finishReason", "ai.finishReason"];
    let reasons = names.iter().find_map(|name| span.attributes.get(name))?;
    match unpacked(reasons.clone()) {
        Json::Array(reasons) => reasons.first()?.as_str().map(Str::from),
        Json::String(reason) => Some(reason),
        _ => None,
    }
}
