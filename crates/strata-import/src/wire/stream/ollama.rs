//! Streams of Ollama: an answer a line, of which the last is done and has the counts.

use strata_model::{Json, Object};

use super::{append, fill};
use crate::take::{take_list, take_object, take_text};

pub(super) fn is_piece(piece: &Object) -> bool {
    piece.get("done").and_then(Json::as_bool).is_some()
        && (piece.contains_key("message") || piece.contains_key("response"))
}

/// Whether what came before is a whole answer.
pub(super) fn begins(before: &[Json]) -> bool {
    before
        .last()
        .and_then(Json::as_object)
        .is_some_and(|last| is_piece(last) && last.get("done").and_then(Json::as_bool) == Some(true))
}

pub(super) fn whole(pieces: Vec<Json>) -> Object {
    let mut whole = Object::new();
    let mut message = Object::from_iter([("role", "assistant")]);
    let mut calls = Vec::new();
    for piece in pieces {
        let Json::Object(mut piece) = piece else { continue };
        let mut delta = take_object(&mut piece, "message").unwrap_or_default();
        for key in ["content", "thinking"] {
            if let Some(more) = take_text(&mut delta, key) {
                append(&mut message, key, &more);
            }
        }
        if let Some(more) = take_text(&mut piece, "response") {
            append(&mut message, "content", &more);
        }
        calls.extend(take_list(&mut delta, "tool_calls").unwrap_or_default());
        fill(&mut message, delta);
        fill(&mut whole, piece);
    }
    if !calls.is_empty() {
        message.insert("tool_calls", calls);
    }
    whole.insert("message", message);
    whole
}
