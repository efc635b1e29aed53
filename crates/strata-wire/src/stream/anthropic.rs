//! Streams of the Messages API: `message_start`, blocks that grow by deltas, `message_delta` with the final counts.

use std::collections::BTreeMap;

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object, Str, json};

use super::grow::{Delta, PartialAnswer, Sink, Texts, fill, kind, tell};

pub(super) fn is_piece(kind: &str) -> bool {
    let kinds = ["message_start", "message_delta", "message_stop"];
    kinds.contains(&kind) || kind.starts_with("content_block_")
}

/// A message while it comes in.
#[derive(Debug, Default)]
pub(super) struct Message {
    fields: Object,
    blocks: BTreeMap<i64, Block>,
    is_begun: bool,
    is_over: bool,
}

#[derive(Debug, Default)]
struct Block {
    fields: Object,
    texts: Texts,
    input: String,
}

impl PartialAnswer for Message {
    fn take(&mut self, mut piece: Object, sink: Sink<'_>) -> bool {
        let index = piece.get("index").and_then(Json::as_i64).unwrap_or(0);
        match &*take_text(&mut piece, "type").unwrap_or_default() {
            "message_start" => {
                self.fields = take_object(&mut piece, "message").unwrap_or_default();
                self.is_begun = true;
            }
            "content_block_start" => {
                let fields = take_object(&mut piece, "content_block").unwrap_or_default();
                self.blocks.insert(index, Block::begun(fields, sink));
            }
            "content_block_delta" => {
                if let Some(delta) = take_object(&mut piece, "delta") {
                    self.blocks.entry(index).or_insert_with(|| Block::of(&delta)).grow(delta, sink);
                }
            }
            "message_delta" => {
                let delta = take_object(&mut piece, "delta").unwrap_or_default();
                self.is_over |= delta.get("stop_reason").is_some_and(Json::is_truthy);
                fill(&mut self.fields, delta);
                let mut usage = take_object(&mut self.fields, "usage").unwrap_or_default();
                fill(&mut usage, take_object(&mut piece, "usage").unwrap_or_default());
                self.fields.insert("usage", usage);
                fill(&mut self.fields, piece);
            }
            "message_stop" => self.is_over = true,
            "content_block_stop" | "ping" => {}
            _ => return false,
        }
        true
    }

    fn is_followed_by(&self, piece: &Object) -> bool {
        self.is_begun && kind(piece) == "message_start"
    }

    fn is_complete(&self) -> bool {
        self.is_over
    }

    fn into_body(self: Box<Self>) -> Object {
        let Self { fields: mut message, blocks, .. } = *self;
        let blocks: Vec<Json> = blocks.into_values().map(|block| block.finished().into()).collect();
        message.insert("content", blocks);
        message
    }
}

impl Block {
    fn begun(fields: Object, sink: Sink<'_>) -> Self {
        let text = |key: &str| match fields.get(key) {
            Some(Json::String(text)) => text.clone(),
            _ => Str::default(),
        };
        match kind(&fields) {
            "text" => tell(&text("text"), Delta::Text, sink),
            "thinking" => tell(&text("thinking"), Delta::Thought, sink),
            "tool_use" => sink(Delta::Call { name: text("name") }),
            _ => {}
        }
        Self { fields, ..Self::default() }
    }

    /// A block whose beginning was not seen.
    fn of(delta: &Object) -> Self {
        let kind = match kind(delta) {
            "thinking_delta" | "signature_delta" => "thinking",
            "input_json_delta" => "tool_use",
            _ => "text",
        };
        Self { fields: Object::from_iter([("type", kind)]), ..Self::default() }
    }

    fn grow(&mut self, mut delta: Object, sink: Sink<'_>) {
        for key in ["text", "thinking", "signature"] {
            if let Some(more) = take_text(&mut delta, key) {
                self.texts.append(key, &more);
                match key {
                    "text" => tell(&more, Delta::Text, sink),
                    "thinking" => tell(&more, Delta::Thought, sink),
                    _ => {}
                }
            }
        }
        if let Some(more) = take_text(&mut delta, "partial_json") {
            self.input += &more;
            tell(&more, Delta::Arguments, sink);
        }
        if let Some(citation) = delta.remove("citation") {
            match self.fields.get_mut("citations") {
                Some(Json::Array(citations)) => citations.push(citation),
                _ => {
                    self.fields.insert("citations", vec![citation]);
                }
            }
        }
        delta.remove("type");
        fill(&mut self.fields, delta);
    }

    fn finished(mut self) -> Object {
        self.texts.put_into(&mut self.fields);
        if !self.input.is_empty() {
            let input = json::parse(self.input.as_bytes()).unwrap_or_else(|_| self.input.into());
            self.fields.insert("input", input);
        }
        self.fields
    }
}
