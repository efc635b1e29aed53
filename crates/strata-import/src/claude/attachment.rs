//! Context the client attaches by itself: files, reminders, lists of tools and skills.

use strata_model::{Json, Part, Str, json};

use super::transcript::{Placed, Transcript};

/// Members that hold what the model is shown, as far as transcripts keep it.
const SHOWN: [&str; 8] =
    ["content", "text", "prompt", "snippet", "addedLines", "addedBlocks", "message", "blockingError"];

impl Transcript {
    /// An attachment that shows the model something becomes an event. The exact wording around it is the client's and is
    /// not recorded.
    pub(super) fn attachment(&mut self, mut placed: Placed) {
        let Some(Json::Object(attachment)) = placed.record.rest.remove("attachment") else {
            return self.keep_raw(&placed, "");
        };
        let kind = attachment.get("type").and_then(Json::as_str).unwrap_or("unknown").to_owned();
        let shown = SHOWN.iter().find_map(|key| shown_text(attachment.get(key)?));
        let Some(text) = shown else {
            return self.keep_raw(&placed, &kind);
        };
        let entry = self.add_injected(&placed, &format!("attachment.{kind}"), vec![Part::from_text(text)]);
        for key in ["path", "displayPath", "filename"] {
            if let Some(path) = attachment.get(key) {
                self.entries[entry].note("path", path.clone());
                break;
            }
        }
        let owner = format!("attachment.{kind}");
        let is_carried = |key: &str| SHOWN.contains(&key) || matches!(key, "type" | "path" | "filename");
        for (key, value) in attachment.iter().filter(|(key, _)| !is_carried(key)) {
            self.unmapped.field(&owner, key, value);
        }
        placed.record.note_rest(&mut self.unmapped);
    }
}

/// The text in a member, however deep it is wrapped; lists of anything but text as JSON.
fn shown_text(value: &Json) -> Option<Str> {
    let text: Str = match value {
        Json::String(text) => text.clone(),
        Json::Object(object) => {
            let inner = ["content", "text", "file", "blockingError"].iter().find_map(|key| object.get(key));
            return inner.and_then(shown_text);
        }
        Json::Array(items) if items.is_empty() => return None,
        Json::Array(items) => match items.iter().map(Json::as_str).collect::<Option<Vec<_>>>() {
            Some(lines) => lines.join("\n").into(),
            None => json::to_compact(value).into(),
        },
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::BigInt(_) | Json::Float(_) => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}
