//! Recorded sessions are shown with the numbers that were counted in them by other means.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

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

#[test]
fn recorded_sessions_have_the_known_numbers() {
    let Some(folder) = recorded_samples() else { return };
    let known: Value = serde_json::from_slice(&std::fs::read(folder.join("FACTS.json")).unwrap()).unwrap();
    let mut n_checked = 0;
    let mut differences = Vec::new();
    for entry in known["facts"].as_array().unwrap().iter().filter_map(Value::as_object) {
        if is_read(entry["format"].as_str().unwrap()) {
            differences.extend(check(&folder, entry));
            n_checked += 1;
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(n_checked, 10, "FACTS.json has other entries than it had");
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
        if *name == "output_tokens_total" {
            // Ours is what is billed as output; thoughts are counted apart there.
            let thoughts = facts.get("thoughts_tokens").and_then(Value::as_u64).unwrap_or(0);
            expected = json!(expected.as_u64().unwrap() + thoughts);
        }
        let found = session.pointer(place).unwrap_or(&Value::Null);
        // Where nothing was reported, our sums are absent and not 0.
        if !(found.is_null() && expected == 0 && session["reportedUsage"].is_null()) {
            compare(name, found, &expected);
        }
    }
    differences
}

/// The folder of recorded sessions that cannot be committed, if it is on this computer. Says so when there is none.
fn recorded_samples() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_complete = |folder: &PathBuf| folder.join("FACTS.json").is_file();
    let folder = match std::env::var_os("STRATA_SAMPLES") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => here.ancestors().map(|above| above.join("shared/samples")).find(is_complete),
    };
    let folder = folder.filter(is_complete);
    if folder.is_none() {
        eprintln!("no recorded samples found: tests over them are skipped; set STRATA_SAMPLES to run them");
    }
    folder
}
