//! Formats are recognised by content, and those that cannot be read yet are named.

use strata_import::{Detection, Format, UnreadFormat, detect, import};

use crate::support::{files_below, recorded_samples, sample};

#[track_caller]
fn check(text: &str, expected: UnreadFormat) {
    assert_eq!(detect(text.as_bytes()), Detection::Unread(expected), "{text}");
    let imported = import(text.as_bytes());
    assert_eq!(imported.diagnostics[0].message, expected.refusal());
}

#[test]
fn formats_that_cannot_be_read_yet_are_named() {
    check(r#"{"timestamp":"x","type":"session_meta","payload":{}}"#, UnreadFormat::Codex);
    check(r#"{"sessionId":"x","projectHash":"y","messages":[]}"#, UnreadFormat::GeminiCli);
    check(r#"{"type":"session.start","data":{}}"#, UnreadFormat::CopilotCli);
    check(r#"{"resourceSpans":[{"scopeSpans":[]}]}"#, UnreadFormat::Otlp);
    check(r#"{"log":{"version":"1.2","entries":[]}}"#, UnreadFormat::Har);
    check(r#"{"trajectory_format":"mini-swe-agent-1.1","messages":[]}"#, UnreadFormat::MiniSweAgent);
    check(r#"{"environment":"e","trajectory":[],"history":[]}"#, UnreadFormat::SweAgent);
    check(r#"{"version":2,"status":"success","eval":{},"samples":[]}"#, UnreadFormat::Inspect);
    check("PK\u{3}\u{4}xx_journal/start.json", UnreadFormat::Inspect);
    check(r#"{"trace":{"id":"x"},"observations":[]}"#, UnreadFormat::Langfuse);
    check(r#"{"id":"x","litellm_call_id":"y"}"#, UnreadFormat::LiteLlm);
    check(r#"[{"name":"call_llm","trace_id":1,"span_id":2}]"#, UnreadFormat::AdkDebugTrace);
    check("invocation_id: e-1\nsession_id: s\nentries:\n", UnreadFormat::AdkDebugLog);
    check("\n# aider chat started at 2025-01-01 10:00:00\n\n#### hello\n", UnreadFormat::Aider);
    check("interactions:\n- request:\n    method: POST\n", UnreadFormat::Vcr);
    check("4305:9:websocket;0:~8:response;", UnreadFormat::Mitmproxy);
    check(r#"{"model":"m","max_tokens":5,"messages":[]}"#, UnreadFormat::AnthropicMessages);
    check(r#"{"model":"m","messages":[]}"#, UnreadFormat::OpenAiChat);
    check(r#"{"model":"m","input":[]}"#, UnreadFormat::OpenAiResponses);
    check(r#"{"contents":[{"role":"user","parts":[]}]}"#, UnreadFormat::GeminiGenerateContent);
    check("event: message_start\ndata: {\"type\":\"message_start\"}\n\n", UnreadFormat::ProviderStream);
}

#[test]
fn a_head_that_ends_anywhere_is_enough_once_it_tells() {
    let cases = [
        ("claude-code.jsonl", Format::ClaudeCode, 400),
        ("adk-rest-session.json", Format::AdkSession, 80),
        ("adk-evalset.json", Format::AdkEvalSet, 120),
    ];
    for (name, format, enough) in cases {
        let bytes = sample(name);
        for end in enough..bytes.len() {
            assert_eq!(detect(&bytes[..end]), Detection::Readable(format), "{name} up to {end}");
        }
    }
}

#[test]
fn names_of_files_do_not_matter_and_foreign_first_lines_neither() {
    let text = "{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"x\"}\n{\"parentUuid\":null,\"type\":\"user\"}";
    assert_eq!(detect(text.as_bytes()), Detection::Readable(Format::ClaudeCode));
}

/// Folders of recorded files whose format cannot be read yet, with what they are.
const FOLDERS: [(&str, &str, UnreadFormat); 11] = [
    ("codex/agentv", ".jsonl", UnreadFormat::Codex),
    ("gemini-cli", "session-2026-11-20T21-03-41c00efe.jsonl", UnreadFormat::GeminiCli),
    ("gemini-cli", "telemetry.log", UnreadFormat::GeminiTelemetry),
    ("copilot-cli", ".jsonl", UnreadFormat::CopilotCli),
    ("otel", ".jsonl", UnreadFormat::Otlp),
    ("har", ".har", UnreadFormat::Har),
    ("mitmproxy", ".flows", UnreadFormat::Mitmproxy),
    ("inspect_ai", ".eval", UnreadFormat::Inspect),
    ("langfuse", ".trace.json", UnreadFormat::Langfuse),
    ("litellm", ".jsonl", UnreadFormat::LiteLlm),
    ("swe-agent", ".traj", UnreadFormat::SweAgent),
];

#[test]
fn recorded_files_of_other_tools_are_named() {
    let Some(samples) = recorded_samples() else { return };
    for (folder, end, expected) in FOLDERS {
        let files = files_below(&samples.join(folder));
        let files: Vec<_> = files.iter().filter(|path| path.to_str().unwrap().ends_with(end)).collect();
        assert!(!files.is_empty(), "{folder}");
        for path in files {
            let bytes = std::fs::read(path).unwrap();
            assert_eq!(detect(&bytes), Detection::Unread(expected), "{}", path.display());
        }
    }
}

#[test]
fn every_recorded_transcript_is_read_without_an_error() {
    let Some(samples) = recorded_samples() else { return };
    let files = files_below(&samples.join("claude-code"));
    let transcripts = files.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let mut n_transcripts = 0;
    for path in transcripts {
        let imported = import(&std::fs::read(path).unwrap());
        assert_eq!(imported.sessions.len(), 1, "{}", path.display());
        let errors = imported.diagnostics.iter().filter(|it| it.severity == strata_model::Severity::Error);
        assert_eq!(errors.count(), 0, "{}", path.display());
        n_transcripts += 1;
    }
    assert!(n_transcripts > 20);
}
