//! Telling what was typed from what was injected, by what the interface recorded.

use strata_model::{Fingerprint, FingerprintBuilder, Json};

/// The prompt an event of the interface records.
pub(super) fn prompt_of(event: &Json) -> Option<Fingerprint> {
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

/// What a prompt is known by: its words, whatever white space stands around them and between.
pub(super) fn normal(text: &str) -> Fingerprint {
    let mut words = FingerprintBuilder::new();
    if text.is_ascii() {
        text.split_ascii_whitespace().for_each(|word| _ = words.text(word));
    } else {
        text.split_whitespace().for_each(|word| _ = words.text(word));
    }
    words.finish()
}
