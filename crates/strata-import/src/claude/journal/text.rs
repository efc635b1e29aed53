//! Content that is one text, which is sent as a text or as a list of one block.

use strata_model::{Json, Object, Str};

pub(super) fn block(text: Str) -> Json {
    Json::Object(Object::from_iter([("type", Json::from("text")), ("text", Json::String(text))]))
}

/// The text of a list that holds one block with a text and nothing else.
pub(super) fn lone(content: &Json) -> Option<Str> {
    let [Json::Object(block)] = content.as_array()? else { return None };
    let is_text = block.len() == 2 && block.get("type").and_then(Json::as_str) == Some("text");
    match block.get("text") {
        Some(Json::String(text)) if is_text => Some(text.clone()),
        _ => None,
    }
}
