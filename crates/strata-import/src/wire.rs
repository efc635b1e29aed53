//! Requests to model providers and their answers, in any dialect, as exchanges.

mod answer;
mod request;
mod stream;

use strata_model::{Json, Object, Str};

use crate::draft::Draft;
use crate::message::{Role, Turn};
use crate::source::SourceRecord;
use crate::take::{take_any, take_object, take_text};
use crate::usage::Reported;

pub(crate) use answer::read_answer;
pub use request::request_of;

/// A request and what answered it.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) source: SourceRecord,
    /// When it was sent, in epoch seconds.
    pub(crate) time: Option<f64>,
    /// When the answer was there.
    pub(crate) end: Option<f64>,
    /// The body as it was sent.
    pub(crate) body: Json,
    pub(crate) turns: Vec<Turn>,
    pub(crate) answer: Option<Answer>,
    /// The answer it says it continues, whose history the provider holds.
    pub(crate) continues: Option<Str>,
    pub(crate) about: About,
}

/// What answered a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) id: Option<Str>,
    pub(crate) turn: Option<Turn>,
    pub(crate) model: Option<Str>,
    pub(crate) finish: Option<Str>,
    pub(crate) usage: Option<Reported>,
    pub(crate) error: Option<(Str, Str)>,
}

/// What the log around an exchange says about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    /// Exchanges with different values are of different sessions.
    pub(crate) session: Option<Str>,
    /// Exchanges with different values are of different agents.
    pub(crate) agent: Option<Str>,
    pub(crate) invocation: Option<Str>,
    pub(crate) event_id: Option<Str>,
    pub(crate) title: Option<Str>,
}

/// Whether an object is the body of a request to a model.
pub(crate) fn is_request(body: &Object) -> bool {
    let is_list = |key: &str| matches!(body.get(key), Some(Json::Array(_)));
    let has = |key: &str| body.contains_key(key);
    is_list("messages")
        || is_list("contents")
        || (has("model") && has("input") && !has("encoding_format"))
        || (has("model") && has("prompt"))
}

/// Reads an exchange from its bodies. `None` when the first is no request to a model.
pub(crate) fn read_exchange(
    request: Json,
    response: Option<Json>,
    source: SourceRecord,
    draft: &mut Draft,
) -> Option<Exchange> {
    let body = draft.bodies.unpacked(request);
    let Json::Object(object) = &body else { return None };
    if !is_request(object) {
        return None;
    }
    let mut object = object.clone();
    let turns = read_request(&mut object, draft);
    let continues = take_text(&mut object, "previous_response_id");
    let model = take_text(&mut object, "model");
    let mut answer = response.map(|response| read_answer(response, draft));
    if let Some(answer) = &mut answer {
        answer.model = answer.model.take().or(model);
    }
    Some(Exchange { source, time: None, end: None, body, turns, answer, continues, about: About::default() })
}

/// The messages of a request, the system prompt first. What else it says (tools, sampling) stays in its body.
pub(crate) fn read_request(body: &mut Object, draft: &mut Draft) -> Vec<Turn> {
    let mut turns = Vec::new();
    let keys = [
        "system",
        "systemInstruction",
        "system_instruction",
        "instructions",
        "systemPrompt",
        "system_prompt",
    ];
    let system = take_any(body, &keys).or_else(|| {
        let mut config = take_object(body, "config")?;
        let system = take_any(&mut config, &keys);
        body.insert("config", config);
        system
    });
    let mut messages = draft.messages("request");
    if let Some(system) = system {
        let mut turn = Turn::new(Role::System);
        messages.content(system, &mut turn);
        turn.role = Role::System;
        if !turn.parts.is_empty() {
            turns.push(turn);
        }
    }
    match take_any(body, &["messages", "contents", "input", "prompt"]) {
        Some(Json::Array(items)) => turns.extend(messages.read_all(items)),
        Some(Json::Null) | None => {}
        Some(single) => turns.push(messages.read(single)),
    }
    turns
}
