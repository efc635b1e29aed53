//! Messages of every provider and framework, told apart by the shape they have.
//!
//! Chat Completions, Responses items, Anthropic's blocks, Gemini's contents, the parts of OpenTelemetry, Bedrock's and
//! LangChain's messages differ in names only; frameworks and loggers mix them freely. One reader takes all of them.

mod block;
mod call;
mod item;
mod media;
mod result;
mod say;

use std::collections::HashMap;

use strata_model::{Json, Object, Part, Str};

use crate::take::{take_any, take_first_text, take_list, take_object, take_text};
use crate::unmapped::Unmapped;

pub(crate) use say::{say_message, say_turn};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    System,
    User,
    Model,
    Tool,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Turn {
    pub(crate) role: Role,
    pub(crate) parts: Vec<Part>,
    /// Bytes of text in the largest tool result.
    pub(crate) result_bytes: u64,
    /// Fields that say something about the message rather than in it.
    pub(crate) rest: Object,
}

impl Turn {
    pub(crate) fn new(role: Role) -> Self {
        Self { role, parts: Vec::new(), result_bytes: 0, rest: Object::new() }
    }

    /// All text of the message, thoughts excluded.
    pub(crate) fn text(&self) -> String {
        let texts =
            self.parts.iter().filter(|part| !part.is_thought()).filter_map(|part| part.text.as_deref());
        texts.collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn has_results(&self) -> bool {
        self.parts.iter().any(|part| part.function_response.is_some())
    }

    fn push(&mut self, part: Part) {
        self.parts.push(part);
    }
}

/// Reads messages; remembers which tool a call named, for the results that only name the call.
#[derive(Debug)]
pub(crate) struct Messages<'m> {
    /// Said before the names of fields that are not carried.
    pub(crate) owner: &'static str,
    pub(crate) tools: &'m mut HashMap<Str, Str>,
    pub(crate) unmapped: &'m mut Unmapped,
}

impl Messages<'_> {
    /// Reads a message, an item, or the text of a prompt.
    pub(crate) fn read(&mut self, value: Json) -> Turn {
        match value {
            Json::Object(message) => self.message(message),
            Json::String(text) => {
                let mut turn = Turn::new(Role::User);
                turn.push(Part::from_text(text));
                turn
            }
            other => {
                self.unmapped.field(self.owner, "message", &other);
                Turn::new(Role::User)
            }
        }
    }

    pub(crate) fn read_all(&mut self, values: impl IntoIterator<Item = Json>) -> Vec<Turn> {
        values.into_iter().map(|value| self.read(value)).collect()
    }

    fn message(&mut self, message: Object) -> Turn {
        let mut message = unwrapped(message);
        let kind = message.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        let role = message.get("role").and_then(Json::as_str).unwrap_or_default().to_owned();
        if role.is_empty() && item::is_item(&kind) {
            return self.item(&kind, message);
        }
        let name = if role.is_empty() { &kind } else { &role };
        let mut turn = Turn::new(role_of(name));
        message.remove("role");
        if is_message_kind(&kind) {
            message.remove("type");
        }
        let call_id = take_first_text(&mut message, &["tool_call_id", "toolCallId"]);
        self.thoughts(&mut message, &mut turn);
        if turn.role == Role::Tool && call_id.is_some() {
            self.tool_message(call_id, message, &mut turn);
            return turn;
        }
        for key in ["content", "parts"] {
            if let Some(content) = message.remove(key) {
                self.content(content, &mut turn);
            }
        }
        if let Some(refusal) = take_text(&mut message, "refusal") {
            turn.push(Part::from_text(refusal));
        }
        for call in
            take_any(&mut message, &["tool_calls", "toolCalls", "function_call"]).into_iter().flat_map(listed)
        {
            self.call(call, &mut turn);
        }
        if turn.role == Role::User && turn.has_results() {
            turn.role = Role::Tool;
        }
        turn.rest = message;
        turn
    }

    /// Content in any of its shapes.
    pub(crate) fn content(&mut self, content: Json, turn: &mut Turn) {
        match content {
            Json::String(text) if text.is_empty() => {}
            Json::String(text) => turn.push(Part::from_text(text)),
            Json::Array(blocks) => blocks.into_iter().for_each(|block| self.block(block, turn)),
            Json::Object(object) if object.contains_key("parts") || object.contains_key("role") => {
                let inner = self.message(object);
                turn.parts.extend(inner.parts);
                turn.result_bytes = turn.result_bytes.max(inner.result_bytes);
            }
            Json::Object(object) => self.block(Json::Object(object), turn),
            Json::Null => {}
            other => self.unmapped.field(self.owner, "content", &other),
        }
    }

    /// Thoughts that stand beside the content.
    fn thoughts(&mut self, message: &mut Object, turn: &mut Turn) {
        if let Some(blocks) = take_list(message, "thinking_blocks") {
            self.content(Json::Array(blocks), turn);
        }
        let has_thoughts = turn.parts.iter().any(Part::is_thought);
        let text =
            take_first_text(message, &["reasoning_content", "reasoning", "reasoning_text", "reasoningText"]);
        if let Some(text) = text.filter(|_| !has_thoughts) {
            turn.push(thought(text));
        }
    }

    fn tool_message(&mut self, id: Option<Str>, mut message: Object, turn: &mut Turn) {
        let name = take_text(&mut message, "name");
        let is_error = message.remove("is_error").is_some_and(|flag| flag.is_truthy())
            || message.get("status").and_then(Json::as_str) == Some("error")
            || message.get("error").is_some_and(Json::is_truthy);
        let content = take_any(&mut message, &["content", "parts"]);
        self.result(id, name, content, is_error, turn);
        turn.rest = message;
    }
}

/// A thought in words.
pub(crate) fn thought(text: impl Into<Str>) -> Part {
    Part { thought: Some(true), ..Part::from_text(text) }
}

/// The message inside LangChain's own way of writing it down.
fn unwrapped(mut message: Object) -> Object {
    let class = match message.get("id") {
        Some(Json::Array(path)) if message.contains_key("lc") => {
            path.last().and_then(Json::as_str).map(str::to_owned)
        }
        _ => None,
    };
    if let (Some(class), Some(mut kwargs)) = (class, take_object(&mut message, "kwargs")) {
        kwargs
            .insert("type", class.trim_end_matches("Chunk").trim_end_matches("Message").to_ascii_lowercase());
        kwargs.remove("role");
        return kwargs;
    }
    // `{message: {role, content}}` and `{type: "human", data: {content}}`.
    let has_own_content = ["content", "parts", "tool_calls"].iter().any(|key| message.contains_key(key));
    for key in ["message", "data"] {
        if !has_own_content && let Some(mut inner) = take_object(&mut message, key) {
            if let Some(kind) = take_text(&mut message, "type") {
                inner.insert("type", kind);
            }
            return inner;
        }
    }
    message
}

fn is_message_kind(kind: &str) -> bool {
    matches!(
        kind,
        "message"
            | "human"
            | "ai"
            | "system"
            | "tool"
            | "user"
            | "assistant"
            | "function"
            | "developer"
            | "generic"
    )
}

fn role_of(name: &str) -> Role {
    match name.to_ascii_lowercase().as_str() {
        "system" | "developer" => Role::System,
        "assistant" | "model" | "ai" | "bot" | "gemini" | "choice" => Role::Model,
        "tool" | "function" | "ipython" => Role::Tool,
        _ => Role::User,
    }
}

fn listed(value: Json) -> Vec<Json> {
    match value {
        Json::Array(items) => items,
        Json::Object(fields) if fields.is_empty() => Vec::new(),
        other => vec![other],
    }
}

#[cfg(test)]
mod tests;
