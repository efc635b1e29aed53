//! Telling what a person typed from what the client says in the user's name.

use strata_model::{Json, Part};

use super::entry::Entry;
use super::lanes::{LaneId, MAIN};
use super::record::Record;
use crate::marks;

/// What ADK makes of another agent's events.
pub(crate) const QUOTATION: &str = "quotation";

/// Beginnings of text the client writes, with what it is.
const WRITTEN_BY_CLIENT: [(&str, &str); 26] = [
    ("<command-name>", "command"),
    ("<command-message>", "command"),
    ("<command-args>", "command"),
    ("<local-command-caveat>", "command"),
    ("<local-command-stdout>", "command-output"),
    ("<local-command-stderr>", "command-output"),
    ("<bash-input>", "shell"),
    ("<bash-stdout>", "shell-output"),
    ("<bash-stderr>", "shell-output"),
    ("<system-reminder>", "system-reminder"),
    ("<task-notification>", "task-notification"),
    ("<user-prompt-submit-hook>", "hook"),
    ("[Request interrupted by user", "interrupt"),
    ("<environment_context>", "environment"),
    ("<user_instructions>", "instructions"),
    ("# AGENTS.md instructions", "instructions"),
    ("<turn_aborted>", "interrupt"),
    ("<subagent_notification>", "task-notification"),
    ("<skill>", "skill"),
    ("<user_shell_command>", "shell"),
    ("<session_context>", "session-context"),
    ("<current_datetime>", "environment"),
    ("<environment_details>", "environment"),
    ("For context:", QUOTATION),
    ("<returncode>", "observation"),
    ("<output>", "observation"),
];

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
    let origin = record.rest.get("origin").and_then(|origin| origin.get("kind")?.as_str());
    if let Some(origin) = origin.filter(|origin| !PEOPLE.contains(origin)) {
        return Some(origin.to_owned());
    }
    if record.rest.get("isVisibleInTranscriptOnly").is_some_and(Json::is_truthy) {
        return Some("transcript-only".into());
    }
    let mut kind = None;
    for part in parts {
        kind = Some(written_by_client(part)?);
    }
    Some(kind.unwrap_or("empty").to_owned())
}

/// What the client wrote in this part; `None` for words or media of a person.
fn written_by_client(part: &Part) -> Option<&'static str> {
    let text = part.text.as_deref()?.trim_start();
    WRITTEN_BY_CLIENT.iter().find(|(start, _)| text.starts_with(start)).map(|(_, kind)| *kind)
}

/// What a client wrote in the user's name, by its parts alone; `None` when a person typed some of it.
pub(crate) fn injected_kind(parts: &[Part]) -> Option<&'static str> {
    // ADK quotes what other agents did, in parts of their own behind these words.
    if parts.first().and_then(written_by_client) == Some(QUOTATION) {
        return Some(QUOTATION);
    }
    let mut kind = None;
    for part in parts {
        kind = Some(written_by_client(part)?);
    }
    Some(kind.unwrap_or("empty"))
}

/// The text of a part that a person typed.
pub(super) fn typed_text(part: &Part) -> Option<&str> {
    part.text.as_deref().filter(|_| written_by_client(part).is_none())
}

/// The command in an echo of one, such as `/init`.
pub(super) fn command_name(text: &str) -> Option<String> {
    let (_, name) = text.split_once("<command-name>")?;
    let (name, _) = name.split_once("</command-name>")?;
    Some(name.trim().to_owned())
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
