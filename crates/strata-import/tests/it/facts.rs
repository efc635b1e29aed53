//! Recorded sessions give exactly the numbers that were counted in them by other means.

use std::path::Path;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use strata_import::{ClaudeFacts, Detection, Facts, Import, SourceFacts, detect, import, import_tables};
use strata_testkit::samples;

use crate::sqlite_file::read_tables;

/// Keys that say something about the entry, not about the session.
const ABOUT_THE_ENTRY: [&str; 7] =
    ["file", "format", "note", "origin", "session_id", "user_turns_definition", "input_tokens_definition"];

/// Formats of which output counts include thoughts.
const THOUGHTS_ARE_OUTPUT: [&str; 2] = ["codex-rollout-jsonl", "otlp-json-traces"];

/// What was counted by how lines begin, and what it is: file, number, ours.
const BY_THE_WAY_LINES_BEGIN: [(&str, &str, u64); 1] = [
    // Eight lines with `####` stand in answers: seven headings and quotations, and one that was put in by hand.
    ("aider/chat-history.md", "user_turns", 1_768),
];

#[test]
fn every_recorded_session_gives_the_known_numbers() {
    for folder in samples::folders() {
        let text = std::fs::read_to_string(folder.join("FACTS.json")).unwrap();
        let known: Value = serde_json::from_str(&text).unwrap();
        let entries = known["facts"].as_array().unwrap();
        for entry in entries {
            check(&folder, entry.as_object().unwrap());
        }
        assert!(entries.len() >= 2, "FACTS.json has fewer entries than it had");
    }
}

fn check(folder: &Path, entry: &Map<String, Value>) {
    let file = entry["file"].as_str().unwrap();
    let bytes = std::fs::read(folder.join(file)).unwrap();
    let imported = read(&bytes);
    let mut found = found(&imported, entry);
    found.insert("bytes".into(), json!(bytes.len()));
    found.insert("sha256".into(), json!(hex(&Sha256::digest(&bytes))));
    for (key, expected) in entry.iter().filter(|(key, _)| !ABOUT_THE_ENTRY.contains(&&***key)) {
        let mut known = BY_THE_WAY_LINES_BEGIN.iter();
        let ours = known.find(|known| (known.0, known.1) == (file, key.as_str())).map(|known| json!(known.2));
        let expected = ours.as_ref().unwrap_or(expected);
        let is_unsaid = expected.is_null() && found.get(key) == Some(&json!(0));
        assert!(
            is_unsaid || found.get(key) == Some(expected),
            "{key} of {file}: {:?}, not {expected}",
            found.get(key)
        );
    }
    let format = imported.sessions[0].format.id();
    assert_eq!(format, entry["format"].as_str().unwrap(), "{file}");
}

fn read(bytes: &[u8]) -> Import {
    match detect(bytes) {
        Detection::Sqlite => import_tables(&mut read_tables(bytes)),
        _ => import(bytes),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

/// Counts of the session an entry names, or of all sessions of its file.
fn found(imported: &Import, entry: &Map<String, Value>) -> Map<String, Value> {
    let wanted = entry.get("session_id").and_then(Value::as_str);
    let is_of_many = entry.contains_key("sessions");
    let mut sessions = imported.sessions.iter();
    let first = sessions.find(|it| wanted.is_none_or(|id| *it.session.id == *id)).unwrap();
    let mut found = counts(&first.facts, entry);
    if is_of_many {
        for other in sessions {
            add(&mut found, counts(&other.facts, entry));
        }
    }
    for name in ["sessions", "sessions_in_db", "eval_cases"] {
        found.entry(name).or_insert(json!(imported.sessions.len()));
    }
    let requests: usize = imported.sessions.iter().map(|one| one.requests.len()).sum();
    found.insert("recorded_requests".into(), json!(requests));
    found
}

fn counts(facts: &Facts, entry: &Map<String, Value>) -> Map<String, Value> {
    let mut counts = common(facts);
    match &facts.source {
        SourceFacts::Adk => {}
        SourceFacts::ClaudeCode(own) => counts.extend(claude(facts, own)),
        SourceFacts::Counts(own) => {
            let uncached = facts.input_tokens.saturating_sub(facts.cached_tokens + facts.cache_write_tokens);
            counts.insert("usage_uncached_input".into(), json!(uncached));
            counts.insert("thinking_parts".into(), json!(facts.thought_parts));
            let own =
                own.iter().map(|(name, value)| ((*name).to_owned(), serde_json::to_value(value).unwrap()));
            counts.extend(own);
        }
    }
    if THOUGHTS_ARE_OUTPUT.contains(&entry["format"].as_str().unwrap()) {
        counts.insert("output_tokens_total".into(), json!(facts.output_tokens + facts.thoughts_tokens));
    }
    counts
}

/// Adds numbers to numbers; what is the largest of something stays the largest.
fn add(sum: &mut Map<String, Value>, other: Map<String, Value>) {
    for (key, value) in other {
        let (Some(a), Some(b)) = (sum.get(&key).and_then(Value::as_u64), value.as_u64()) else { continue };
        sum.insert(key.clone(), json!(if key.starts_with("largest") { a.max(b) } else { a + b }));
    }
}

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!("an object") };
    object
}

fn common(facts: &Facts) -> Map<String, Value> {
    object(json!({
        "events": facts.events,
        "user_turns": facts.user_turns,
        "invocations": facts.invocations,
        "tool_calls": facts.tool_calls,
        "tool_results": facts.tool_results,
        "model_responses": facts.model_responses,
        "usage_events": facts.usage_events,
        "input_tokens_total": facts.input_tokens,
        "cached_tokens": facts.cached_tokens,
        "output_tokens_total": facts.output_tokens,
        "thoughts_tokens": facts.thoughts_tokens,
        "compactions": facts.compactions,
        "error_events": facts.error_events,
        "thought_parts": facts.thought_parts,
        "inline_data_parts": facts.inline_data_parts,
        "largest_tool_result_bytes": facts.largest_tool_result_bytes,
        "authors": facts.authors,
        "branches": facts.branches,
    }))
}

fn claude(facts: &Facts, own: &ClaudeFacts) -> Map<String, Value> {
    object(json!({
        "records": own.records,
        "glued_lines": own.glued_lines,
        "assistant_lines": own.assistant_lines,
        "tool_result_carrier_records": own.tool_result_carrier_records,
        "usage_uncached_input": own.usage_uncached_input,
        "usage_cache_creation": facts.cache_write_tokens,
        "naive_per_line_input_sum": own.naive_per_line_input_sum,
        "microcompactions": own.microcompactions,
        "images": own.images,
        "largest_image_base64_chars": own.largest_image_base64_chars,
        "sidechain_records": own.sidechain_records,
        "subagent_responses_in_progress_records": own.subagent_responses_in_progress_records,
        "synthetic_messages": own.synthetic_messages,
        "duplicate_uuids": own.duplicate_uuids,
        "out_of_order_timestamps": own.out_of_order_timestamps,
        "session_ids": own.session_ids.len(),
        "models": own.models,
        "versions": own.versions,
        "first_timestamp": own.first_timestamp,
        "last_timestamp": own.last_timestamp,
    }))
}
