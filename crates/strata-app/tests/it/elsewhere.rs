//! Sessions of one source share the caches of one provider.

use std::fs;

use serde_json::{Value, json};
use strata_app::report::{self, Source};
use tempfile::TempDir;

use crate::samples::Unwatched;

/// A request log of conversations, each request with when it was sent, what was said, and what the server found in its
/// cache of how much.
fn log(model: &str, exchanges: &[(u32, &[&str], [u32; 2])]) -> String {
    let rules: Vec<String> = (0..400).map(|rule| format!("Rule {rule}: be precise.")).collect();
    let rules = rules.join(" ");
    let mut lines = String::new();
    for (n, (at, said, [prompt, cached])) in exchanges.iter().enumerate() {
        let mut messages = vec![json!({"role": "system", "content": rules})];
        for (turn, text) in said.iter().enumerate() {
            let role = ["user", "assistant"][turn % 2];
            messages.push(json!({"role": role, "content": text}));
        }
        let body = json!({"model": model, "messages": messages});
        let answer = json!({"id": format!("r{n}"), "object": "chat.completion", "model": model,
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It is so."}}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": 4, "total_tokens": prompt + 4,
                "prompt_tokens_details": {"cached_tokens": cached}}});
        let time = format!("2026-05-01T10:{:02}:{:02}Z", at / 60, at % 60);
        let line = json!({"timestamp": time, "request": {"method": "POST", "url": "http://x/v1/chat/completions",
            "body": body}, "response": {"status": 200, "body": answer}});
        lines.push_str(&format!("{line}\n"));
    }
    lines
}

/// For each session of a log, in order: what was predicted and reported of its first call, and why they differ.
fn first_calls(log: &str) -> Vec<(u64, u64, Value)> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("log.jsonl");
    fs::write(&path, log).expect("a file");
    let source = Source { name: path.display().to_string(), ..Source::default() };
    let bytes = fs::read(&path).expect("the file");
    let ids = strata_import::import(&bytes).sessions.into_iter().map(|one| one.session.id);
    let first = ids.map(|id| {
        let cache = report::cache(&source, Some(&id), &Unwatched::default()).expect("an analysis");
        let call = serde_json::to_value(&cache).expect("JSON")["calls"][0].clone();
        let tokens = |name: &str| call[name].as_u64().unwrap_or_else(|| panic!("{name}: {call}"));
        (tokens("predictedCachedTokens"), tokens("reportedCachedTokens"), call["difference"].clone())
    });
    first.collect()
}

#[test]
fn a_prompt_that_another_session_sent_is_found_again() {
    let repeated = log(
        "ollama/llama3.1:8b",
        &[
            (1, &["What is item 7?"], [3347, 0]),
            (10, &["What is item 7?", "It is so.", "And item 8?"], [3365, 3346]),
            (20, &["What is item 7?"], [3347, 3346]),
            (30, &["How many items are there?"], [3349, 3336]),
        ],
    );
    let found = first_calls(&repeated);
    assert_eq!(found[0].0, 0);
    for (predicted, reported, difference) in &found[1..] {
        assert!(predicted.abs_diff(*reported) <= 16, "{found:?}");
        assert!(difference.is_null(), "{found:?}");
    }
}
