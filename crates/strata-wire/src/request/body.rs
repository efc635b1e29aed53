//! Bodies of requests, in any dialect.

use strata_model::take::{take_any, take_object};
use strata_model::{Json, Object, Str};

use super::cache_marks::MARKS;
use crate::message::{Messages, Reader, Role, Turn};
use crate::unread::UnreadFields;

/// What the messages of a request are called.
const MESSAGES: [&str; 4] = ["messages", "contents", "input", "prompt"];

/// What a system prompt beside them is called.
const SYSTEM: [&str; 6] =
    ["system", "systemInstruction", "system_instruction", "instructions", "systemPrompt", "system_prompt"];

/// Members of requests for embeddings, speech and images, and of what clients write down of a session.
const OF_OTHER_CALLS: [&str; 6] = ["encoding_format", "dimensions", "voice", "size", "quality", "started_at"];

/// Whether an object is the body of a request to a model.
pub fn is_request(body: &Object) -> bool {
    let is_list = |key: &str| matches!(body.get(key), Some(Json::Array(_)));
    let has = |key: &str| body.contains_key(key);
    is_list("messages")
        || is_list("contents")
        || (has("model") && has("contents"))
        || (has("model") && has("input") && !OF_OTHER_CALLS.iter().any(|key| has(key)))
        || (has("model") && has("prompt") && !OF_OTHER_CALLS.iter().any(|key| has(key)))
}

/// The body itself, inside of what a gateway sends around it.
pub fn request_body(body: Json) -> Option<Json> {
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
pub fn unbatch(body: &mut Object) {
    for key in MESSAGES {
        if let Some(Json::Array(items)) = body.get_mut(key)
            && let [Json::Array(inner)] = &mut items[..]
        {
            *items = std::mem::take(inner);
        }
    }
}

/// The member of a body that its messages are read from.
fn said_in(body: &Object) -> Option<&'static str> {
    MESSAGES.into_iter().find(|key| body.get(key).is_some_and(|said| !said.is_null()))
}

/// The members of a body beside its messages.
pub fn beside_messages(body: &Object) -> impl Iterator<Item = (&Str, &Json)> {
    let said = said_in(body);
    body.iter().filter(move |(key, _)| Some(&***key) != said)
}

/// A copy of a body without what is said in it.
pub(super) fn without_messages(body: &Object) -> Object {
    let mut rest: Object = beside_messages(body).map(|(key, value)| (key.clone(), value.clone())).collect();
    if let Some(said) = said_in(body) {
        // Where nothing stands there, messages are looked for under other names.
        rest.push(said, Vec::new());
    }
    rest
}

impl Reader<'_> {
    /// The messages of a request as [`Self::request`] gives them; the body stays whole, and of what is no message nothing
    /// is copied.
    pub fn turns_of(&mut self, body: &Object) -> Vec<Turn> {
        let is_read = |key: &str| SYSTEM.contains(&key) || MESSAGES.contains(&key) || key == "config";
        let read = body.iter().filter(|(key, _)| is_read(key));
        self.request(&mut read.map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    /// The messages of a request, the system prompt first. What else it says (tools, sampling) stays in its body.
    pub fn request(&mut self, body: &mut Object) -> Vec<Turn> {
        let mut turns = Vec::new();
        let system = take_any(body, &SYSTEM).or_else(|| {
            let mut config = take_object(body, "config")?;
            let system = take_any(&mut config, &SYSTEM);
            body.insert("config", config);
            system
        });
        let mut unread = AllButMarks(self.unread);
        let mut messages = Messages { owner: "request", tools: self.tools, unread: &mut unread };
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
}

/// What a prompt asks to be cached is read beside its messages, by `cache_marks`.
struct AllButMarks<'u>(&'u mut dyn UnreadFields);

impl UnreadFields for AllButMarks<'_> {
    fn field(&mut self, owner: &str, name: &str, value: &Json) {
        if !MARKS.contains(&name) {
            self.0.field(owner, name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use strata_model::json::parse;

    use super::*;

    #[track_caller]
    fn check(body: &str, expected: bool) {
        let body = parse(body.as_bytes()).unwrap();
        assert_eq!(body.as_object().is_some_and(is_request), expected);
    }

    #[test]
    fn what_has_a_model_and_a_prompt_may_be_something_else() {
        check(r#"{"model": "m", "prompt": "Hello"}"#, true);
        check(r#"{"model": "m", "prompt": "A cat", "size": "1024x1024"}"#, false);
        // What Cline writes down of a session.
        check(r#"{"session_id": "1", "started_at": "2026-11-20", "model": "m", "prompt": "Hello"}"#, false);
    }
}
