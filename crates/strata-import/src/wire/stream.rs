//! Streamed answers, put together into the answer they would have been in one piece.

use std::collections::BTreeMap;

use strata_model::{Json, Object, json};

use crate::take::{take_list, take_object, take_text};

/// Whether a text is that of server-sent events.
pub(super) fn is_stream(text: &str) -> bool {
    text.lines().take(20).any(|line| line.starts_with("data:") || line.starts_with("event:"))
}

/// The whole answer, from the text of its stream.
pub(super) fn assembled(text: &str) -> Option<Object> {
    let payloads = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let values = payloads.filter_map(|payload| json::parse(payload.trim().as_bytes()).ok());
    joined(values.collect()).ok()
}

/// The whole answer, from the pieces of its stream; the list itself when they are no pieces.
pub(super) fn joined(pieces: Vec<Json>) -> Result<Object, Vec<Json>> {
    let objects = || pieces.iter().filter_map(Json::as_object);
    let kind = |object: &Object| object.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
    if objects().any(|piece| kind(piece) == "message_start") {
        Ok(anthropic(pieces))
    } else if let Some(last) =
        objects().rfind(|piece| kind(piece).starts_with("response.") && piece.contains_key("response"))
    {
        last.get("response").and_then(Json::as_object).cloned().ok_or(Vec::new())
    } else if objects().any(|piece| piece.get("choices").is_some_and(|it| it.as_array().is_some())) {
        Ok(chat(pieces))
    } else if objects().any(|piece| piece.contains_key("candidates")) {
        Ok(gemini(pieces))
    } else if let Some(error) = objects().find(|piece| kind(piece) == "error") {
        Ok(error.clone())
    } else {
        Err(pieces)
    }
}

/// `message_start`, blocks that grow by deltas, `message_delta` with the final counts.
fn anthropic(pieces: Vec<Json>) -> Object {
    let mut message = Object::new();
    let mut blocks: BTreeMap<i64, Block> = BTreeMap::new();
    for piece in pieces {
        let Json::Object(mut piece) = piece else { continue };
        let index = piece.get("index").and_then(Json::as_i64).unwrap_or(0);
        match &*take_text(&mut piece, "type").unwrap_or_default() {
            "message_start" => message = take_object(&mut piece, "message").unwrap_or_default(),
            "content_block_start" => {
                let fields = take_object(&mut piece, "content_block").unwrap_or_default();
                blocks.insert(index, Block { fields, input: String::new() });
            }
            "content_block_delta" => {
                if let (Some(block), Some(delta)) = (blocks.get_mut(&index), take_object(&mut piece, "delta"))
                {
                    block.grow(delta);
                }
            }
            "message_delta" => {
                message.update(&take_object(&mut piece, "delta").unwrap_or_default());
                let mut usage = take_object(&mut message, "usage").unwrap_or_default();
                usage.update(&take_object(&mut piece, "usage").unwrap_or_default());
                message.insert("usage", usage);
            }
            "error" => {
                message.insert("error", piece.remove("error").unwrap_or_default());
            }
            _ => {}
        }
    }
    let blocks: Vec<Json> = blocks.into_values().map(|block| block.finished().into()).collect();
    message.insert("content", blocks);
    message
}

struct Block {
    fields: Object,
    input: String,
}

impl Block {
    fn grow(&mut self, mut delta: Object) {
        for key in ["text", "thinking", "signature"] {
            if let Some(more) = take_text(&mut delta, key) {
                append(&mut self.fields, key, &more);
            }
        }
        if let Some(more) = take_text(&mut delta, "partial_json") {
            self.input += &more;
        }
        if let Some(citation) = delta.remove("citation") {
            match self.fields.get_mut("citations") {
                Some(Json::Array(citations)) => citations.push(citation),
                _ => {
                    self.fields.insert("citations", vec![citation]);
                }
            }
        }
        if let Some(content) = delta.remove("content") {
            self.fields.insert("content", content);
        }
    }

    fn finished(mut self) -> Object {
        if !self.input.is_empty() {
            let input = json::parse(self.input.as_bytes()).unwrap_or_else(|_| self.input.into());
            self.fields.insert("input", input);
        }
        self.fields
    }
}

fn append(object: &mut Object, key: &str, more: &str) {
    let whole = object.get(key).and_then(Json::as_str).unwrap_or_default().to_owned() + more;
    object.insert(key, whole);
}

/// Chunks whose deltas add up; the usage is in the last.
fn chat(pieces: Vec<Json>) -> Object {
    let mut whole = Object::new();
    let mut message = Object::from_iter([("role", Json::from("assistant"))]);
    let mut calls: BTreeMap<i64, Object> = BTreeMap::new();
    let mut finish = Json::Null;
    for piece in pieces {
        let Json::Object(mut piece) = piece else { continue };
        for choice in take_list(&mut piece, "choices").unwrap_or_default() {
            let Json::Object(mut choice) = choice else { continue };
            if choice.get("index").and_then(Json::as_i64).unwrap_or(0) > 0 {
                continue;
            }
            let mut delta = take_object(&mut choice, "delta").unwrap_or_default();
            for key in ["content", "refusal", "reasoning_content", "reasoning"] {
                if let Some(more) = take_text(&mut delta, key) {
                    append(&mut message, key, &more);
                }
            }
            for call in take_list(&mut delta, "tool_calls").unwrap_or_default() {
                add_call(call, &mut calls);
            }
            if let Some(reason) = choice.remove("finish_reason").filter(|reason| !reason.is_null()) {
                finish = reason;
            }
        }
        piece.retain(|_, value| !value.is_null());
        whole.update(&piece);
    }
    if !calls.is_empty() {
        message.insert("tool_calls", calls.into_values().map(Json::Object).collect::<Vec<_>>());
    }
    let choice = Object::from_iter([("message", Json::Object(message)), ("finish_reason", finish)]);
    whole.insert("choices", vec![Json::Object(choice)]);
    whole
}

fn add_call(call: Json, calls: &mut BTreeMap<i64, Object>) {
    let Json::Object(mut call) = call else { return };
    let index = call.get("index").and_then(Json::as_i64).unwrap_or(calls.len() as i64);
    let whole = calls.entry(index).or_default();
    let mut function = take_object(&mut call, "function").unwrap_or_default();
    let mut known = take_object(whole, "function").unwrap_or_default();
    for key in ["name", "arguments"] {
        if let Some(more) = take_text(&mut function, key) {
            append(&mut known, key, &more);
        }
    }
    call.retain(|_, value| !value.is_null());
    whole.update(&call);
    whole.insert("function", known);
}

/// Answers whose parts follow one another; the counts of the last are those of all.
fn gemini(pieces: Vec<Json>) -> Object {
    let mut whole = Object::new();
    let mut parts: Vec<Json> = Vec::new();
    let mut candidate = Object::new();
    for piece in pieces {
        let Json::Object(mut piece) = piece else { continue };
        for one in take_list(&mut piece, "candidates").unwrap_or_default().into_iter().take(1) {
            let Json::Object(mut one) = one else { continue };
            let mut content = take_object(&mut one, "content").unwrap_or_default();
            for part in take_list(&mut content, "parts").unwrap_or_default() {
                add_part(part, &mut parts);
            }
            candidate.update(&one);
        }
        whole.update(&piece);
    }
    let content = Object::from_iter([("role", Json::from("model")), ("parts", Json::Array(parts))]);
    candidate.insert("content", content);
    whole.insert("candidates", vec![Json::Object(candidate)]);
    whole
}

/// Text that goes on in the next piece is one part.
fn add_part(part: Json, parts: &mut Vec<Json>) {
    let is_text = |part: &Object| {
        part.get("text").and_then(Json::as_str).is_some()
            && part.keys().all(|key| matches!(&**key, "text" | "thought"))
    };
    if let (Some(Json::Object(last)), Json::Object(next)) = (parts.last_mut(), &part)
        && is_text(last)
        && is_text(next)
        && last.get("thought") == next.get("thought")
    {
        let more = next.get("text").and_then(Json::as_str).unwrap_or_default().to_owned();
        append(last, "text", &more);
        return;
    }
    parts.push(part);
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json::object_to_compact;

    #[test]
    fn every_stream_gives_the_answer_it_would_have_been_in_one_piece() {
        let chat = "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"He\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"llo\",\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3}}\n\ndata: [DONE]\n";
        let whole = object_to_compact(&assembled(chat).unwrap());
        assert!(whole.contains(r#""content":"Hello""#) && whole.contains(r#""arguments":"{}""#), "{whole}");
        assert!(
            whole.contains(r#""prompt_tokens":3"#) && whole.contains(r#""finish_reason":"stop""#),
            "{whole}"
        );
        let anthropic = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":3}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n";
        let whole = object_to_compact(&assembled(anthropic).unwrap());
        assert_eq!(
            whole,
            r#"{"id":"m","stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2},"content":[{"type":"text","text":"Hi"}]}"#
        );
        let gemini = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1}}\n";
        let whole = object_to_compact(&assembled(gemini).unwrap());
        assert!(whole.contains(r#""parts":[{"text":"ab"}]"#), "{whole}");
        assert!(assembled("data: 5\n").is_none());
    }
}
