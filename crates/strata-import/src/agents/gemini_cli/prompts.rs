//! `logs.json`: what people typed, of all sessions of a project.

use std::collections::HashMap;

use strata_model::take::take_text;
use strata_model::{Json, Object, Part, Str};

use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::source::SourceRecord;
use crate::time::take_time;

/// The sessions of such a list; `None` when it is none.
pub(super) fn read(
    documents: &mut [Document],
    format: Format,
    findings: &mut Findings,
) -> Option<Vec<ImportedSession>> {
    let [document] = documents else { return None };
    let is_entry = |value: &Json| value.get("messageId").is_some() && value.get("sessionId").is_some();
    let entries = document.take_if("", is_entry)?;
    let mut sessions: Vec<(Str, Vec<(Object, SourceRecord)>)> = Vec::new();
    let mut places: HashMap<Str, usize> = HashMap::new();
    for value in entries {
        let source = value.source();
        let Json::Object(mut entry) = value.json else { continue };
        let id = take_text(&mut entry, "sessionId").unwrap_or_default();
        let at = *places.entry(id.clone()).or_insert(sessions.len());
        match sessions.get_mut(at) {
            Some((_, entries)) => entries.push((entry, source)),
            None => sessions.push((id, vec![(entry, source)])),
        }
    }
    let told = sessions.into_iter().filter_map(|(id, entries)| {
        let mut draft = Draft::new("gemini-cli", "gemini");
        draft.session.id = id;
        for (entry, source) in entries {
            tell(&mut draft, entry, source);
        }
        draft.finish(format, findings)
    });
    Some(told.collect())
}

fn tell(draft: &mut Draft, mut entry: Object, source: SourceRecord) {
    let time = take_time(&mut entry, "timestamp");
    let Some(text) = take_text(&mut entry, "message") else {
        return draft.unmapped.record("logs.json", source);
    };
    // Commands are typed, too, but they are not for the model.
    let is_command = text.starts_with('/') && !text.contains(char::is_whitespace);
    let kind = if is_command { Kind::Injected("command".into()) } else { Kind::Prompt };
    for key in ["messageId", "type"] {
        entry.remove(key);
    }
    draft.note_rest("logs.json", &entry);
    draft.push(EventDraft { time, ..EventDraft::new(kind, vec![Part::from_text(text)], source) });
}
