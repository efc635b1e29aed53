//! Telling what was typed from what was injected, by what the interface recorded.

use strata_model::Json;

/// The prompt an event of the interface records.
pub(super) fn prompt_of(event: &Json) -> Option<String> {
    match event.get("type")?.as_str()? {
        "user_message" => Some(normal(event.get("message")?.as_str()?)),
        "item_completed" => {
            let item = event.get("item")?;
            if item.get("type")?.as_str()? != "UserMessage" {
                return None;
            }
            let texts = item.get("content")?.as_array()?.iter().filter_map(|it| it.get("text")?.as_str());
            Some(normal(&texts.collect::<Vec<_>>().join("\n")))
        }
        _ => None,
    }
}

/// A prompt as it is compared: without the white space around it and in it.
pub(super) fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
