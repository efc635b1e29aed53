//! Formats are recognised by content.

use strata_import::{
    Detection, Format, HEAD_BYTES, Table, UnreadFormat, detect, detect_head, detect_tables, import,
};
use strata_testkit::samples;

use crate::support::sample;

#[track_caller]
fn check(text: &str, expected: Format) {
    assert_eq!(detect(text.as_bytes()), Detection::Readable(expected), "{text}");
}

#[test]
fn a_few_keys_tell_a_format() {
    check(r#"{"timestamp":"x","type":"session_meta","payload":{}}"#, Format::CODEX);
    check(r#"{"sessionId":"x","projectHash":"y","messages":[]}"#, Format::GEMINI_CLI);
    check(r#"{"type":"session.start","data":{}}"#, Format::COPILOT_CLI);
    check(r#"{"resourceSpans":[{"scopeSpans":[]}]}"#, Format::OTLP);
    check(r#"{"log":{"version":"1.2","entries":[]}}"#, Format::HAR);
    check(r#"{"trajectory_format":"mini-swe-agent-1.1","messages":[]}"#, Format::MINI_SWE_AGENT);
    check(r#"{"environment":"e","trajectory":[],"history":[]}"#, Format::SWE_AGENT);
    check(r#"{"version":2,"status":"success","eval":{},"samples":[]}"#, Format::INSPECT);
    check("PK\u{3}\u{4}xx_journal/start.json", Format::INSPECT);
    check(r#"{"trace":{"id":"x"},"observations":[]}"#, Format::LANGFUSE);
    check(r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#, Format::PROVIDER_LOG);
    check(r#"[{"role":"user","content":"x"}]"#, Format::MESSAGES);
    check(r#"{"messages":[{"role":"user","content":"x"}]}"#, Format::MESSAGES);
    check(r#"{"id":"x","litellm_call_id":"y"}"#, Format::LITELLM);
    check(r#"[{"name":"call_llm","trace_id":1,"span_id":2}]"#, Format::ADK_TRACE);
    check("invocation_id: e-1\nsession_id: s\nentries:\n", Format::ADK_DEBUG_LOG);
    check("\n# aider chat started at 2025-01-01 10:00:00\n\n#### hello\n", Format::AIDER);
    check("interactions:\n- request:\n    method: POST\n", Format::VCR);
    check("4305:9:websocket;0:~8:response;", Format::MITMPROXY);
    check(r#"{"model":"m","max_tokens":5,"messages":[]}"#, Format::PROVIDER_LOG);
    check(r#"{"model":"m","messages":[]}"#, Format::PROVIDER_LOG);
    check(r#"{"model":"m","input":[]}"#, Format::PROVIDER_LOG);
    check(r#"{"contents":[{"role":"user","parts":[]}]}"#, Format::PROVIDER_LOG);
    check("event: message_start\ndata: {\"type\":\"message_start\"}\n\n", Format::PROVIDER_LOG);
}

/// What only looks like the file of a tool.
#[test]
fn keys_that_many_programs_write_tell_nothing_alone() {
    let cases = [
        (r#"{"type":"session.created","event_id":"e","session":{"id":"s"}}"#, None),
        (r#"{"type":"session.created","session_id":"s"}"#, Some(Format::CODEX)),
        (r#"{"type":"session.created","thread_id":"t"}"#, Some(Format::CODEX)),
        (r#"{"session":{"id":"s","instructions":""},"items":[]}"#, Some(Format::CODEX)),
        (r#"{"session":{"id":"s"},"items":{"n":1}}"#, None),
        (r#"{"session":{"user":"u"},"items":[]}"#, None),
        (r#"{"role":"user","created":1,"content":[{"type":"text","text":"x"}]}"#, Some(Format::GOOSE_FILE)),
        (r#"{"role":"user","created":1,"content":"x"}"#, Some(Format::MESSAGES)),
        (r#"[{"type":"system","subtype":"init","session_id":"s","content":"x"}]"#, Some(Format::CLAUDE_CODE)),
        (
            r#"[{"type":"system","uuid":"u","parentUuid":null,"content":"x"},{"type":"user"}]"#,
            Some(Format::CLAUDE_CODE),
        ),
        (r#"[{"type":"system","content":"x"}]"#, Some(Format::MESSAGES)),
        (r#"{"model":"m","prompt":[{"role":"user","content":"x"}]}"#, Some(Format::PROVIDER_LOG)),
        (r#"{"prompt":[{"role":"user","content":"x"}]}"#, Some(Format::MESSAGES)),
        ("id: 7\nname: x\n", None),
        ("data: {a: 1}\n", None),
        ("event: tick\n\n", None),
        ("id: 7\ndata: {\ndata: \"choices\":[]}\n\n", Some(Format::PROVIDER_LOG)),
        ("data: {\"author\":\"a\",\"content\":{}}\n\n", Some(Format::ADK_EVENT_STREAM)),
    ];
    for (text, expected) in cases {
        let found = match detect(text.as_bytes()) {
            Detection::Readable(format) => Some(format),
            Detection::NotASession(_) => None,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_document_written_as_a_text_is_recognised_wherever_its_head_ends() {
    let document = "{\n\t\"eval_set_result_id\":\"r\",\n\t\"eval_case_results\":[{\"eval_id\":\"\u{1f600}\u{e9}\\\\\"}]}";
    // As Python writes it, and with the letters as they are.
    let plain = strata_model::json::to_compact(&document.into());
    let escaped =
        plain.replace('\u{1f600}', "\\ud83d\\ude00").replace('\u{e9}', "\\u00e9").replace("\\t", "\\u0009");
    for text in [plain, escaped] {
        let told = text.find("eval_case_results").unwrap() + 25;
        for end in told..=text.len() {
            assert_eq!(
                detect(&text.as_bytes()[..end]),
                Detection::Readable(Format::ADK_EVAL_RESULT),
                "{text} up to {end}"
            );
        }
    }
}

#[test]
fn a_head_that_ends_anywhere_is_enough_once_it_tells() {
    let cases = [
        ("claude-code.jsonl", Format::CLAUDE_CODE, 400),
        ("adk-rest-session.json", Format::ADK_SESSION, 80),
        ("adk-evalset.json", Format::ADK_EVAL_SET, 120),
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
    assert_eq!(detect(text.as_bytes()), Detection::Readable(Format::CLAUDE_CODE));
}

/// Keys tell, wherever they stand.
#[test]
fn telling_keys_may_stand_behind_long_values() {
    let long = "x".repeat(2 * HEAD_BYTES);
    let step = r#"{"action":"ls","observation":"a.py","query":[{"role":"user","content":"fix it"}]}"#;
    let steps = vec![step; HEAD_BYTES / step.len() + 1].join(",");
    let quiet = "{\"level\":\"info\"}\n".repeat(25);
    let claude = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user","uuid":"u"}"#;
    let cases = [
        (format!(r#"{{"trajectory":[{steps}],"history":[],"info":{{}}}}"#), Format::SWE_AGENT),
        (format!(r#"{{"input":"{long}","trace":{{"id":"t"}},"observations":[]}}"#), Format::LANGFUSE),
        (format!(r#"{{"state":{{"a":"{long}"}},"id":"s","appName":"a","events":[]}}"#), Format::ADK_SESSION),
        (format!(r#"{{"messages":["{long}"],"trajectory_format":"x"}}"#), Format::MINI_SWE_AGENT),
        (
            format!(
                "{{\"type\":\"queue-operation\",\"content\":\"{long}\",\"operation\":\"enqueue\"}}\n{claude}"
            ),
            Format::CLAUDE_CODE,
        ),
        (format!("{quiet}{claude}"), Format::CLAUDE_CODE),
        (format!(r#"[{{"type":"queue-operation","content":"{long}"}},{claude}]"#), Format::CLAUDE_CODE),
        (format!("[{}{claude}]", quiet.replace('\n', ",")), Format::CLAUDE_CODE),
        (
            format!("data: {{\"content\":{{\"parts\":[{{\"text\":\"{long}\"}}]}},\"author\":\"user\"}}\n\n"),
            Format::ADK_EVENT_STREAM,
        ),
    ];
    for (text, format) in cases {
        let start = &text[..60];
        assert_eq!(detect(text.as_bytes()), Detection::Readable(format), "{start}");
        let head = &text.as_bytes()[..HEAD_BYTES.min(text.len() - claude.len() - 1)];
        assert!(!detect_head(head).is_settled, "{start}: more of the file would tell");
    }
    assert!(detect_head(claude.as_bytes()).is_settled);
    assert!(detect_head(b"plain text").is_settled);
}

#[test]
fn databases_of_other_tools_are_refused_by_their_names() {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
    };
    let sessions = || table("sessions", &["id", "title"]);
    let llm = [
        table("conversations", &["id"]),
        table("responses", &["id", "prompt", "response"]),
        table("threads", &["id"]),
    ];
    let codex = [table("threads", &["id", "rollout_path"])];
    assert_eq!(detect_tables(&llm), Detection::Unread(UnreadFormat::LLM_LOGS));
    assert_eq!(detect_tables(&codex), Detection::Unread(UnreadFormat::CODEX_INDEX));
    let goose = [sessions(), table("messages", &["id", "session_id", "role", "content_json"])];
    assert_eq!(detect_tables(&goose), Detection::Readable(Format::GOOSE));
    let crush = [
        table("sessions", &["id", "parent_session_id", "title"]),
        table("messages", &["id", "session_id", "role", "parts"]),
    ];
    assert_eq!(detect_tables(&crush), Detection::Readable(Format::CRUSH));
}

#[test]
fn runs_of_frameworks_that_are_not_read_are_refused_by_their_names() {
    let run = r#"{"run_id":"r","agent_id":"a","session_id":"s","content":"Hello","content_type":"str","model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
    let printed = r#"{"prompt":null,"messages":[{"role":"user","content":"Hi"}],"kwargs":{},"response":"Response(text='Hello')","outputs":["Hello"],"uuid":"u","model":"m"}"#;
    let cases = [
        (run.to_owned(), UnreadFormat::AGNO),
        (format!("[{run}]"), UnreadFormat::AGNO),
        (format!(r#"{{"session_id":"s","session_data":{{}},"runs":[{run}]}}"#), UnreadFormat::AGNO),
        (format!("[{printed},{printed}]"), UnreadFormat::PRINTED_DSPY),
        (format!("{printed}\n{printed}\n"), UnreadFormat::PRINTED_DSPY),
    ];
    for (text, format) in cases {
        assert_eq!(detect(text.as_bytes()), Detection::Unread(format), "{text}");
        let imported = import(text.as_bytes());
        assert!(imported.sessions.is_empty());
        assert!(imported.diagnostics[0].message.contains(format.name()), "{:?}", imported.diagnostics);
    }
    // An answer that is an object can be read.
    check(&printed.replace(r#""Response(text='Hello')""#, r#"{"choices":[]}"#), Format::PROVIDER_LOG);
}

/// Folders of recorded files, with what they are.
const FOLDERS: [(&str, &str, Format); 13] = [
    ("adk", "weather.session.json", Format::ADK_SESSION),
    ("claude-code", "garden.jsonl", Format::CLAUDE_CODE),
    ("codex/agentv", ".jsonl", Format::CODEX),
    ("gemini-cli", "session-2026-11-20T21-03-41c00efe.jsonl", Format::GEMINI_CLI),
    ("gemini-cli", "telemetry.log", Format::GEMINI_TELEMETRY),
    ("copilot-cli", ".jsonl", Format::COPILOT_CLI),
    ("otel", ".jsonl", Format::OTLP),
    ("har", ".har", Format::HAR),
    ("mitmproxy", ".flows", Format::MITMPROXY),
    ("inspect_ai", ".eval", Format::INSPECT),
    ("langfuse", ".trace.json", Format::LANGFUSE),
    ("litellm", ".jsonl", Format::LITELLM),
    ("swe-agent", ".traj", Format::SWE_AGENT),
];

#[test]
fn recorded_files_are_recognised_and_read() {
    let mut n_files = 0;
    for (folder, end, expected) in FOLDERS {
        let files = samples::files(folder);
        for path in files.iter().filter(|path| path.to_str().unwrap().ends_with(end)) {
            let bytes = std::fs::read(path).unwrap();
            assert_eq!(detect(&bytes), Detection::Readable(expected), "{}", path.display());
            assert!(!import(&bytes).sessions.is_empty(), "{}", path.display());
            n_files += 1;
        }
    }
    assert!(n_files >= 2, "{n_files}");
}

#[test]
fn every_recorded_transcript_is_read_without_an_error() {
    let files = samples::files("claude-code");
    let transcripts = files.iter().filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let mut n_transcripts = 0;
    for path in transcripts {
        let imported = import(&std::fs::read(path).unwrap());
        assert_eq!(imported.sessions.len(), 1, "{}", path.display());
        let errors = imported.diagnostics.iter().filter(|it| it.severity == strata_model::Severity::Error);
        assert_eq!(errors.count(), 0, "{}", path.display());
        n_transcripts += 1;
    }
    assert!(n_transcripts > 0);
}

/// A list of Cline's messages without times is one of plain messages but for what the extension writes.
#[test]
fn a_task_of_cline_is_known_by_what_the_extension_writes() {
    let message = |role: &str, text: &str| {
        format!(r#"{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}"#)
    };
    let task = message("user", "<task>\\nfix it\\n</task>");
    let told = message("user", "[read_file for 'a.ts'] Result:\\nconst a = 1");
    let details = task.replace("]}", r#",{"type":"text","text":"<environment_details>\n# Time"}]}"#);
    let answer = message("assistant", "Done.");
    check(&format!("[{task},{answer},{told}]"), Format::CLINE);
    check(&format!("[{details},{answer}]"), Format::CLINE);
    check(&format!("[{task},{answer}]"), Format::MESSAGES);
    check(&format!("[{answer},{told}]"), Format::MESSAGES);
}
