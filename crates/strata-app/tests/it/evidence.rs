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
    let source = source(&of_formats().join("claude-code-journal.jsonl"));
    let call = report::CallChoice::Number(3);
    let contents = report::CompileContents::default();
    let compiled = report::compile(&source, None, &call, contents, &Unwatched::default())
        .expect("the sample is compiled");
    let of_environment = compiled.tokens.segments.iter().find(|it| it.text.starts_with("# Environment"));
    assert_eq!(of_environment.map(|it| it.kind), Some(report::Kind::System));
}
