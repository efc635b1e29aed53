//! Content blocks of the Messages API, as parts.

use std::sync::Arc;

use strata_model::take::{take_object, take_text};
use strata_model::{Base64, Blob, FileData, FunctionCall, FunctionResponse, Json, Object, Part, Str, json};

use crate::unread::UnreadFields;

/// What a message's content says.
#[derive(Debug, Default)]
pub struct Blocks {
    pub parts: Vec<Part>,
    /// Ids of the calls it answers.
    pub answered: Vec<Str>,
    pub images: u64,
    pub largest_image_base64_chars: u64,
    /// Bytes of text in the largest tool result.
    pub largest_result_bytes: u64,
}

/// Reads content. `owner` names the record type for the fields that are not carried; `name_of` knows tools by call.
pub fn read(
    content: Json,
    owner: &str,
    name_of: impl Fn(&str) -> Option<Str>,
    unread: &mut dyn UnreadFields,
) -> Blocks {
    let mut reader = Reader { blocks: Blocks::default(), owner, unread, name_of: &name_of };
    match content {
        Json::String(text) => reader.push(Part::from_text(text)),
        Json::Array(blocks) => blocks.into_iter().for_each(|block| reader.block(block)),
        Json::Null => {}
        other => reader.unread.field(owner, "content", &other),
    }
    reader.blocks
}

struct Reader<'r> {
    blocks: Blocks,
    owner: &'r str,
    unread: &'r mut dyn UnreadFields,
    name_of: &'r dyn Fn(&str) -> Option<Str>,
}

impl Reader<'_> {
    fn push(&mut self, part: Part) {
        self.blocks.parts.push(part);
    }

    fn block(&mut self, block: Json) {
        let mut block = match block {
            Json::Object(block) => block,
            Json::String(text) => return self.push(Part::from_text(text)),
            other => return self.unread.field(self.owner, "content[]", &other),
        };
        let kind = take_text(&mut block, "type").unwrap_or_default();
        match &*kind {
            "text" => self.text(block),
            "thinking" => self.thinking(block),
            "redacted_thinking" => self.redacted_thinking(block),
            "tool_use" => self.tool_use(block),
            "tool_result" => self.tool_result(block),
            "image" | "document" => self.media(&kind, block),
            "server_tool_use" => self.server_tool("toolCall", "args", "input", &kind, block),
            kind if kind.ends_with("_tool_result") => {
                self.server_tool("toolResponse", "response", "content", kind, block);
            }
            kind => self.unknown(kind, block),
        }
    }

    fn text(&mut self, mut block: Object) {
        let text = take_text(&mut block, "text").unwrap_or_default();
        self.note_rest("text", &block);
        self.push(Part::from_text(text));
    }

    fn thinking(&mut self, mut block: Object) {
        let mut part = Part::from_text(take_text(&mut block, "thinking").unwrap_or_default());
        part.thought = Some(true);
        match take_text(&mut block, "signature") {
            Some(signature) if is_base64(&signature) => part.thought_signature = Some(Base64::new(signature)),
            Some(other) => part.other.push("partMetadata", Object::from_iter([("signature", other)])),
            None => {}
        }
        self.note_rest("thinking", &block);
        self.push(part);
    }

    /// A thought of which only the provider can read the words.
    fn redacted_thinking(&mut self, mut block: Object) {
        let mut part = Part::from_text("");
        part.thought = Some(true);
        part.thought_signature = take_text(&mut block, "data").map(Base64::new);
        part.other.push("partMetadata", Object::from_iter([("encrypted", true)]));
        self.note_rest("redacted_thinking", &block);
        self.push(part);
    }

    fn tool_use(&mut self, mut block: Object) {
        let args = match block.remove("input") {
            Some(Json::Object(args)) => Some(args),
            Some(Json::Null) | None => None,
            Some(other) => Some(Object::from_iter([("input", other)])),
        };
        let call = FunctionCall {
            id: take_text(&mut block, "id"),
            name: take_text(&mut block, "name"),
            args: args.map(Arc::new),
            ..FunctionCall::default()
        };
        self.note_rest("tool_use", &block);
        self.push(Part::from_call(call));
    }

    fn tool_result(&mut self, mut block: Object) {
        let id = take_text(&mut block, "tool_use_id");
        let mut response = FunctionResponse {
            name: id.as_deref().and_then(self.name_of),
            id: id.clone(),
            ..FunctionResponse::default()
        };
        let mut answer = self.answer(block.remove("content"), &mut response);
        if block.remove("is_error").is_some_and(|flag| flag.is_truthy()) {
            answer.push("isError", true);
        }
        response.response = Some(Arc::new(answer));
        self.blocks.answered.extend(id);
        self.note_rest("tool_result", &block);
        self.push(Part::from_response(response));
    }

    /// What a tool returned, in the shape ADK gives it: text under `result`, a list under `content`, media apart.
    fn answer(&mut self, content: Option<Json>, response: &mut FunctionResponse) -> Object {
        let mut answer = Object::new();
        let text_bytes = match content {
            Some(Json::Array(blocks)) => {
                let mut rest = Vec::with_capacity(blocks.len());
                let mut media = Vec::new();
                for block in blocks {
                    match self.image_of(block) {
                        Ok(part) => media.push(strata_model::FromJson::to_json(&part)),
                        Err(block) => rest.push(block),
                    }
                }
                if !media.is_empty() {
                    response.other.push("parts", media);
                }
                let texts = rest.iter().filter_map(|block| block.get("text")?.as_str());
                let bytes = texts.map(str::len).sum();
                if !rest.is_empty() {
                    answer.push("content", rest);
                }
                bytes
            }
            Some(Json::String(text)) => {
                let bytes = text.len();
                answer.push("result", text);
                bytes
            }
            Some(Json::Null) | None => 0,
            Some(other) => {
                let bytes = json::compact_len(&other);
                answer.push("result", other);
                bytes
            }
        };
        self.blocks.largest_result_bytes = self.blocks.largest_result_bytes.max(text_bytes as u64);
        answer
    }

    /// The media of an image block; the block itself when it is none.
    fn image_of(&mut self, block: Json) -> Result<Part, Json> {
        let is_image = matches!(block.get("type").and_then(Json::as_str), Some("image"));
        match block {
            Json::Object(mut block) if is_image => {
                let kind = block.remove("type");
                self.media_part("image", block).map_err(|mut block| {
                    block.push_some("type", kind);
                    Json::Object(block)
                })
            }
            other => Err(other),
        }
    }

    fn media(&mut self, kind: &str, block: Object) {
        match self.media_part(kind, block) {
            Ok(part) => self.push(part),
            Err(block) => self.unknown(kind, block),
        }
    }

    /// An image or a document, from any of the sources the API knows; the block itself when it is something else.
    fn media_part(&mut self, kind: &str, mut block: Object) -> Result<Part, Object> {
        let Some(mut source) = take_object(&mut block, "source") else { return Err(block) };
        let source_kind = source.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        let (data, url) = (take_text(&mut source, "data"), take_text(&mut source, "url"));
        let mime_type = take_text(&mut source, "media_type");
        let mut part = Part::default();
        match (&*source_kind, data, url) {
            ("base64", Some(data), None) => {
                self.count_image(kind, &data);
                let data = Some(Base64::new(data));
                part.inline_data = Some(Box::new(Blob { data, mime_type, ..Blob::default() }));
            }
            ("text", Some(text), None) => part.text = Some(text),
            (_, None, Some(url)) => {
                let file_uri = Some(url);
                part.file_data = Some(Box::new(FileData { file_uri, mime_type, ..FileData::default() }));
            }
            (_, data, url) => {
                source.push_some("data", data);
                source.push_some("url", url);
                source.push_some("media_type", mime_type);
                block.push("source", source);
                return Err(block);
            }
        }
        source.remove("type");
        self.note_rest(kind, &block);
        self.note_rest(&format!("{kind}.source"), &source);
        Ok(part)
    }

    fn count_image(&mut self, kind: &str, data: &str) {
        if kind == "image" {
            self.blocks.images += 1;
            let largest = &mut self.blocks.largest_image_base64_chars;
            *largest = (*largest).max(data.len() as u64);
        }
    }

    /// A tool that ran at the provider, in the shape genai gives it.
    fn server_tool(&mut self, field: &str, payload: &str, key: &str, kind: &str, mut block: Object) {
        let mut tool = Object::new();
        let id = if field == "toolCall" { "id" } else { "tool_use_id" };
        tool.push_some("id", take_text(&mut block, id));
        let name = take_text(&mut block, "name").unwrap_or_else(|| kind.into());
        tool.push("toolType", name);
        tool.push_some(payload, block.remove(key));
        self.note_rest(kind, &block);
        let mut part = Part::default();
        part.other.push(field, tool);
        self.push(part);
    }

    /// A block this version does not know is carried as it is; nothing of it counts as words.
    fn unknown(&mut self, kind: &str, mut block: Object) {
        let owner = format!("{}.content", self.owner);
        let kind = if kind.is_empty() { "block without a type" } else { kind };
        self.unread.field(&owner, kind, &Json::Bool(true));
        block.insert("type", kind);
        let mut part = Part::default();
        part.other.push("partMetadata", block);
        self.push(part);
    }

    fn note_rest(&mut self, kind: &str, block: &Object) {
        if !block.is_empty() {
            self.unread.rest(&format!("{}.content.{kind}", self.owner), block);
        }
    }
}

fn is_base64(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'='))
}
