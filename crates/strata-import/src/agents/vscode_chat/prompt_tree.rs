//! Texts of prompts as the library that renders them keeps them.

use strata_model::Json;

/// The text of a tool's result, which is text or a rendered tree.
pub(super) fn text_of(content: &Json) -> Option<String> {
    let value = content.get("value").unwrap_or(content);
    match value {
        Json::String(text) => Some(text.to_string()),
        Json::Object(_) => {
            let node = value.get("node")?;
            let mut text = String::new();
            add(node, &mut text, 0);
            Some(text)
        }
        _ => None,
    }
}

/// No tree of a prompt is as deep.
const DEEPEST: usize = 128;

fn add(node: &Json, text: &mut String, depth: usize) {
    if let Some(own) = node.get("text").and_then(Json::as_str) {
        let breaks = node.get("lineBreakBefore").is_some_and(Json::is_truthy);
        if breaks && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(own);
    }
    if depth < DEEPEST {
        for child in node.get("children").and_then(Json::as_array).unwrap_or_default() {
            add(child, text, depth + 1);
        }
    }
}

/// The text of a rendered message: a text, or parts with a `text`.
pub(super) fn rendered(message: &Json) -> String {
    match message {
        Json::String(text) => text.to_string(),
        Json::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::text_of;

    #[test]
    fn a_tree_is_read_in_the_order_of_its_texts() {
        let tree = br#"{"value":{"node":{"type":1,"children":[{"type":2,"text":"a"},
            {"type":1,"children":[{"type":2,"text":"b","lineBreakBefore":true}]},{"type":2,"text":"c"}]}}}"#;
        assert_eq!(text_of(&json::parse(tree).unwrap()).as_deref(), Some("a\nbc"));
        assert_eq!(text_of(&json::parse(br#"{"value":"plain"}"#).unwrap()).as_deref(), Some("plain"));
    }
}
