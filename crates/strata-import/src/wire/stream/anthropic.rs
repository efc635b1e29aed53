//! Streams of the Messages API: `message_start`, blocks that grow by deltas, `message_delta` with the final counts.

use std::collections::BTreeMap;

use strata_model::{Json, Object, json};

use super::{append, fill};
use crate::take::{take_object, take_text};

pub(super) fn is_piece(kind: &str) -> bool {
    let kinds = ["message_start", "message_delta", "message_stop"];
    kinds.contains(&kind) || kind.starts_with("content_block_")
}

pub(super) fn whole(pieces: Vec<Json>) -> Object {
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
                fill(&mut message, take_object(&mut piece, "delta").unwrap_or_default());
                let mut usage = take_object(&mut message, "usage").unwrap_or_default();
                fill(&mut usage, take_object(&mut piece, "usage").unwrap_or_default());
                message.insert("usage", usage);
                fill(&mut message, piece);
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
        delta.remove("type");
        fill(&mut self.fields, delta);
    }

    fn finished(mut self) -> Object {
        if !self.input.is_empty() {
            let input = json::parse(self.input.as_bytes()).unwrap_or_else(|_| self.input.into());
            self.fields.insert("input", input);
        }
        self.fields
    }
}
