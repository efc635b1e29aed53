//! What numbers rest on, in the same words everywhere.

use std::path::PathBuf;

use strata_app::report::{self, EvidenceReport};

use crate::samples::{Unwatched, of_formats, source};

/// Of every call in `strata tokens`, once each, in order; `strata cache` and `strata compile` say the same.
fn said(file: &str, edits: &[PathBuf]) -> Vec<EvidenceReport> {
    let source = report::Source { edits: edits.to_vec(), ..source(&of_formats().join(file)) };
    let tokens = report::tokens(&source, None, &Unwatched::default()).expect("the sample is read");
    let cache = report::cache(&source, None, &Unwatched::default()).expect("the sample is read");
    let of_cache = cache.calls.into_iter().map(|call| call.evidence.expect("it is compiled"));
    let mut all: Vec<EvidenceReport> = tokens.calls.into_iter().map(|call| call.evidence).collect();
    assert_eq!(all, of_cache.collect::<Vec<_>>());
    all.dedup();
    all
}

fn words(file: &str, edits: &[PathBuf]) -> Vec<String> {
    said(file, edits).into_iter().map(|evidence| evidence.said).collect()
}

#[test]
fn every_call_says_what_it_is_known_from() {
    assert_eq!(words("traffic.har", &[]), ["seen on the wire (HTTP archive)"]);
    assert_eq!(
        words("claude-code.jsonl", &[]),
        ["compiled from an inferred configuration, without system text, tool declarations, settings"]
    );
    assert_eq!(
        words("codex.jsonl", &[]),
        ["compiled from an inferred configuration, without tool declarations, settings"]
    );
    assert_eq!(
        words("claude-code-journal.jsonl", &[]),
        ["written down by the client (Claude Code transcript)"]
    );
    assert!(said("otel-genai.jsonl", &[]).iter().any(|evidence| evidence.kind == "telemetry"));
    assert_eq!(said("adk-recording.jsonl", &[])[0].kind, "client");
}

#[test]
fn what_an_experiment_changes_of_a_recorded_request_is_said() {
    let scratch = tempfile::tempdir().expect("a folder");
    let file = |name: &str, edits: &str| {
        let path = scratch.path().join(name);
        std::fs::write(&path, edits).expect("a file");
        path
    };
    let nothing = file("nothing.json", r#"[{"edit":"enable_processor","processor":"contents"}]"#);
    assert_eq!(words("traffic.har", &[nothing]), ["seen on the wire (HTTP archive)"]);
    let question =
        r#"[{"edit":"edit_event","event":2,"content":{"role":"user","parts":[{"text":"Another"}]}}]"#;
    let changed = words("traffic.har", &[file("changed.json", question)]);
    assert_eq!(changed[0], "seen on the wire (HTTP archive), with what the experiment changes");
}

#[test]
fn what_a_client_says_to_the_model_in_the_middle_of_a_conversation_is_system_text() {
    // What was sent, and what is compiled from a rollout, whose request nobody recorded.
    for (file, call, said) in
        [("claude-code-journal.jsonl", 3, "# Environment"), ("codex.jsonl", 1, "Sandbox: read only.")]
    {
        let source = source(&of_formats().join(file));
        let call = report::CallChoice::Number(call);
        let contents = report::CompileContents::default();
        let compiled = report::compile(&source, None, &call, contents, &Unwatched::default())
            .expect("the sample is compiled");
        let said = compiled.tokens.segments.iter().find(|it| it.text.starts_with(said));
        assert_eq!(said.map(|it| it.kind), Some(report::Kind::System), "{file}");
    }
}

#[test]
fn what_a_provider_says_of_a_missed_prefix_stands_beside_ours() {
    let text = std::fs::read_to_string(of_formats().join("claude-code.jsonl")).expect("the sample");
    let said = r#""diagnostics":{"cache_miss_reason":{"type":"tools_changed","cache_missed_input_tokens":1234}},"usage""#;
    // In the last lines of a response the message is whole.
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_answer = |line: &&mut String| line.contains(r#""id":"msg_1""#) && line.contains(r#""usage""#);
    lines.iter_mut().filter(is_answer).for_each(|line| *line = line.replacen(r#""usage""#, said, 1));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.jsonl");
    std::fs::write(&path, lines.join("\n")).expect("a file");
    let verdicts = |path| -> Vec<Option<(String, Option<u64>)>> {
        let report = report::cache(&source(path), None, &Unwatched::default()).expect("a transcript");
        let of_call = |call: report::CallCacheReport| call.provider_verdict;
        let calls = report.calls.into_iter().map(of_call);
        calls.map(|verdict| verdict.map(|it| (it.reason, it.missed_tokens))).collect()
    };
    let told = verdicts(&path);
    assert_eq!(told[0], Some(("tools_changed".to_owned(), Some(1234))));
    assert!(told[1..].iter().all(Option::is_none), "{told:?}");
    assert!(verdicts(&of_formats().join("claude-code.jsonl")).iter().all(Option::is_none));
}
