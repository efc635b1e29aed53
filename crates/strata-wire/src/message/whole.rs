//! A message, whoever wrote it.

use std::borrow::Cow;

use strata_model::take::{listed, take_any, take_first_text, take_list, take_object, take_text, unpacked};
use strata_model::{Base64, Blob, Json, Object, Part, Str};

use super::haystack;
use super::item;
use super::kernel;
use super::llama;
use super::reading::Messages;
use super::turn::{Role, Turn, thought};

impl Messages<'_> {
    /// Reads a message, an item, or the text of a prompt.
    pub fn read(&mut self, value: Json) -> Turn {
        match value {
            Json::Object(message) => self.message(message),
            Json::String(text) => {
                let mut turn = Turn::new(Role::User);
                turn.push(Part::from_text(text));
                turn
            }
            other => {
                self.unread.field(self.owner, "message", &other);
                Turn::new(Role::User)
            }
        }
    }

    /// Reads messages in their order.
    pub fn read_all(&mut self, values: impl IntoIterator<Item = Json>) -> Vec<Turn> {
        values.into_iter().map(|value| self.read(value)).collect()
    }

    fn message(&mut self, message: Object) -> Turn {
        let mut message = llama::renamed(kernel::renamed(haystack::renamed(unwrapped(message))));
        let text = |key: &str| message.get(key).and_then(Json::as_text).cloned().unwrap_or_default();
        let (kind, role) = (text("type"), text("role"));
        if role.is_empty() && item::is_item(&kind) {
            return self.item(&kind, message);
        }
        let spoken_by = take_first_text(&mut message, &["from", "sender"]).unwrap_or_default();
        let name =
            [&*role, &*kind, &*spoken_by].into_iter().find(|name| !name.is_empty()).unwrap_or_default();
        let mut turn = Turn::new(role_of(name));
        message.remove("role");
        if is_message_kind(&kind) {
            message.remove("type");
        }
        let call_id = take_first_text(&mut message, &["tool_call_id", "toolCallId"]);
        self.thoughts(&mut message, &mut turn);
        if turn.role == Role::Tool && (call_id.is_some() || is_bare_result(&message)) {
            self.tool_message(call_id, message, &mut turn);
            return turn;
        }
        if name.eq_ignore_ascii_case("function_call") {
            self.written_call(&mut message, &mut turn);
        }
        for key in ["content", "parts", "value"] {
            if let Some(content) = message.remove(key) {
                self.content(content, &mut turn);
            }
        }
        if let Some(audio) = take_object(&mut message, "audio") {
            self.audio(audio, &mut turn);
        }
        if let Some(refusal) = take_text(&mut message, "refusal") {
            turn.push(Part::from_text(refusal.clone()));
            turn.refusal = Some(refusal);
        }
        self.calls_beside(&mut message, &mut turn);
        if turn.role == Role::User && turn.has_results() {
            turn.role = Role::Tool;
        }
        turn.rest = message;
        turn
    }

    /// Calls that stand beside the content; LangChain keeps those apart whose arguments are no JSON.
    fn calls_beside(&mut self, message: &mut Object, turn: &mut Turn) {
        let calls = take_any(message, &["tool_calls", "toolCalls", "function_call"]).map(listed);
        let broken = take_list(message, "invalid_tool_calls");
        let n_content = turn.parts.len();
        for call in calls.into_iter().chain(broken).flatten() {
            self.call_beside(call, n_content, turn);
        }
    }

    /// Adds content in any of its shapes.
    pub fn content(&mut self, content: Json, turn: &mut Turn) {
        match content {
            Json::String(text) if text.is_empty() => {}
            Json::String(text) => turn.push(Part::from_text(text)),
            Json::Array(blocks) => blocks.into_iter().for_each(|block| self.block(block, turn)),
            Json::Object(object) if object.contains_key("parts") || object.contains_key("role") => {
                let inner = self.message(object);
                turn.parts.extend(inner.parts);
                turn.result_bytes = turn.result_bytes.max(inner.result_bytes);
                turn.refusal = turn.refusal.take().or(inner.refusal);
            }
            Json::Object(object) => self.block(Json::Object(object), turn),
            Json::Null => {}
            other => self.unread.field(self.owner, "content", &other),
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

    /// A call that is the whole text of a message: `{"name": …, "arguments": …}`.
    fn written_call(&mut self, message: &mut Object, turn: &mut Turn) {
        for key in ["value", "content"] {
            let Some(text) = message.get(key).filter(|text| text.as_str().is_some()).cloned() else {
                continue;
            };
            for call in listed(unpacked(text)) {
                if call.get("name").is_some() {
                    message.remove(key);
                    self.call(call, turn);
                }
            }
        }
    }

    /// Speech, with the words it says.
    fn audio(&mut self, mut audio: Object, turn: &mut Turn) {
        if let Some(words) = take_text(&mut audio, "transcript") {
            turn.push(Part::from_text(words));
        }
        if let Some(data) = take_text(&mut audio, "data") {
            let blob = Blob {
                data: Some(Base64::new(data)),
                mime_type: Some("audio/wav".into()),
                ..Blob::default()
            };
            turn.push(Part { inline_data: Some(Box::new(blob)), ..Part::default() });
        }
        for key in ["id", "expires_at"] {
            audio.remove(key);
        }
        self.unread.rest("message.audio", &audio);
    }

    fn tool_message(&mut self, id: Option<Str>, mut message: Object, turn: &mut Turn) {
        let name = take_text(&mut message, "name");
        let is_error = message.remove("is_error").is_some_and(|flag| flag.is_truthy())
            || message.get("status").and_then(Json::as_str) == Some("error")
            || message.get("error").is_some_and(Json::is_truthy);
        let content = take_any(&mut message, &["content", "parts", "value"]);
        // Where nothing else names the call, the message has its id.
        let id =
            id.or_else(|| take_first_text(&mut message, &["id"]).filter(|id| self.tools.contains_key(id)));
        self.result(id, name, content, is_error, turn);
        turn.rest = message;
    }
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
    // `{message: {role, content}}` and `{type: "human", data: {content}}`; what stands beside is about the same message.
    let has_own_content =
        ["content", "parts", "tool_calls", "value"].iter().any(|key| message.contains_key(key));
    for key in ["message", "data"] {
        if !has_own_content && let Some(mut inner) = take_object(&mut message, key) {
            if let Some(kind) = take_text(&mut message, "type") {
                inner.insert("type", kind);
            }
            for (key, value) in message {
                if !inner.contains_key(&key) {
                    inner.push(key, value);
                }
            }
            return inner;
        }
    }
    message
}

/// Whether a message is a result that does not name its call: of a function, as once, or of a tool's own name.
fn is_bare_result(message: &Object) -> bool {
    match message.get("content").or_else(|| message.get("value")) {
        Some(Json::String(_)) => true,
        Some(Json::Array(blocks)) => blocks.iter().all(|block| {
            matches!(block.get("type").and_then(Json::as_str), Some("text" | "image_url" | "image"))
        }),
        _ => false,
    }
}

fn is_message_kind(kind: &str) -> bool {
    matches!(
        kind,
        "message"
            | "human"
            | "ai"
            | "AIMessageChunk"
            | "system"
            | "tool"
            | "user"
            | "assistant"
            | "function"
            | "developer"
            | "generic"
            | "chat"
    )
}

fn role_of(name: &str) -> Role {
    let has_capitals = name.bytes().any(|byte| byte.is_ascii_uppercase());
    let small = if has_capitals { Cow::Owned(name.to_ascii_lowercase()) } else { Cow::Borrowed(name) };
    match &*small {
        "system" | "developer" | "systemmessage" => Role::System,
        "assistant" | "model" | "ai" | "bot" | "gemini" | "choice" | "gpt" | "chatgpt" | "aimessage"
        | "aimessagechunk" | "function_call" | "chatbot" => Role::Model,
        "tool" | "function" | "ipython" | "observation" | "tool_response" | "function_response"
        | "toolmessage" | "environment" => Role::Tool,
        _ => Role::User,
    }
}
