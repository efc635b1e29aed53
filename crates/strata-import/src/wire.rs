//! Requests to model providers and their answers, in any dialect, as exchanges.

mod answer;
mod place;
mod request;
mod stream;

use strata_model::{Json, Object, Str};

use crate::draft::Draft;
use crate::message::{Role, Turn};
use crate::source::SourceRecord;
use crate::take::{take_any, take_first_text, take_object, take_text, unpacked};
use crate::usage::Reported;

pub(crate) use answer::read_answer;
pub(crate) use place::{is_other_call, model_of_url};
pub use request::request_of;
pub(crate) use stream::{answers, frame_payloads, is_piece, is_stream, separated};

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

impl Exchange {
    /// Sets the answer of a provider that refused, or failed, with an error status.
    pub(crate) fn refuse(&mut self, status: i64, body: Option<Json>, draft: &mut Draft) {
        let mut answer = answer::refused(status, body, draft);
        let asked =
            || ["model", "modelId"].iter().find_map(|key| self.body.get(key)?.as_str().map(Str::from));
        answer.model = answer.model.take().or_else(asked);
        self.answer = Some(answer);
    }
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
    /// Its place, where it is not in the record of its request.
    pub(crate) source: Option<SourceRecord>,
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

/// What the messages of a request are called.
const MESSAGES: [&str; 4] = ["messages", "contents", "input", "prompt"];

/// Whether an object is the body of a request to a model.
pub(crate) fn is_request(body: &Object) -> bool {
    let is_list = |key: &str| matches!(body.get(key), Some(Json::Array(_)));
    let has = |key: &str| body.contains_key(key);
    is_list("messages")
        || is_list("contents")
        || (has("model") && has("contents"))
        || (has("model") && has("input") && !OF_OTHER_CALLS.iter().any(|key| has(key)))
        || (has("model") && has("prompt") && !OF_OTHER_CALLS.iter().any(|key| has(key)))
}

/// Members of requests for embeddings, speech and images.
const OF_OTHER_CALLS: [&str; 5] = ["encoding_format", "dimensions", "voice", "size", "quality"];

/// Whether an answer is none of a model that talks: embeddings, counted tokens, moderation, images.
fn is_other_answer(answer: &Json) -> bool {
    let Some(answer) = answer.as_object() else { return false };
    let has = |key: &str| answer.contains_key(key);
    let is_list = |key: &str| matches!(answer.get(key), Some(Json::Array(_)));
    let says_nothing = !has("content") && !has("output") && !has("choices") && !has("candidates");
    says_nothing
        && (is_list("data")
            || is_list("embeddings")
            || has("embedding")
            || (is_list("results") && has("model"))
            || (has("input_tokens") && !has("usage") && !has("role"))
            || (has("totalTokens") && !has("usageMetadata")))
}

/// Reads an exchange from its bodies. `None` when the first is no request to a model.
pub(crate) fn read_exchange(
    request: Json,
    response: Option<Json>,
    source: SourceRecord,
    draft: &mut Draft,
) -> Option<Exchange> {
    let body = request_body(draft.bodies.unpacked(request))?;
    let Json::Object(object) = &body else { return None };
    let response = response.map(unpacked);
    if response.as_ref().is_some_and(is_other_answer) {
        return None;
    }
    let mut object = object.clone();
    let turns = read_request(&mut object, draft);
    let continues = take_text(&mut object, "previous_response_id");
    let model = take_first_text(&mut object, &["model", "modelId"]);
    let mut answer = response.map(|response| read_answer(response, draft));
    if let Some(answer) = &mut answer {
        answer.model = answer.model.take().or(model);
    }
    Some(Exchange { source, time: None, end: None, body, turns, answer, continues, about: About::default() })
}

/// The body itself, inside of what a gateway sends around it.
fn request_body(body: Json) -> Option<Json> {
    let Json::Object(mut object) = body else { return None };
    if is_request(&object) {
        return Some(Json::Object(object));
    }
    let mut inner = take_object(&mut object, "request").filter(is_request)?;
    if !inner.contains_key("model") {
        inner.push_some("model", object.remove("model"));
    }
    Some(Json::Object(inner))
}

/// LangChain batches prompts: the list of messages holds a list. Traces are kept without it, since what requests share
/// is found message by message.
pub(crate) fn unbatch(body: &mut Object) {
    for key in MESSAGES {
        if let Some(Json::Array(items)) = body.get_mut(key)
            && let [Json::Array(inner)] = &mut items[..]
        {
            *items = std::mem::take(inner);
        }
    }
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
    unbatch(body);
    match take_any(body, &MESSAGES) {
        Some(Json::Array(items)) => turns.extend(messages.read_all(items)),
        Some(Json::Null) | None => {}
        Some(single) => turns.push(messages.read(single)),
    }
    turns
}
