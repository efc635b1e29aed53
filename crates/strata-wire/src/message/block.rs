//! Pieces of a message's content.

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Decoder, FromJson as _, Json, Object, Part, json};

use super::anthropic;
use super::media::media;
use super::reading::{Messages, arguments};
use super::turn::{Turn, thought};

/// Fields of a part of Gemini's that no other dialect has.
const GEMINI: [&str; 16] = [
    "functionCall",
    "function_call",
    "functionResponse",
    "function_response",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "executableCode",
    "executable_code",
    "codeExecutionResult",
    "code_execution_result",
    "thought",
    "thoughtSignature",
    "thought_signature",
    "videoMetadata",
];

/// Files in the members of Bedrock's blocks, by the kinds other dialects call them.
const MEDIA: [&str; 4] = ["image", "document", "video", "audio"];

/// What a result says, where it says what kind of value it is; and whether it is an error.
fn typed_output(content: Option<Json>) -> (Option<Json>, bool) {
    let kind =
        content.as_ref().and_then(|content| content.get("type")?.as_str()).unwrap_or_default().to_owned();
    let is_typed = matches!(&*kind, "text" | "json" | "content" | "error-text" | "error-json");
    match content {
        Some(Json::Object(mut output)) if is_typed && output.contains_key("value") => {
            (output.remove("value"), kind.starts_with("error"))
        }
        other => (other, false),
    }
}

impl Messages<'_> {
    pub(super) fn block(&mut self, block: Json, turn: &mut Turn) {
        let mut block = match block {
            Json::Object(block) => block,
            Json::String(text) => return turn.push(Part::from_text(text)),
            Json::Null => return,
            other => return self.unread.field(self.owner, "content[]", &other),
        };
        let kind = block.get("type").and_then(Json::as_text).cloned().unwrap_or_default();
        match &*kind {
            "" => self.untyped(block, turn),
            "text" | "input_text" | "output_text" | "summary_text" | "refusal" | "reasoning_text" => {
                block.remove("type");
                let text = take_first_text(&mut block, &["text", "content", "refusal"]).unwrap_or_default();
                self.rest(&kind, &block);
                if &*kind == "refusal" {
                    turn.refusal = Some(text.clone());
                }
                turn.push(if &*kind == "reasoning_text" { thought(text) } else { Part::from_text(text) });
            }
            "mcp_tool_use" => {
                block.insert("type", "server_tool_use");
                self.of_anthropic(block, turn);
            }
            "tool-invocation" => {
                let inner = take_object(&mut block, "toolInvocation").unwrap_or_default();
                self.invocation(inner, None, turn);
            }
            kind if block.contains_key("toolCallId")
                && (kind.starts_with("tool-") || kind == "dynamic-tool")
                && !matches!(kind, "tool-call" | "tool-result" | "tool-error") =>
            {
                let name = kind.strip_prefix("tool-").map(str::to_owned);
                self.invocation(block, name, turn);
            }
            "tool_result" if block.contains_key("tool_use_id") => self.tool_result(block, turn),
            // As Pydantic AI tells tracers of it.
            "thinking" if block.contains_key("content") && !block.contains_key("thinking") => {
                self.reasoning(block, turn);
            }
            "thinking" | "redacted_thinking" | "tool_use" | "server_tool_use" => {
                self.of_anthropic(block, turn);
            }
            "image" | "document" if block.contains_key("source") => self.of_anthropic(block, turn),
            kind if kind.ends_with("_tool_result") => self.of_anthropic(block, turn),
            "reasoning" => self.reasoning(block, turn),
            "tool_call" | "tool-call" | "function_call" | "toolCall" | "server_tool_call" => {
                self.call(Json::Object(block), turn);
            }
            "tool_call_response"
            | "tool-result"
            | "tool-error"
            | "tool_result"
            | "function_response"
            | "server_tool_call_response" => {
                let id = take_first_text(&mut block, &["id", "toolCallId", "tool_call_id", "call_id"]);
                let name = take_first_text(&mut block, &["name", "toolName"]);
                let is_error = block.remove("isError").is_some_and(|flag| flag.is_truthy());
                let content = take_any(&mut block, &["response", "result", "output", "content", "error"]);
                block.remove("type");
                self.rest(&kind, &block);
                let (content, failed) = typed_output(content);
                self.result(id, name, content, is_error || failed || &*kind == "tool-error", turn);
            }
            _ => match media(&kind, &mut block) {
                Some(part) => {
                    self.rest(&kind, &block);
                    turn.push(part);
                }
                None => self.unknown(&kind, block, turn),
            },
        }
    }

    fn rest(&mut self, kind: &str, block: &Object) {
        for (key, value) in block.iter().filter(|(key, _)| &***key != "type") {
            let says_nothing = matches!(value, Json::Array(items) if items.is_empty());
            if !says_nothing {
                self.unread.field(&format!("content.{kind}"), key, value);
            }
        }
    }

    /// A part of Gemini's, of Bedrock's, or a bare text.
    fn untyped(&mut self, mut block: Object, turn: &mut Turn) {
        if let Some(call) = take_object(&mut block, "toolUse") {
            self.call(Json::Object(call), turn);
        } else if let Some(mut result) = take_object(&mut block, "toolResult") {
            let id = take_text(&mut result, "toolUseId");
            let is_error = result.get("status").and_then(Json::as_str) == Some("error");
            let content = match result.remove("content") {
                Some(Json::Array(items)) if items.len() == 1 => items
                    .into_iter()
                    .next()
                    .map(|item| item.get("text").or(item.get("json")).cloned().unwrap_or(item)),
                other => other,
            };
            self.result(id, None, content, is_error, turn);
        } else if let Some(mut reasoning) = take_object(&mut block, "reasoningContent") {
            let mut inner = take_object(&mut reasoning, "reasoningText").unwrap_or_default();
            turn.push(thought(take_text(&mut inner, "text").unwrap_or_default()));
        } else if let Some((kind, inner, part)) = MEDIA.iter().find_map(|kind| {
            let mut inner = take_object(&mut block, kind)?;
            let Some(part) = media(kind, &mut inner) else {
                block.insert(*kind, inner);
                return None;
            };
            Some((kind, inner, part))
        }) {
            self.rest(kind, &inner);
            self.rest("block", &block);
            turn.push(part);
        } else if block.contains_key("cachePoint") {
            self.rest("block", &block);
        } else if GEMINI.iter().any(|key| block.contains_key(key)) || block.contains_key("text") {
            let mut decoder = Decoder::new();
            if let Ok(part) = Part::from_json(Json::Object(block), &mut decoder) {
                self.of_gemini(part, turn);
            }
        } else {
            self.unknown("block without a type", block, turn);
        }
    }

    /// A call with what came of it, in one part.
    fn invocation(&mut self, mut block: Object, name: Option<String>, turn: &mut Turn) {
        let id = take_text(&mut block, "toolCallId");
        let name = take_text(&mut block, "toolName").or(name.map(Into::into));
        let args = take_any(&mut block, &["args", "input", "rawInput"]);
        let failed = take_any(&mut block, &["errorText"]);
        let is_error = failed.is_some();
        let content = take_any(&mut block, &["result", "output"]).or(failed);
        for key in ["type", "state", "step"] {
            block.remove(key);
        }
        self.rest("tool", &block);
        self.push_call(id.clone(), name.clone(), args, turn);
        if content.is_some() {
            let role = turn.role;
            self.result(id, name, content, is_error, turn);
            turn.role = role;
        }
    }

    fn of_gemini(&mut self, part: Part, turn: &mut Turn) {
        if let Some(call) = &part.function_call
            && let (Some(id), Some(name)) = (&call.id, &call.name)
        {
            self.tools.insert(id.clone(), name.clone());
        }
        if let Some(response) = &part.function_response {
            let bytes = response.response.as_ref().map_or(0, |it| json::object_compact_len(it));
            turn.result_bytes = turn.result_bytes.max(bytes as u64);
        }
        let unknown: Vec<_> = part.unknown_fields().cloned().collect();
        for key in unknown {
            if let Some(value) = part.other.get(&key) {
                self.unread.field("part", &key, value);
            }
        }
        turn.push(part);
    }

    /// Blocks of the Messages API have a reader of their own.
    fn of_anthropic(&mut self, mut block: Object, turn: &mut Turn) {
        if let Some(mark) = block.remove("cache_control") {
            self.unread.field(self.owner, "cache_control", &mark);
        }
        if let (Some(Json::String(id)), Some(Json::String(name))) = (block.get("id"), block.get("name")) {
            self.tools.insert(id.clone(), name.clone());
        }
        // Some tools write the input as text.
        if let Some(Json::String(_)) = block.get("input") {
            let input = arguments(block.remove("input")).unwrap_or_default();
            block.insert("input", input);
        }
        let tools = &*self.tools;
        let read = anthropic::read(
            Json::Array(vec![block.into()]),
            self.owner,
            |id| tools.get(id).cloned(),
            self.unread,
        );
        turn.result_bytes = turn.result_bytes.max(read.largest_result_bytes);
        turn.parts.extend(read.parts);
    }

    /// The answer to a call, as the Messages API writes it; a single text is taken as the text it is.
    fn tool_result(&mut self, mut block: Object, turn: &mut Turn) {
        if let Some(Json::Array(items)) = block.get("content")
            && let [item] = &items[..]
            && item.get("type").and_then(Json::as_str) == Some("text")
            && let Some(text) = item.get("text").and_then(Json::as_str).map(str::to_owned)
        {
            block.insert("content", text);
        }
        self.of_anthropic(block, turn);
    }

    /// Thoughts, of which some providers only show a summary, or nothing.
    pub(super) fn reasoning(&mut self, mut block: Object, turn: &mut Turn) {
        block.remove("type");
        let mut texts = Vec::new();
        for key in ["summary", "content"] {
            for piece in take_list(&mut block, key).unwrap_or_default() {
                let text = piece.get("text").and_then(Json::as_str).or(piece.as_str());
                texts.extend(text.map(str::to_owned));
            }
        }
        texts.extend(
            take_first_text(&mut block, &["content", "text", "reasoning", "summary", "thinking"])
                .map(|it| it.to_string()),
        );
        let mut part = thought(texts.join("\n\n"));
        if let Some(sealed) = take_any(&mut block, &["encrypted_content", "signature"]) {
            part.other.push(
                "partMetadata",
                Object::from_iter([("encrypted", Json::Bool(true)), ("content", sealed)]),
            );
        } else if texts.is_empty() {
            part.other.push("partMetadata", Object::from_iter([("encrypted", Json::Bool(true))]));
        }
        for key in ["id", "status"] {
            block.remove(key);
        }
        self.rest("reasoning", &block);
        turn.push(part);
    }

    /// A block this version does not know is carried as it is; nothing of it counts as words.
    fn unknown(&mut self, kind: &str, mut block: Object, turn: &mut Turn) {
        self.unread.field("content", kind, &Json::Bool(true));
        block.insert("type", kind);
        let mut part = Part::default();
        part.other.push("partMetadata", block);
        turn.push(part);
    }
}
