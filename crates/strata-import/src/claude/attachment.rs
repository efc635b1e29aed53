//! Context the client attaches by itself: files, reminders, lists of tools and skills.

use strata_model::take::take_object;
use strata_model::{Json, Object, Part, Str, json};
use strata_wire::message::anthropic;

use super::entry::EntryKind;
use super::ids::MAIN;
use super::injected;
use super::transcript::{PlacedRecord, Transcript};
use crate::injected::injected_kind;
use crate::unmapped::Unmapped;

/// Members that hold what the model is shown, as far as transcripts keep it.
const SHOWN: [&str; 9] =
    ["content", "text", "prompt", "snippet", "addedLines", "addedBlocks", "message", "blockingError", "file"];

impl Transcript {
    /// An attachment that shows the model something becomes an event. The exact wording around it is the client's and
    /// is not recorded.
    pub(super) fn attachment(&mut self, mut placed: PlacedRecord) {
        let Some(mut attachment) = take_object(&mut placed.record.rest, "attachment") else {
            return self.keep_raw(&placed, "");
        };
        let kind = attachment.get("type").and_then(Json::as_str).unwrap_or("unknown").to_owned();
        let owner = format!("attachment.{kind}");
        if kind == "queued_command" && is_typed(&attachment, &placed) {
            return self.queued_prompt(&placed, attachment);
        }
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

impl Transcript {
    /// What a person typed while the model worked. It is given to the model in the middle of its turn, and has no record
    /// of its own.
    fn queued_prompt(&mut self, placed: &PlacedRecord, mut attachment: Object) {
        const OWNER: &str = "attachment.queued_command";
        let prompt = attachment.remove("prompt").unwrap_or_default();
        let blocks = anthropic::read(prompt, OWNER, |_| None, &mut self.unmapped);
        self.facts.images += blocks.images;
        match injected_kind(&blocks.parts) {
            Some(kind) => self.add_injected(placed, kind, blocks.parts),
            None => self.add_entry(placed, EntryKind::Prompt, "user", blocks.parts),
        };
        for key in ["type", "commandMode"] {
            attachment.remove(key);
        }
        for (key, value) in attachment.iter() {
            self.unmapped.field(OWNER, key, value);
        }
        placed.record.note_rest(&mut self.unmapped);
    }
}

/// Whether a queued message came from a person rather than from another program.
fn is_typed(attachment: &Object, placed: &PlacedRecord) -> bool {
    let mode = attachment.get("commandMode").and_then(Json::as_str).unwrap_or("prompt");
    let is_meta = attachment.get("isMeta").is_some_and(Json::is_truthy) || placed.record.is_meta;
    let program = injected::program_of(attachment).or_else(|| injected::program_of(&placed.record.rest));
    mode == "prompt" && !is_meta && program.is_none() && placed.lane == MAIN
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
