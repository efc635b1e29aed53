//! Telling what a person typed from what the client says in the user's name.

use strata_model::{Json, Object, Part};

use super::entry::Entry;
use super::ids::{LaneId, MAIN};
use super::record::Record;
use crate::injected::{injected_kind, written_by_client};
use crate::marks;

/// What is shown and never sent.
pub(super) const TRANSCRIPT_ONLY: &str = "transcript-only";

/// Kinds of `origin` that are people. Others are programs that speak up.
const PEOPLE: [&str; 4] = ["human", "user", "cli", "sdk"];

/// What kind of context a record without tool results is; `None` when a person typed it.
pub(super) fn kind_of(record: &Record, lane: LaneId, parts: &[Part]) -> Option<String> {
    // The prompt of a sub-agent was written by the model that called it.
    let task = || (lane != MAIN).then(|| "task".to_owned());
    of_client(record, parts).or_else(task)
}

fn of_client(record: &Record, parts: &[Part]) -> Option<String> {
    if record.is_meta {
        return Some("meta".into());
    }
    if record.is_synthetic {
        return Some(injected_kind(parts).unwrap_or("synthetic").to_owned());
    }
    if let Some(program) = program_of(&record.rest) {
        return Some(program);
    }
    if record.rest.get("isVisibleInTranscriptOnly").is_some_and(Json::is_truthy) {
        return Some(TRANSCRIPT_ONLY.into());
    }
    let mut kind = None;
    for part in parts {
        kind = Some(written_by_client(part)?);
    }
    Some(kind.unwrap_or("empty").to_owned())
}

/// The program that speaks up here, if it is not a person.
pub(super) fn program_of(about: &Object) -> Option<String> {
    let origin = about.get("origin")?.get("kind")?.as_str()?;
    (!PEOPLE.contains(&origin)).then(|| origin.to_owned())
}

/// Whether the model may answer this by itself, as it answers a prompt.
pub(super) fn begins_turn(entry: &Entry) -> bool {
    let kind = entry.custom.get(marks::INJECTED).and_then(Json::as_str).unwrap_or_default();
    matches!(kind, "command" | "task-notification" | "peer")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: Option<&str>) {
        let parts: Vec<_> = texts.iter().map(|text| Part::from_text(*text)).collect();
        assert_eq!(kind_of(&Record::default(), MAIN, &parts).as_deref(), expected, "{texts:?}");
    }

    #[test]
    fn words_of_a_person_make_a_prompt_whatever_stands_beside_them() {
        check(&["Fix the test"], None);
        check(&["<system-reminder>x</system-reminder>", "Fix the test"], None);
        check(&["<system-reminder>x</system-reminder>"], Some("system-reminder"));
        check(&["\n<command-name>/exit</command-name>"], Some("command"));
        check(&["[Request interrupted by user for tool use]"], Some("interrupt"));
        check(&["<b>bold</b> words"], None);
        check(&[], Some("empty"));
    }
}
