//! Attributes of frameworks that keep to no convention: Vercel's AI SDK, pydantic-ai's agents.

use strata_model::take::unpacked;
use strata_model::{Json, Object};

use super::body::{given, of_body};
use crate::draft::Draft;
use crate::exchange::Exchange;
use crate::telemetry::span::recorded::Span;

pub(super) fn exchange(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    of_vercel(span, draft).or_else(|| of_agent(span, draft))
}

fn find(span: &Span, names: &[&str]) -> Option<Json> {
    names.iter().find_map(|name| span.attributes.get(name).filter(|value| given(value)).cloned())
}

fn of_vercel(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    let messages = find(span, &["ai.prompt.messages", "ai.prompt"]).map(unpacked);
    let text = find(span, &["ai.response.text", "ai.result.text", "ai.response.object", "ai.result.object"]);
    let calls = find(span, &["ai.response.toolCalls", "ai.result.toolCalls"]).map(unpacked);
    if messages.is_none() && text.is_none() && calls.is_none() {
        return None;
    }
    let mut body = match messages {
        Some(Json::Object(prompt)) => prompt,
        Some(messages) => Object::from_iter([("messages", messages)]),
        None => Object::new(),
    };
    body.push_some("model", span.first_text(&["gen_ai.request.model", "ai.model.id"]));
    // Every tool is a text of its own in the list.
    if let Some(Json::Array(tools)) = find(span, &["ai.prompt.tools"]).map(unpacked) {
        body.push("tools", tools.into_iter().map(unpacked).collect::<Vec<_>>());
    }
    let mut answer = Object::from_iter([("role", Json::from("assistant"))]);
    answer.push_some("reasoning", find(span, &["ai.response.reasoning"]));
    answer.push_some("content", text);
    answer.push_some("tool_calls", calls);
    let output = (answer.len() > 1).then(|| Json::Array(vec![answer.into()]));
    Some(of_body(span, body, output, draft))
}

/// The messages of a whole run, the answer last.
fn of_agent(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    let Json::Array(mut messages) = find(span, &["pydantic_ai.all_messages"]).map(unpacked)? else {
        return None;
    };
    let is_answer = messages.last()?.get("role").and_then(Json::as_str) == Some("assistant");
    let output = if is_answer { messages.pop() } else { None };
    let body = Object::from_iter([("messages", messages)]);
    Some(of_body(span, body, output.map(|output| Json::Array(vec![output])), draft))
}
