//! Captured traffic of clients that tell nobody their session, and the files that they write: one run, told by its answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::Strata;

use crate::recorded::{bases, open, write};
use crate::{ask, compiled, import, start};

/// The second of a run.
const BEGIN: f64 = 1_795_600_000.0;

/// A log of captured requests, each with its answer.
struct Capture(String);

impl Capture {
    fn new() -> Self {
        Self(format!("{}\n", json!({ "strata_capture": 1, "began": BEGIN })))
    }

    fn exchange(mut self, n: u32, url: &str, client: &str, body: &Value, answer: &Value) -> Self {
        let at = BEGIN + f64::from(n);
        let (body, answer) = (body.to_string(), answer.to_string());
        let lines = [
            json!({ "strata_capture": 1, "request": n, "at": at, "method": "POST", "url": url, "upstream": "any",
                "headers": [["content-type", "application/json"], ["user-agent", client]], "bytes": body.len(), "body": [body] }),
            json!({ "strata_capture": 1, "answer": n, "at": at + 0.1, "ended": at + 0.2, "status": 200,
                "headers": [["content-type", "application/json"]], "bytes": answer.len(), "writes": [[1, answer.len()]],
                "end": "complete", "body": answer }),
        ];
        for line in lines {
            self.0 += &format!("{line}\n");
        }
        self
    }
}

fn time(n: f64) -> String {
    let time = jiff::Timestamp::from_millisecond(((BEGIN + n) * 1000.0) as i64).expect("a time");
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// A run of pi, which calls itself by the library that it is made with, with the id of its first call alone.
fn pi(folder: &Path) -> (PathBuf, PathBuf) {
    let system = json!({ "role": "system", "content": "You keep books." });
    let user = json!({ "role": "user", "content": "Which berth is free?" });
    let call = json!({ "id": "call_0593c5344fbc3bd12a330", "type": "function",
        "function": { "name": "read", "arguments": "{\"path\":\"berths.txt\"}" } });
    let called = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    let result = json!({ "role": "tool", "tool_call_id": "call_0593c5344fbc3bd12a330", "content": "7" });
    let answer = |id: &str, message: &Value| {
        json!({ "id": id, "object": "chat.completion", "model": "m", "choices": [{ "index": 0, "message": message,
            "finish_reason": "stop" }], "usage": { "prompt_tokens": 40, "completion_tokens": 4, "total_tokens": 44 } })
    };
    let body = |messages: &[&Value]| json!({ "model": "m", "messages": messages });
    let url = "http://127.0.0.1/v1/chat/completions";
    let capture = Capture::new()
        .exchange(
            1,
            url,
            "OpenAI/JS 6.1",
            &body(&[&system, &user]),
            &answer("chatcmpl-98e85bd7187cd305", &called),
        )
        .exchange(
            2,
            url,
            "OpenAI/JS 6.1",
            &body(&[&system, &user, &called, &result]),
            &answer("chatcmpl-0b082699f57d1ec3", &json!({ "role": "assistant", "content": "Number 7." })),
        );
    let message = |n: u32, at: f64, message: Value| {
        json!({ "type": "message", "id": format!("p{n}"), "parentId": (n > 1).then(|| format!("p{}", n - 1)),
            "timestamp": time(at), "message": message })
    };
    let usage = json!({ "input": 40, "output": 4, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 44 });
    let file = [
        json!({ "type": "session", "version": 3, "id": "01a22273-6507-7540-a9b8-212f6573bcc9", "timestamp": time(0.5), "cwd": "/w" }),
        message(
            1,
            0.9,
            json!({ "role": "user", "content": [{ "type": "text", "text": "Which berth is free?" }] }),
        ),
        message(
            2,
            1.2,
            json!({ "role": "assistant", "api": "openai-completions", "provider": "p", "model": "m", "usage": usage, "content": [
                { "type": "toolCall", "id": "call_0593c5344fbc3bd12a330", "name": "read", "arguments": { "path": "berths.txt" } }] }),
        ),
        message(
            3,
            1.5,
            json!({ "role": "toolResult", "toolCallId": "call_0593c5344fbc3bd12a330", "toolName": "read",
                "content": [{ "type": "text", "text": "7" }] }),
        ),
        message(
            4,
            2.2,
            json!({ "role": "assistant", "api": "openai-completions", "provider": "p", "model": "m", "usage": usage,
                "content": [{ "type": "text", "text": "Number 7." }] }),
        ),
    ];
    let file = file.map(|line| format!("{line}\n")).concat();
    (write(folder, "pi.jsonl", &file), write(folder, "capture-pi.jsonl", &capture.0))
}

/// A chat of Gemini CLI, whose answers have no ids in common with the provider's.
fn gemini_file(folder: &Path, id: &str, said: &str, prompt_tokens: u32) -> PathBuf {
    let answer = |n: f64, text: &str, tokens: u32| {
        json!({ "id": format!("{id}-{n}"), "timestamp": time(n), "type": "gemini", "content": text, "thoughts": [],
            "tokens": { "input": tokens, "output": 3, "cached": 0, "thoughts": 0, "tool": 0, "total": tokens + 3 },
            "model": "gemini-3-flash" })
    };
    let user = |n: f64, text: &str| json!({ "id": format!("{id}-{n}"), "timestamp": time(n), "type": "user", "content": [{ "text": text }] });
    let lines = [
        json!({ "sessionId": id, "projectHash": "abc", "startTime": time(0.1), "lastUpdated": time(2.5), "kind": "main" }),
        user(0.9, "Which berth is free?"),
        answer(1.3, said, prompt_tokens),
        user(1.9, "Sure?"),
        answer(2.3, "Yes.", 60),
    ];
    write(folder, &format!("{id}.jsonl"), &lines.map(|line| format!("{line}\n")).concat())
}

fn gemini_capture(folder: &Path) -> PathBuf {
    let content = |role: &str, text: &str| json!({ "role": role, "parts": [{ "text": text }] });
    let answer = |id: &str, text: &str, tokens: u32| {
        json!({ "candidates": [{ "content": content("model", text), "finishReason": "STOP" }], "responseId": id,
            "modelVersion": "gemini-3-flash", "usageMetadata": { "promptTokenCount": tokens, "candidatesTokenCount": 3,
            "totalTokenCount": tokens + 3 } })
    };
    let body = |contents: &[Value]| json!({ "systemInstruction": { "parts": [{ "text": "You keep books." }] }, "contents": contents });
    let (asked, told, again) =
        (content("user", "Which berth is free?"), content("model", "Number 7."), content("user", "Sure?"));
    let url = "http://127.0.0.1/v1beta/models/gemini-3-flash:generateContent";
    let client = "GeminiCLI/0.61.0/gemini-3-flash (linux; x64)";
    let capture = Capture::new()
        .exchange(
            1,
            url,
            client,
            &body(std::slice::from_ref(&asked)),
            &answer("1b297e1857a391dcdf41a9", "Number 7.", 40),
        )
        .exchange(
            2,
            url,
            client,
            &body(&[asked, told, again]),
            &answer("ead3f1491fbed3d55cada5", "Yes.", 60),
        );
    write(folder, "capture-gemini.jsonl", &capture.0)
}

/// What importing the file and the capture gives, in both orders.
fn joined_in_both_orders(file: &Path, capture: &Path) -> Vec<Vec<String>> {
    [false, true]
        .into_iter()
        .map(|is_capture_first| {
            let strata = start();
            if is_capture_first {
                import(&strata, capture);
            }
            let session = open(&strata, file);
            if !is_capture_first {
                let job = import(&strata, capture);
                assert!(job["diagnostics"].to_string().contains("joined-trace"), "{job:#}");
                compiled(&strata, &session);
            }
            bases(&strata, &session)
        })
        .collect()
}

#[test]
fn a_file_is_found_by_the_ids_of_its_calls_and_by_words_between_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, capture) = pi(folder.path());
    let recorded = ["recorded", "recorded"].map(str::to_owned).to_vec();
    assert_eq!(joined_in_both_orders(&file, &capture), [recorded.clone(), recorded]);
}

#[test]
fn a_file_without_ids_is_found_by_all_that_was_answered_in_it_then() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = gemini_file(folder.path(), "gem-1", "Number 7.", 40);
    let recorded = ["recorded", "recorded"].map(str::to_owned).to_vec();
    assert_eq!(joined_in_both_orders(&file, &gemini_capture(folder.path())), [recorded.clone(), recorded]);
}

fn given(files: &[PathBuf], capture: &Path) -> Vec<String> {
    let strata: Arc<Strata> = start();
    let sessions: Vec<String> = files.iter().map(|file| open(&strata, file)).collect();
    import(&strata, capture);
    let of_session = |session: &String| {
        compiled(&strata, session);
        let call = ask(&strata, "call/get", &json!({ "session": session, "call": 1 }));
        call["requestBasis"].as_str().expect("a basis").to_owned()
    };
    sessions.iter().map(of_session).collect()
}

#[test]
fn a_file_of_another_run_is_given_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = gemini_capture(folder.path());
    let file = |id: &str, said: &str, tokens: u32| gemini_file(folder.path(), id, said, tokens);
    // It says something else, or as much was counted of another prompt.
    assert_eq!(given(&[file("gem-2", "Number 8.", 40)], &capture), ["recompiled"]);
    assert_eq!(given(&[file("gem-3", "Number 7.", 41)], &capture), ["recompiled"]);
    // Beside the right one, it changes nothing.
    let both = [file("gem-4", "Number 7.", 40), file("gem-5", "Number 8.", 40)];
    assert_eq!(given(&both, &capture), ["recorded", "recompiled"]);
    // Nobody can tell which of two that are the same was captured.
    let twins = [file("gem-6", "Number 7.", 40), file("gem-7", "Number 7.", 40)];
    assert_eq!(given(&twins, &capture), ["recompiled", "recompiled"]);
}
