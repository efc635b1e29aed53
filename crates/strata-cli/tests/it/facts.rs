//! Recorded sessions are shown with the numbers that were counted in them by other means.

use std::path::Path;

use serde_json::{Map, Value, json};
use strata_testkit::samples;

use crate::strata::Computer;

/// What `FACTS.json` calls what the command line calls otherwise.
const NAMES: &[(&str, &str)] = &[
    ("events", "/events"),
    ("user_turns", "/userTurns"),
    ("invocations", "/invocations"),
    ("tool_calls", "/toolCalls"),
    ("model_responses", "/calls"),
    ("compactions", "/compactions"),
    ("input_tokens_total", "/reportedUsage/inputTokens"),
    ("cached_tokens", "/reportedUsage/cachedTokens"),
    ("usage_cache_creation", "/reportedUsage/cacheWriteTokens"),
    ("output_tokens_total", "/reportedUsage/outputTokens"),
];

/// What files relay of their sub-agents, counted apart by message id: the facts are of a file's own records alone.
const RELAYED: &[(&str, &[(&str, u64)])] = &[
    (
        "claude-code/entire-cli/glued-lines-dup-uuid.8c_fa910f8ef9_0.jsonl",
        &[
            ("tool_calls", 14),
            ("model_responses", 9),
            ("input_tokens_total", 286_930),
            ("cached_tokens", 241_393),
            ("usage_cache_creation", 45_386),
            ("output_tokens_total", 14),
        ],
    ),
    (
        "claude-code/entire-cli/subagents-inline-progress.6d_9f76bd01e9_0.jsonl",
        &[
            ("tool_calls", 197),
            ("model_responses", 156),
            ("input_tokens_total", 12_741_751),
            ("cached_tokens", 11_990_721),
            ("usage_cache_creation", 701_657),
            ("output_tokens_total", 1_286),
        ],
    ),
];

#[test]
fn recorded_sessions_have_the_known_numbers() {
    let mut n_checked = Vec::new();
    let mut differences = Vec::new();
    for folder in samples::folders() {
        let text = std::fs::read(folder.join("FACTS.json")).unwrap();
        let known: Value = serde_json::from_slice(&text).unwrap();
        let entries = known["facts"].as_array().unwrap().iter().filter_map(Value::as_object);
        let read: Vec<_> = entries.filter(|entry| is_read(entry["format"].as_str().unwrap())).collect();
        n_checked.push(read.len());
        differences.extend(read.into_iter().flat_map(|entry| check(&folder, entry)));
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(n_checked == [2] || n_checked == [2, 10], "FACTS.json has other entries than it had");
}

fn is_read(format: &str) -> bool {
    format.starts_with("adk-") || format == "claude-code-jsonl"
}

fn check(folder: &Path, facts: &Map<String, Value>) -> Vec<String> {
    let file = facts["file"].as_str().unwrap();
    let path = folder.join(file);
    let mut command = Computer::new().command("show --json");
    let output = command.arg(&path).output().unwrap();
    assert!(output.status.success(), "{file}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sessions = document["sessions"].as_array().unwrap();
    let wanted = facts.get("session_id").unwrap_or(&sessions[0]["id"]);
    let session = sessions.iter().find(|session| session["id"] == *wanted).unwrap();
    let mut differences = Vec::new();
    let mut compare = |name: &str, found: &Value, expected: &Value| {
        if found != expected {
            differences.push(format!("{file}: {name} is {found}, expected {expected}"));
        }
    };
    compare("format", &session["format"], &facts["format"]);
    for name in ["sessions_in_db", "eval_cases"] {
        if let Some(expected) = facts.get(name) {
            compare(name, &json!(sessions.len()), expected);
        }
    }
    for (name, place) in NAMES {
        let Some(mut expected) = facts.get(*name).cloned() else { continue };
        if let Some((_, relayed)) = RELAYED.iter().find(|(path, _)| *path == file) {
            let more = relayed.iter().find(|(relayed, _)| relayed == name).map_or(0, |(_, more)| *more);
            expected = json!(expected.as_u64().unwrap() + more);
        }
        if *name == "output_tokens_total" {
            // Ours is what is billed as output; thoughts are counted apart there.
            let thoughts = facts.get("thoughts_tokens").and_then(Value::as_u64).unwrap_or(0);
            expected = json!(expected.as_u64().unwrap() + thoughts);
        }
        if *name == "invocations" && session["format"] == "adk-evalset" {
            // Its events name no invocations there; every turn of it is one here.
            expected = facts["user_turns"].clone();
        }
        let found = session.pointer(place).unwrap_or(&Value::Null);
        // Where nothing was reported, our sums are absent and not 0.
        if !(found.is_null() && expected == 0 && session["reportedUsage"].is_null()) {
            compare(name, found, &expected);
        }
    }
    differences
}
