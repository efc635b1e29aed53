//! Streams of the Responses API. The last event has the whole answer, but servers may leave its items out, and a stream
//! may break off before it: then the items are those that were streamed.

use std::collections::BTreeMap;

use strata_model::{Json, Object};

use super::{append, fill, kind};
use crate::take::{take_list, take_object, take_text};

pub(super) fn whole(pieces: Vec<Json>) -> Object {
    let mut whole = Object::new();
    let mut items: BTreeMap<i64, Object> = BTreeMap::new();
    for piece in pieces {
        let Json::Object(mut piece) = piece else { continue };
        let name = kind(&piece).to_owned();
        if let Some(response) = take_object(&mut piece, "response") {
            fill(&mut whole, response);
        }
        let at = piece.get("output_index").and_then(Json::as_i64).unwrap_or(0);
        match &*name {
            "response.output_item.added" | "response.output_item.done" => {
                items.insert(at, take_object(&mut piece, "item").unwrap_or_default());
            }
            "error" => {
                let error = take_object(&mut piece, "error").unwrap_or(piece);
                whole.insert("error", error);
            }
            name if name.rsplit('.').next() == Some("delta") => {
                if let (Some(item), Some(more)) = (items.get_mut(&at), take_text(&mut piece, "delta")) {
                    let place =
                        ["content_index", "summary_index"].iter().find_map(|key| piece.get(key)?.as_i64());
                    grow(item, name, usize::try_from(place.unwrap_or(0)).unwrap_or(0), &more);
                }
            }
            _ => {}
        }
    }
    let has_items = whole.get("output").and_then(Json::as_array).is_some_and(|output| !output.is_empty());
    if !has_items {
        whole.insert("output", items.into_values().map(Json::Object).collect::<Vec<_>>());
    }
    whole
}

/// Adds a piece to an item that is not done.
fn grow(item: &mut Object, event: &str, place: usize, more: &str) {
    /// No item has more pieces of content.
    const MAX_PLACES: usize = 4096;
    let (list, kind) = match event {
        "response.output_text.delta" => ("content", "output_text"),
        "response.refusal.delta" => ("content", "refusal"),
        "response.reasoning_text.delta" => ("content", "reasoning_text"),
        "response.reasoning_summary_text.delta" => ("summary", "summary_text"),
        "response.function_call_arguments.delta" => return append(item, "arguments", more),
        "response.custom_tool_call_input.delta" => return append(item, "input", more),
        "response.code_interpreter_call_code.delta" => return append(item, "code", more),
        _ => return,
    };
    let mut pieces = take_list(item, list).unwrap_or_default();
    while pieces.len() <= place.min(MAX_PLACES) {
        pieces.push(Object::from_iter([("type", kind)]).into());
    }
    if let Some(Json::Object(piece)) = pieces.get_mut(place) {
        append(piece, if kind == "refusal" { "refusal" } else { "text" }, more);
    }
    item.insert(list, pieces);
}
