//! What was sent and answered, from the attributes and events of a span.

use std::collections::BTreeMap;

use strata_model::{Json, Object, Str};

use super::Span;
use crate::draft::Draft;
use crate::message::Turn;
use crate::take::unpacked;
use crate::wire::{About, Answer, Exchange, is_request, read_answer, read_exchange, read_request};

/// Stands where content was left out.
const ELIDED: &str = "<elided>";
const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// The exchange of a call, as far as its content was recorded.
pub(super) fn exchange(span: &Span, draft: &mut Draft) -> Exchange {
    whole_bodies(span, draft)
        .or_else(|| from_messages(span, draft))
        .or_else(|| from_flat(span, draft))
        .or_else(|| from_log_events(span, draft))
        .unwrap_or_else(|| bare(span, Json::Null, Vec::new(), None))
}

fn bare(span: &Span, body: Json, turns: Vec<Turn>, answer: Option<Answer>) -> Exchange {
    let source = span.source.clone();
    Exchange { source, time: None, end: None, body, turns, answer, continues: None, about: About::default() }
}

fn given(value: &Json) -> bool {
    value.is_truthy() && !matches!(value.as_str(), Some("{}" | "[]" | "null" | ELIDED))
}

/// The bodies themselves: ADK 1.x, OpenInference's `input.value`.
fn whole_bodies(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    const PAIRS: [[&str; 2]; 3] = [
        ["gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response"],
        ["input.value", "output.value"],
        ["llm.request.body", "llm.response.body"],
    ];
    PAIRS.iter().find_map(|[request, response]| {
        let request = span.attributes.get(request).filter(|value| given(value))?;
        let request = draft.bodies.unpacked(request.clone());
        if !request.as_object().is_some_and(is_request) {
            return None;
        }
        let response = span.attributes.get(response).filter(|value| given(value)).cloned();
        let mut exchange = read_exchange(request, response, span.source.clone(), draft)?;
        // A response is one event; its id is that of the span's event.
        if let Some(answer) = &mut exchange.answer {
            answer.id = None;
        }
        Some(exchange)
    })
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

fn of_body(span: &Span, body: Object, output: Option<Json>, draft: &mut Draft) -> Exchange {
    let turns = read_request(&mut body.clone(), draft);
    let answer = output.map(|output| read_answer(output, draft));
    bare(span, Json::Object(body), turns, answer)
}

/// Attributes that spell a list out: `llm.input_messages.0.message.role`, `gen_ai.prompt.0.content`.
fn from_flat(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    let (input, output) = match unflattened(&span.attributes, "llm.input_messages.") {
        Some(input) => (input, unflattened(&span.attributes, "llm.output_messages.")),
        None => (
            unflattened(&span.attributes, "gen_ai.prompt.")?,
            unflattened(&span.attributes, "gen_ai.completion."),
        ),
    };
    let mut body = Object::new();
    body.push_some("model", span.text("llm.model_name").or_else(|| span.text("gen_ai.request.model")));
    body.push_some("tools", unflattened(&span.attributes, "llm.tools."));
    body.push("messages", spelled(input));
    Some(of_body(span, body, output.map(spelled), draft))
}

/// The value whose members are spelled out in attribute names.
fn unflattened(attributes: &Object, prefix: &str) -> Option<Json> {
    let mut root = Node::default();
    for (key, value) in attributes.iter() {
        if let Some(path) = key.strip_prefix(prefix) {
            root.set(&path.split('.').take(MAX_PATH).collect::<Vec<_>>(), value);
        }
    }
    (!root.members.is_empty()).then(|| root.json())
}

/// No name spells out more levels.
const MAX_PATH: usize = 24;

#[derive(Default)]
struct Node {
    value: Option<Json>,
    members: BTreeMap<(usize, String), Node>,
}

impl Node {
    fn set(&mut self, path: &[&str], value: &Json) {
        match path {
            [] => self.value = Some(value.clone()),
            [first, rest @ ..] => {
                let number = first.parse().unwrap_or(usize::MAX);
                self.members.entry((number, (*first).to_owned())).or_default().set(rest, value);
            }
        }
    }

    fn json(self) -> Json {
        if self.members.is_empty() {
            return self.value.unwrap_or_default();
        }
        let is_list = self.members.keys().all(|(number, _)| *number != usize::MAX);
        let members = self.members.into_iter().map(|((_, name), node)| (name, node.json()));
        if is_list {
            return members.map(|(_, value)| value).collect::<Vec<_>>().into();
        }
        members.collect::<Object>().into()
    }
}

/// Messages as the dialects write them, from OpenInference's spelling.
fn spelled(messages: Json) -> Json {
    let Json::Array(messages) = messages else { return messages };
    let messages = messages.into_iter().map(|message| {
        let Some(inner) = message.get("message").and_then(Json::as_object) else { return message };
        let mut out = Object::new();
        for (key, value) in inner.iter() {
            match (&**key, value) {
                ("contents", Json::Array(pieces)) => {
                    let pieces =
                        pieces.iter().map(|piece| piece_of(piece.get("message_content").unwrap_or(piece)));
                    out.insert("content", pieces.collect::<Vec<_>>());
                }
                ("tool_calls", Json::Array(calls)) => {
                    let calls = calls.iter().map(|call| call.get("tool_call").unwrap_or(call).clone());
                    out.insert("tool_calls", calls.collect::<Vec<_>>());
                }
                _ => {
                    out.insert(key.clone(), value.clone());
                }
            }
        }
        Json::Object(out)
    });
    messages.collect::<Vec<_>>().into()
}

fn piece_of(piece: &Json) -> Json {
    let image =
        piece.get("image").and_then(|image| image.get("image")?.get("url").or(image.get("url")).cloned());
    match (image, piece) {
        (Some(url), _) => Object::from_iter([("type", Json::from("image_url")), ("image_url", url)]).into(),
        (None, piece) => piece.clone(),
    }
}

/// The log events of the conventions up to 1.36: a message each.
fn from_log_events(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    let mut input = Vec::new();
    let mut output = Vec::new();
    for event in &span.events {
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
    if input.is_empty() && output.is_empty() {
        return None;
    }
    let mut body = Object::new();
    body.push_some("model", span.text("gen_ai.request.model"));
    body.push("messages", input);
    Some(of_body(span, body, Some(Json::Array(output)), draft))
}

fn message_of(event: &super::Event, kind: &str) -> Option<Json> {
    let mut body = match unpacked(event.body.clone()) {
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
    let role = if kind == "choice" { "assistant" } else { kind.trim_end_matches(".message") };
    if !body.contains_key("role") && !body.contains_key("message") {
        body.insert("role", role);
    }
    Some(Json::Object(body))
}

fn text_of(event: &super::Event, key: &str) -> Vec<Json> {
    match event.attributes.get(key).cloned().map(unpacked) {
        Some(Json::Array(messages)) => messages,
        Some(Json::Null) | None => Vec::new(),
        Some(one) => vec![one],
    }
}

pub(super) fn finish_of(span: &Span) -> Option<Str> {
    let reasons = span.attributes.get("gen_ai.response.finish_reasons")?;
    match unpacked(reasons.clone()) {
        Json::Array(reasons) => reasons.first()?.as_str().map(Str::from),
        Json::String(reason) => Some(reason),
        _ => None,
    }
}
