//! Why less was found in a cache than could be, where the provider reports what it found.

use std::fs;

use serde_json::{Value, json};
use strata_app::report::{self, Source};
use tempfile::TempDir;

use crate::samples::Unwatched;

/// A conversation that grows by a question and an answer a call.
const N_CALLS: usize = 5;

fn rules() -> String {
    let rules: Vec<String> = (0..400).map(|rule| format!("Rule {rule}: be precise.")).collect();
    rules.join(" ")
}

fn said(n_calls: usize) -> Vec<Value> {
    let question = |n: usize| json!({"role": "user", "content": format!("What is item {n}? {}", "It is long. ".repeat(20))});
    let answer = |n: usize| json!({"role": "assistant", "content": format!("Item {n} is so.")});
    let mut said: Vec<Value> = (1..n_calls).flat_map(|n| [question(n), answer(n)]).collect();
    said.push(question(n_calls));
    said
}

fn line(n: usize, url: &str, body: &Value, answer: &Value) -> String {
    let time = format!("2026-05-01T10:{n:02}:00Z");
    json!({"timestamp": time, "request": {"method": "POST", "url": url, "body": body},
        "response": {"status": 200, "body": answer}})
    .to_string()
}

/// A log in OpenAI's dialect: the body of each call, the prompt it is reported to have had and what was found of it.
fn openai(bodies: impl IntoIterator<Item = (Value, [u32; 2])>) -> String {
    let lines = bodies.into_iter().enumerate().map(|(at, (body, [prompt, cached]))| {
        let n = at + 1;
        let answer = json!({"id": format!("chatcmpl-of-call-{n}"), "object": "chat.completion", "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": format!("Item {n} is so.")}}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": 6, "total_tokens": prompt + 6,
                "prompt_tokens_details": {"cached_tokens": cached}}});
        line(n, "http://x/v1/chat/completions", &body, &answer)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The call with the loss, its cause, its sentence and its tokens, for each loss of a log's only session.
fn losses(log: &str) -> Vec<(u32, String, String, u32)> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("log.jsonl");
    fs::write(&path, log).expect("a file");
    let source = Source { name: path.display().to_string(), ..Source::default() };
    let cache = report::cache(&source, None, &Unwatched::default()).expect("an analysis");
    let lost = cache.calls.iter().filter_map(|call| Some((call.call, call.loss.as_ref()?)));
    lost.map(|(call, loss)| {
        let loss_json = serde_json::to_value(loss).expect("JSON");
        let cause = loss_json["cause"].as_str().expect("a cause").to_owned();
        (call, cause, loss.detail.clone(), loss.rebilled_tokens)
    })
    .collect()
}

#[test]
fn another_key_of_the_cache_is_named_where_nothing_was_found() {
    let body = |n: usize| {
        let key = if n < 4 { "desk-eu-1" } else { "desk-eu-2" };
        let mut messages = vec![json!({"role": "system", "content": rules()})];
        messages.extend(said(n));
        json!({"model": "gpt-4.1", "prompt_cache_key": key, "messages": messages})
    };
    let size = |n: usize| 3_300 + 80 * n as u32;
    let found = |n: usize| if n == 1 || n == 4 { 0 } else { size(n - 1) / 128 * 128 };
    let log = openai((1..=N_CALLS).map(|n| (body(n), [size(n), found(n)])));
    let lost = losses(&log);
    let [(4, cause, detail, tokens)] = &lost[..] else { panic!("{lost:?}") };
    assert_eq!((&**cause, *tokens), ("parameters_changed", size(3) / 128 * 128));
    assert!(detail.contains("prompt_cache_key desk-eu-1 → desk-eu-2"), "{detail}");
}

#[test]
fn another_model_is_named_where_prompts_are_marked_and_reported() {
    let lines = (1..=N_CALLS).map(|n| {
        let model = if n < 4 { "claude-sonnet-4-5" } else { "claude-sonnet-4-6" };
        let system = json!([{"type": "text", "text": rules(), "cache_control": {"type": "ephemeral"}}]);
        let mut messages = said(n);
        let last = messages.last_mut().expect("a message");
        let text = last["content"].clone();
        last["content"] = json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
        let body = json!({"model": model, "max_tokens": 900, "system": system, "messages": messages});
        let size = |n: usize| 3_300 + 80 * n as u32;
        let found = if n == 1 || n == 4 { 0 } else { size(n - 1) };
        let answer = json!({"id": format!("msg_of_the_call_{n}"), "type": "message", "role": "assistant", "model": model,
            "content": [{"type": "text", "text": format!("Item {n} is so.")}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 3, "cache_read_input_tokens": found,
                "cache_creation_input_tokens": size(n) - found, "output_tokens": 6}});
        line(n, "https://api.anthropic.com/v1/messages", &body, &answer)
    });
    let lost = losses(&lines.collect::<Vec<_>>().join("\n"));
    let [(4, cause, detail, tokens)] = &lost[..] else { panic!("{lost:?}") };
    assert_eq!(
        (&**cause, &**detail),
        ("model_changed", "the model changed claude-sonnet-4-5 → claude-sonnet-4-6")
    );
    assert!((3_500..=3_543).contains(tokens), "{tokens}");
}

#[test]
fn another_example_in_the_place_of_one_is_no_summary() {
    let example = |n: usize| {
        let (question, answer) = match n {
            ..4 => (
                "How do I change my name on a ticket?",
                "Write to the desk with the number of the booking and a copy of the passport.",
            ),
            _ => (
                "May a dog come along?",
                "In a kennel on the open deck, or in a cabin for pets, which is booked by phone.",
            ),
        };
        [
            json!({"role": "user", "content": question.repeat(8)}),
            json!({"role": "assistant", "content": answer.repeat(8)}),
        ]
    };
    let body = |n: usize| {
        let mut messages = vec![json!({"role": "system", "content": rules()})];
        messages.extend(example(n));
        messages.extend(said(n));
        json!({"model": "gpt-4.1", "messages": messages})
    };
    let size = |n: usize| 3_500 + 80 * n as u32;
    let found = |n: usize| match n {
        1 => 0,
        4 => 3_200,
        n => size(n - 1) / 128 * 128,
    };
    let lost = losses(&openai((1..=N_CALLS).map(|n| (body(n), [size(n), found(n)]))));
    let [(4, cause, ..)] = &lost[..] else { panic!("{lost:?}") };
    assert_eq!(cause, "history_rewritten");
}
