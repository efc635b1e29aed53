//! Files into which somebody put several transcripts.

use strata_import::{Format, GrowingImporter, Import, import};

/// The id of each session, and what is said in it.
fn all(import: &Import) -> Vec<(String, Vec<String>)> {
    let sessions = import.sessions.iter();
    sessions.map(|session| (session.session.id.to_string(), super::told(session))).collect()
}

#[track_caller]
fn check(format: Format, lines: &[String], expected: &[(&str, &[&str])]) {
    let text = lines.join("\n");
    let told = all(&import(text.as_bytes()));
    let owned = |said: &[&str]| said.iter().map(|words| (*words).to_owned()).collect();
    let expected: Vec<(String, Vec<String>)> =
        expected.iter().map(|(id, said)| ((*id).to_owned(), owned(said))).collect();
    assert_eq!(told, expected);
    let mut growing = GrowingImporter::new(format).unwrap();
    for line in text.split_inclusive('\n') {
        growing.feed(line.as_bytes());
        growing.so_far();
    }
    assert_eq!(all(&growing.so_far().unwrap()), expected, "as it grows");
}

fn of_claude(session: &str, uuid: &str, parent: Option<&str>, words: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("{parent:?}"));
    format!(
        r#"{{"type":"user","uuid":"{uuid}","parentUuid":{parent},"sessionId":"{session}","isSidechain":false,"timestamp":"2026-01-01T00:00:00Z","message":{{"role":"user","content":"{words}"}}}}"#
    )
}

#[test]
fn unrelated_transcripts_of_claude_code_are_sessions_of_their_own() {
    let queued = r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s2","content":"two"}"#;
    let hook = r#"{"type":"progress","uuid":"h","parentUuid":null,"sessionId":"s2","data":{"type":"hook_progress"}}"#;
    let lines = [
        of_claude("s1", "a", None, "one"),
        queued.to_owned(),
        hook.to_owned(),
        of_claude("s2", "b", Some("h"), "two"),
        // What is late goes to its own.
        of_claude("s1", "c", Some("a"), "more of one"),
    ];
    check(
        Format::CLAUDE_CODE,
        &lines,
        &[("s1", &["user: one", "user: more of one"]), ("s2", &["user: two"])],
    );
    let unread = import(lines.join("\n").as_bytes()).sessions;
    let records = |at: usize| unread[at].unmapped.records.keys().map(|key| &**key).collect::<Vec<_>>();
    assert_eq!((records(0), records(1)), (vec![], vec!["progress.hook_progress", "queue-operation"]));
}

#[test]
fn a_resumed_session_of_claude_code_is_one_conversation() {
    let lines = [of_claude("s1", "a", None, "one"), of_claude("s2", "b", Some("a"), "two")];
    check(Format::CLAUDE_CODE, &lines, &[("s2", &["user: one", "user: two"])]);
    let compacted =
        of_claude("s2", "b", None, "two").replacen(r#""uuid""#, r#""logicalParentUuid":"a","uuid""#, 1);
    check(
        Format::CLAUDE_CODE,
        &[of_claude("s1", "a", None, "one"), compacted],
        &[("s2", &["user: one", "user: two"])],
    );
}

#[test]
fn rollouts_that_began_one_after_the_other_are_sessions_of_their_own() {
    let meta = |id: &str, hour: u8| {
        format!(
            r#"{{"timestamp":"2026-01-01T0{hour}:00:00Z","type":"session_meta","payload":{{"id":"{id}","timestamp":"2026-01-01T0{hour}:00:00Z","cwd":"/w"}}}}"#
        )
    };
    let said = |words: &str, hour: u8| {
        format!(
            r#"{{"timestamp":"2026-01-01T0{hour}:00:01Z","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{words}"}}]}}}}"#
        )
    };
    let (first, second) = ("019b0000-0000-7000-8000-000000000000", "019b0001-0000-7000-8000-000000000000");
    let one_after_the_other = [meta(first, 1), said("one", 1), meta(second, 2), said("two", 2)];
    check(Format::CODEX, &one_after_the_other, &[(first, &["user: one"]), (second, &["user: two"])]);
    // A fork repeats the first line of its parent, which is older.
    let fork = [meta(second, 2), meta(first, 1), said("one", 1), said("two", 2)];
    check(Format::CODEX, &fork, &[(second, &["user: one", "user: two"])]);
}
