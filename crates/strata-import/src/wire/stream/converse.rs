//! Streams of Bedrock's Converse: an object an event, named by its only key.

use std::collections::BTreeMap;

use strata_model::{Json, Object, json};

use super::{append, fill};
use crate::take::{take_object, take_text};

const EVENTS: [&str; 6] =
    ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"];

pub(super) fn is_piece(piece: &Object) -> bool {
    piece.len() == 1 && piece.keys().all(|key| EVENTS.contains(&&**key) || key.ends_with("Exception"))
}

pub(super) fn whole(pieces: Vec<Json>) -> Object {
    let mut whole = Object::new();
    let mut blocks: BTreeMap<i64, (Object, String)> = BTreeMap::new();
    for piece in pieces {
        let Json::Object(piece) = piece else { continue };
        for (name, event) in piece {
            let Json::Object(mut event) = event else { continue };
            let index = event.get("contentBlockIndex").and_then(Json::as_i64).unwrap_or(0);
            match &*name {
                "contentBlockStart" => {
                    let start = take_object(&mut event, "start").unwrap_or_default();
                    blocks.insert(index, (start, String::new()));
                }
                "contentBlockDelta" => {
                    let delta = take_object(&mut event, "delta").unwrap_or_default();
                    grow(blocks.entry(index).or_default(), delta);
                }
                "messageStop" | "metadata" => {
                    event.remove("p");
                    fill(&mut whole, event);
                }
                name if name.ends_with("Exception") => {
                    event.push("type", name);
                    whole.insert("error", event);
                }
                _ => {}
            }
        }
    }
    let blocks: Vec<Json> = blocks.into_values().map(finished).collect();
    let message = Object::from_iter([("role", Json::from("assistant")), ("content", Json::Array(blocks))]);
    whole.insert("output", Object::from_iter([("message", Json::Object(message))]));
    whole
}

fn grow((block, input): &mut (Object, String), mut delta: Object) {
    if let Some(more) = take_text(&mut delta, "text") {
        append(block, "text", &more);
    }
    if let Some(mut tool) = take_object(&mut delta, "toolUse") {
        *input += &take_text(&mut tool, "input").unwrap_or_default();
    }
    if let Some(mut reasoning) = take_object(&mut delta, "reasoningContent") {
        let mut known = take_object(block, "reasoningContent").unwrap_or_default();
        let mut inner = take_object(&mut known, "reasoningText").unwrap_or_default();
        for key in ["text", "signature"] {
            if let Some(more) = take_text(&mut reasoning, key) {
                append(&mut inner, key, &more);
            }
        }
        known.insert("reasoningText", inner);
        fill(&mut known, reasoning);
        block.insert("reasoningContent", known);
    }
    fill(block, delta);
}

fn finished((mut block, input): (Object, String)) -> Json {
    if let Some(mut tool) = take_object(&mut block, "toolUse") {
        if !input.is_empty() {
            tool.insert("input", json::parse(input.as_bytes()).unwrap_or_else(|_| input.into()));
        }
        block.insert("toolUse", tool);
    }
    Json::Object(block)
}
