//! Messages of Haystack, whose blocks are known by their only member, and which keep what a provider said in `meta`.

use strata_model::take::{take_any, take_object};
use strata_model::{Json, Object};

/// What blocks hold, besides a text.
const KINDS: [&str; 5] = ["tool_call", "tool_call_result", "image", "file", "reasoning"];

/// A message with its blocks, and what is said of it, where other dialects have them.
pub(super) fn renamed(mut message: Object) -> Object {
    let has_blocks =
        matches!(message.get("content"), Some(Json::Array(blocks)) if blocks.iter().all(is_block));
    if !has_blocks || !message.contains_key("name") {
        return message;
    }
    let Some(mut about) = take_object(&mut message, "meta") else { return message };
    for key in ["model", "usage", "finish_reason"] {
        if !message.contains_key(key) {
            message.push_some(key, take_any(&mut about, &[key]));
        }
    }
    message.push_some("meta", Some(about).filter(|about| !about.is_empty()));
    let content = message.remove("content");
    message.push_some("content", content.map(blocks));
    message
}

fn is_block(block: &Json) -> bool {
    let is_only = block.as_object().is_some_and(|block| block.len() == 1);
    is_only && KINDS.iter().chain(&["text"]).any(|kind| block.get(kind).is_some())
}

fn blocks(content: Json) -> Json {
    match content {
        Json::Array(blocks) => blocks.into_iter().map(block).collect::<Vec<_>>().into(),
        other => other,
    }
}

/// A block with a `type`; a text has no name of its own, and is known as it is.
fn block(block: Json) -> Json {
    let Json::Object(mut block) = block else { return block };
    let Some((kind, mut inner)) = KINDS.iter().find_map(|kind| Some((*kind, take_object(&mut block, kind)?)))
    else {
        return Json::Object(block);
    };
    let kind = match kind {
        "tool_call_result" => {
            answer(&mut inner);
            "tool_call_response"
        }
        kind => kind,
    };
    for (own, name) in [("base64_image", "data"), ("base64_data", "data"), ("reasoning_text", "text")] {
        let value = inner.remove(own);
        inner.push_some(name, value);
    }
    inner.retain(|_, value| {
        !matches!(value, Json::Object(of) if of.is_empty()) || kind.starts_with("tool_call")
    });
    inner.insert("type", kind);
    Json::Object(inner)
}

/// What a tool returned, with the call it answers, which the call itself has, too.
fn answer(result: &mut Object) {
    let mut origin = take_object(result, "origin").unwrap_or_default();
    for (own, name) in [("id", "id"), ("tool_name", "name")] {
        result.push_some(name, take_any(&mut origin, &[own]));
    }
    let error = result.remove("error");
    result.push_some("isError", error);
    let content = result.remove("result");
    result.push_some("result", content.map(blocks));
}
