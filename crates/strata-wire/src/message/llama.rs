//! Messages of LlamaIndex, whose content stands in `blocks`, and whose calls are often told twice.

use strata_model::take::{take_any, take_first_text, take_list, take_object};
use strata_model::{Json, Object};

/// A message with its content where other dialects have it.
pub(super) fn renamed(mut message: Object) -> Object {
    let is_block = |block: &Json| block.get("block_type").is_some();
    let has_blocks = match message.get("blocks") {
        Some(Json::Array(blocks)) => blocks.iter().all(is_block),
        _ => false,
    };
    if !has_blocks {
        return message;
    }
    let blocks = take_list(&mut message, "blocks").unwrap_or_default();
    let mut beside = take_object(&mut message, "additional_kwargs").unwrap_or_default();
    // The provider's own calls, in the shape it has them.
    if blocks.iter().any(|block| block.get("block_type").and_then(Json::as_str) == Some("tool_call")) {
        beside.remove("tool_calls");
    }
    let blocks: Vec<Json> = blocks.into_iter().map(block).collect();
    message.insert("content", blocks);
    for (key, value) in beside {
        if !value.is_null() && !message.contains_key(&key) {
            message.push(key, value);
        }
    }
    message
}

/// A block with the names that other dialects have.
fn block(block: Json) -> Json {
    let Json::Object(mut block) = block else { return block };
    let kind = take_first_text(&mut block, &["block_type"]).unwrap_or_default();
    let kind = match &*kind {
        "thinking" => "reasoning",
        kind => kind,
    };
    let kind = kind.to_owned();
    match &*kind {
        "tool_call" => {
            for (own, name) in [("tool_call_id", "id"), ("tool_name", "name"), ("tool_kwargs", "arguments")] {
                let value = take_any(&mut block, &[own]);
                block.push_some(name, value);
            }
        }
        "image" | "audio" | "document" | "video" => file(&kind, &mut block),
        _ => {}
    }
    block.retain(|_, value| !value.is_null());
    block.insert("type", kind);
    Json::Object(block)
}

/// A file as the Messages API has it: its bytes or its address in a `source`.
fn file(kind: &str, block: &mut Object) {
    let data = take_any(block, &["data", kind]);
    let address = take_any(block, &["url", "path"]);
    let mut source = Object::new();
    source.push("type", if data.is_some() { "base64" } else { "url" });
    source.push_some("data", data);
    source.push_some("url", address);
    let format = take_any(block, &[&format!("{kind}_mimetype"), "format"]);
    source.push_some("media_type", format);
    block.insert("source", source);
}
