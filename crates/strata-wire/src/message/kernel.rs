//! Messages of Semantic Kernel, whose content stands in `items`. .NET begins the names of members with capitals.

use strata_model::take::{take_any, take_first_text, take_object};
use strata_model::{Json, Object};

/// What .NET calls counts, and what the provider called them.
const COUNTS: [(&str, &str); 7] = [
    ("inputTokenCount", "prompt_tokens"),
    ("outputTokenCount", "completion_tokens"),
    ("totalTokenCount", "total_tokens"),
    ("inputTokenDetails", "prompt_tokens_details"),
    ("outputTokenDetails", "completion_tokens_details"),
    ("cachedTokenCount", "cached_tokens"),
    ("reasoningTokenCount", "reasoning_tokens"),
];

/// A message with its content and its role where other dialects have them.
pub(super) fn renamed(message: Object) -> Object {
    let mut message = uncapitalized(message);
    let has_items = matches!(message.get("items"), Some(Json::Array(items)) if items.iter().any(is_item));
    if !has_items {
        return message;
    }
    if let Some(mut role) = take_object(&mut message, "role") {
        message.push_some("role", take_first_text(&mut role, &["label", "Label"]));
    }
    message.remove("content_type");
    // What the provider said of an answer.
    let mut about = take_object(&mut message, "metadata").unwrap_or_default();
    if let Some(counts) = take_object(&mut about, "usage") {
        about.insert("usage", as_the_provider_counts(counts));
    }
    for (own, name) in [
        ("usage", "usage"),
        ("id", "id"),
        ("completionId", "id"),
        ("created", "created_at"),
        ("createdAt", "created_at"),
    ] {
        if !message.contains_key(name) {
            message.push_some(name, about.remove(own).filter(|value| !value.is_null()));
        }
    }
    about.retain(|_, value| !value.is_null());
    message.push_some("metadata", Some(about).filter(|about| !about.is_empty()));
    let model = take_any(&mut message, &["ai_model_id", "modelId"]);
    message.push_some("model", model);
    let items = message.remove("items");
    if let Some(Json::Array(items)) = items {
        let blocks: Vec<Json> = items.into_iter().map(block).collect();
        message.insert("content", blocks);
    }
    message
}

/// A message of .NET, and its items, with the names that other versions have. What was said keeps its own.
fn uncapitalized(mut message: Object) -> Object {
    if !matches!(message.get("Items"), Some(Json::Array(_))) || !message.contains_key("Role") {
        return message;
    }
    if let Some(Json::Array(items)) = message.get_mut("Items") {
        for item in items {
            if let Json::Object(of) = item {
                *of = lowered(std::mem::take(of));
                // What is said of the answer as a whole is said of its first text once more.
                of.remove("metadata");
                of.remove("modelId");
            }
        }
    }
    let mut message = lowered(message);
    if let Some(about) = take_object(&mut message, "metadata") {
        message.insert("metadata", lowered(about));
    }
    message
}

/// Members by names that begin with a small letter.
fn lowered(object: Object) -> Object {
    let members = object.into_iter().map(|(key, value)| {
        let mut letters = key.chars();
        let first = letters.next().map(|first| first.to_ascii_lowercase());
        (first.into_iter().chain(letters).collect::<String>(), value)
    });
    members.collect()
}

fn as_the_provider_counts(counts: Object) -> Object {
    let members = lowered(counts).into_iter().map(|(key, value)| {
        let name = COUNTS.iter().find(|(own, _)| **own == *key).map_or(&*key, |(_, name)| *name).to_owned();
        let value = match value {
            Json::Object(inner) => Json::Object(as_the_provider_counts(inner)),
            other => other,
        };
        (name, value)
    });
    members.collect()
}

fn is_item(item: &Json) -> bool {
    ["content_type", "$type"].iter().any(|key| item.get(key).is_some())
}

/// An item as a block with a `type`.
fn block(item: Json) -> Json {
    let Json::Object(mut item) = item else { return item };
    let kind = take_first_text(&mut item, &["content_type", "$type"]).unwrap_or_default();
    let kind = match &*kind {
        "TextContent" => "text",
        "ReasoningContent" => "reasoning",
        "FunctionCallContent" | "function_call" => "function_call",
        "FunctionResultContent" | "function_result" => "function_response",
        "ImageContent" => "image",
        "AudioContent" => "audio",
        "BinaryContent" | "binary" | "FileReferenceContent" | "file_reference" => "file",
        kind => kind,
    };
    let kind = kind.to_owned();
    if kind.starts_with("function") {
        // A result repeats what it was called with.
        if let Some(Json::Object(about)) = item.get_mut("metadata") {
            about.remove("arguments");
            about.remove("used_arguments");
        }
        let call = take_first_text(&mut item, &["callId", "call_id"]);
        let id = take_first_text(&mut item, &["id"]).or(call);
        item.push_some("id", id);
        let name = take_any(&mut item, &["function_name", "functionName"]);
        let plugin = take_any(&mut item, &["plugin_name", "pluginName"]);
        // The model was given the name of the plugin with that of its function.
        if let Some(Json::String(name)) = name.filter(|_| item.get("name").is_none()) {
            let plugin = plugin.as_ref().and_then(Json::as_str).filter(|plugin| !plugin.is_empty());
            item.insert("name", plugin.map_or_else(|| name.to_string(), |plugin| format!("{plugin}-{name}")));
        }
    }
    let data = take_first_text(&mut item, &["data_uri", "dataUri"]);
    if let Some(data) = data {
        item.insert("url", data);
    }
    if item.get("metadata").and_then(Json::as_object).is_some_and(Object::is_empty) {
        item.remove("metadata");
    }
    item.insert("type", kind);
    Json::Object(item)
}
