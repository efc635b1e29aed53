//! Context the client attaches by itself: files, reminders, lists of tools and skills.

use strata_model::{Json, Object, Part, Str, json};

use super::transcript::{Placed, Transcript};
use crate::take::take_object;
use crate::unmapped::Unmapped;

/// Members that hold what the model is shown, as far as transcripts keep it.
const SHOWN: [&str; 9] =
    ["content", "text", "prompt", "snippet", "addedLines", "addedBlocks", "message", "blockingError", "file"];

impl Transcript {
    /// An attachment that shows the model something becomes an event. The exact wording around it is the client's and
    /// is not recorded.
    pub(super) fn attachment(&mut self, mut placed: Placed) {
        let Some(mut attachment) = take_object(&mut placed.record.rest, "attachment") else {
            return self.keep_raw(&placed, "");
        };
        let kind = attachment.get("type").and_then(Json::as_str).unwrap_or("unknown").to_owned();
        let owner = format!("attachment.{kind}");
        let Some(text) = take_shown(&mut attachment, &owner, &mut self.unmapped) else {
            return self.keep_raw(&placed, &kind);
        };
        let entry = self.add_injected(&placed, &owner, vec![Part::from_text(text)]);
        attachment.remove("type");
        if let Some(path) = attachment.remove("path").or_else(|| attachment.remove("filename")) {
            self.entries[entry].note("path", path);
        }
        for (key, value) in attachment.iter() {
            self.unmapped.field(&owner, key, value);
        }
        placed.record.note_rest(&mut self.unmapped);
    }
}

/// Takes the text out of the first member that has one, however deep it is wrapped; lists of anything but text as JSON.
fn take_shown(attachment: &mut Object, owner: &str, unmapped: &mut Unmapped) -> Option<Str> {
    let key = SHOWN.into_iter().find(|key| attachment.get(key).is_some_and(shows_something))?;
    match attachment.remove(key)? {
        Json::String(text) => Some(text),
        Json::Object(mut inner) => {
            let owner = format!("{owner}.{key}");
            let text = take_shown(&mut inner, &owner, unmapped);
            for (key, value) in inner.iter() {
                unmapped.field(&owner, key, value);
            }
            text
        }
        list => match list.as_array()?.iter().map(Json::as_str).collect::<Option<Vec<_>>>() {
            Some(lines) => Some(lines.join("\n").into()),
            None => Some(json::to_compact(&list).into()),
        },
    }
}

fn shows_something(value: &Json) -> bool {
    match value {
        Json::String(text) => !text.trim().is_empty(),
        Json::Object(inner) => SHOWN.iter().any(|key| inner.get(key).is_some_and(shows_something)),
        Json::Array(items) => !items.is_empty(),
        Json::Null | Json::Bool(_) | Json::Int(_) | Json::BigInt(_) | Json::Float(_) => false,
    }
}
