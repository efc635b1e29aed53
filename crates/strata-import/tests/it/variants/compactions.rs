//! What a compaction left stays in the conversation.

use strata_import::{Format, ImportedSession};
use strata_model::EventCompaction;

use super::{event_told, joined, session};

/// Words in the conversation at the end, as ADK finds them: by the times that compactions cover.
fn left(session: &ImportedSession) -> Vec<String> {
    let events = &session.session.events;
    let spans = || events.iter().filter_map(|event| event.actions.compaction.as_ref());
    let covers = |it: &EventCompaction, time: f64| {
        it.start_timestamp.is_some_and(|start| start <= time)
            && it.end_timestamp.is_some_and(|end| time <= end)
    };
    let contains = |outer: &EventCompaction, inner: &EventCompaction| {
        outer.start_timestamp <= inner.start_timestamp && inner.end_timestamp <= outer.end_timestamp
    };
    let is_left = |at: &usize| match &events[*at].actions.compaction {
        Some(own) => {
            let later = events[at + 1..].iter().filter_map(|event| event.actions.compaction.as_ref());
            !later.clone().any(|other| contains(other, own))
        }
        None => !spans().any(|span| covers(span, events[*at].timestamp)),
    };
    (0..events.len()).filter(is_left).map(|at| event_told(&events[at])).collect()
}

fn openhands(id: u32, rest: &str) -> String {
    format!(r#"{{"id":"e{id}","timestamp":"2026-01-01T00:00:0{id}",{rest}}}"#)
}

fn openhands_message(id: u32, role: &str, text: &str) -> String {
    let source = if role == "user" { "user" } else { "agent" };
    let rest = format!(
        r#""kind":"MessageEvent","source":"{source}","llm_message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}"#
    );
    openhands(id, &rest)
}

#[test]
fn openhands_keeps_what_a_condensation_did_not_forget() {
    let condensation = |id, ids: &str, summary: &str| {
        let rest = format!(
            r#""kind":"Condensation","source":"environment","forgotten_event_ids":[{ids}],"summary":"{summary}","summary_offset":1"#
        );
        openhands(id, &rest)
    };
    let text = [
        openhands_message(1, "user", "the task"),
        openhands_message(2, "assistant", "one"),
        openhands_message(3, "user", "two"),
        openhands_message(4, "assistant", "three"),
        condensation(5, r#""e2","e3""#, "one and two"),
        openhands_message(6, "user", "four"),
        condensation(7, r#""e4""#, "one to three"),
        openhands_message(8, "assistant", "five"),
    ];
    let once = session(Format::OPENHANDS, &text[..6].join("\n"));
    let expected = ["user: the task", "openhands: three", "user: compaction one and two", "user: four"];
    assert_eq!(left(&once), expected);
    let twice = session(Format::OPENHANDS, &text.join("\n"));
    let expected = ["user: the task", "user: four", "user: compaction one to three", "openhands: five"];
    assert_eq!(left(&twice), expected);
}

#[test]
fn the_first_openhands_names_what_was_forgotten_by_its_ends() {
    let message = |id: u32, source: &str, text: &str| {
        format!(
            r#"{{"id":{id},"timestamp":"2026-01-01T00:00:00","source":"{source}","action":"message","args":{{"content":"{text}"}}}}"#
        )
    };
    let condensation = r#"{"id":4,"timestamp":"2026-01-01T00:00:00","source":"agent","action":"condensation","args":{"forgotten_events_start_id":1,"forgotten_events_end_id":2,"summary":"one and two"}}"#;
    let events = [
        message(0, "user", "the task"),
        message(1, "agent", "one"),
        message(2, "user", "two"),
        message(3, "agent", "three"),
        condensation.to_owned(),
        message(5, "user", "four"),
    ];
    // They all have one time, which a clock of seconds may give.
    let session = session(Format::OPENHANDS, &format!("[{}]", events.join(",")));
    let expected = ["user: the task", "openhands: three", "user: compaction one and two", "user: four"];
    assert_eq!(left(&session), expected);
}

#[test]
fn gemini_keeps_the_messages_that_stand_in_the_new_list() {
    let message = |id: &str, kind: &str, second: u32| {
        format!(
            r#"{{"id":"{id}","timestamp":"2026-01-01T00:00:0{second}Z","type":"{kind}","content":"{id}"}}"#
        )
    };
    let (m3, m4, m6) = (message("m3", "user", 3), message("m4", "gemini", 4), message("m6", "user", 6));
    let set = format!(r#"{{"$set":{{"messages":[{},{m3},{m4},{m6}]}}}}"#, message("summary", "user", 5));
    let text = [
        r#"{"sessionId":"g1","projectHash":"x","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z","kind":"main"}"#.to_owned(),
        message("m1", "user", 1),
        message("m2", "gemini", 2),
        m3,
        m4,
        set,
        message("m7", "gemini", 7),
    ];
    let session = session(Format::GEMINI_CLI, &text.join("\n"));
    let expected = ["user: m3", "gemini: m4", "user: compaction summary", "user: m6", "gemini: m7"];
    assert_eq!(left(&session), expected);
}

#[test]
fn roo_hides_messages_behind_a_summary_or_a_mark() {
    let text = joined(&[
        r#"[{"role":"user","content":[{"type":"text","text":"<task>\ndo it\n</task>"}],"ts":1770112800000},"#,
        r#"{"role":"assistant","content":"one","ts":1770112801000,"truncationParent":"t1"},"#,
        r#"{"role":"user","content":"two","ts":1770112802000,"truncationParent":"t1"},"#,
        r#"{"role":"user","content":"[2 messages hidden]","ts":1770112802500,"isTruncationMarker":true,"truncationId":"t1"},"#,
        r#"{"role":"assistant","content":"three","ts":1770112803000,"condenseParent":"c1"},"#,
        r#"{"role":"user","content":"four","ts":1770112804000,"condenseParent":"c1"},"#,
        r#"{"role":"user","content":"three and four","ts":1770112804500,"isSummary":true,"condenseId":"c1"},"#,
        r#"{"role":"assistant","content":"five","ts":1770112805000},"#,
        r#"{"role":"user","content":"nothing hidden","ts":1770112806000,"isTruncationMarker":true,"truncationId":"t2"}]"#,
    ]);
    let session = session(Format::CLINE, &text);
    let expected = [
        "user: <task>\ndo it\n</task>",
        "user: compaction [2 messages hidden]",
        "user: compaction three and four",
        "cline: five",
        "user [truncation]: nothing hidden",
    ];
    assert_eq!(left(&session), expected);
}
