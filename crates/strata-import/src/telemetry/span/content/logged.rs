//! Content in events: a message each.

use strata_model::take::{take_text, unpacked};
use strata_model::{Json, Object};

use super::body::{ELIDED, of_body};
use crate::draft::Draft;
use crate::exchange::Exchange;
use crate::telemetry::span::recorded::{Event, Span};

/// The log events of the conventions up to 1.36: a message each.
pub(super) fn exchange(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    let mut input = Vec::new();
    let mut output = Vec::new();
    for event in span.events.iter().chain(&listed(span)) {
        let Some(kind) = event.name.strip_prefix("gen_ai.") else { continue };
        let message = message_of(event, kind);
        match kind {
            "system.message" | "user.message" | "assistant.message" | "tool.message" => input.extend(message),
            "choice" => output.extend(message),
            "content.prompt" => input.extend(text_of(event, "gen_ai.prompt")),
            "content.completion" => output.extend(text_of(event, "gen_ai.completion")),
            _ => {}
        }
    }
    // The messages of a whole run end with its answer.
    let is_run = span.attributes.contains_key("all_messages_events");
    let is_answer = |last: &Json| last.get("role").and_then(Json::as_str) == Some("assistant");
    if is_run && output.is_empty() && input.last().is_some_and(is_answer) {
        output.extend(input.pop());
    }
    if input.is_empty() && output.is_empty() {
        return None;
    }
    let mut body = Object::new();
    body.push_some("model", span.text("gen_ai.request.model"));
    body.push("messages", input);
    Some(of_body(span, body, Some(Json::Array(output)), draft))
}

fn message_of(event: &Event, kind: &str) -> Option<Json> {
    let written = event.attributes.get("gen_ai.event.content").or_else(|| event.attributes.get("event_body"));
    let mut body = match unpacked(written.unwrap_or(&event.body).clone()) {
        Json::Object(body) if !body.is_empty() => body,
        Json::String(text) if &*text != ELIDED && !text.is_empty() => {
            Object::from_iter([("content", Json::String(text))])
        }
        _ => event.attributes.clone(),
    };
    if body.values().all(|value| value.as_str() == Some(ELIDED)) {
        return None;
    }
    if let Some(id) = body.remove("id") {
        body.insert("tool_call_id", id);
    }
    // Content that was written as text, because attributes hold nothing else.
    for (written, key) in [("message", "content"), ("content", "content")] {
        let is_text = body.get(written).and_then(Json::as_str).is_some();
        if is_text && let Some(text) = body.remove(written) {
            body.insert(key, as_blocks(text));
        }
    }
    let role = if kind == "choice" { "assistant" } else { kind.trim_end_matches(".message") };
    if !body.contains_key("role") && !body.contains_key("message") {
        body.insert("role", role);
    }
    Some(Json::Object(body))
}

fn text_of(event: &Event, key: &str) -> Vec<Json> {
    match event.attributes.get(key).cloned().map(unpacked) {
        Some(Json::Array(messages)) => messages,
        Some(Json::Null) | None => Vec::new(),
        Some(one) => vec![one],
    }
}

/// Blocks that stand in a text; the text itself when it is none of them.
pub(super) fn as_blocks(text: Json) -> Json {
    let is_list = text.as_str().is_some_and(|text| text.starts_with("[{"));
    if is_list { unpacked(text) } else { text }
}

/// Events that are kept in one attribute, as a list: `{"event.name": "gen_ai.user.message", role, content}`.
fn listed(span: &Span) -> Vec<Event> {
    let names = ["events", "all_messages_events"];
    let list = names.iter().find_map(|name| span.attributes.get(name)).cloned().map(unpacked);
    let Some(Json::Array(items)) = list else { return Vec::new() };
    let events = items.into_iter().filter_map(|item| {
        let Json::Object(mut body) = item else { return None };
        let role = body.get("role").and_then(Json::as_str).unwrap_or("user").to_owned();
        let name =
            take_text(&mut body, "event.name").unwrap_or_else(|| format!("gen_ai.{role}.message").into());
        body.remove("gen_ai.message.index");
        Some(Event { name, attributes: Object::new(), body: Json::Object(body), time: None })
    });
    events.collect()
}
