//! Recorded sessions give exactly the numbers that were counted in them by other means.

use std::path::Path;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use strata_import::{ClaudeFacts, Detection, Facts, Import, SourceFacts, detect, import, import_tables};

use crate::sqlite_file::read_tables;
use crate::support::recorded_samples;

/// Keys that say something about the entry, not about the session.
const ABOUT_THE_ENTRY: [&str; 5] = ["file", "format", "note", "origin", "session_id"];

#[test]
fn every_recorded_session_gives_the_known_numbers() {
    let Some(folder) = recorded_samples() else { return };
    let text = std::fs::read_to_string(folder.join("FACTS.json")).unwrap();
    let known: Value = serde_json::from_str(&text).unwrap();
    let entries = known["facts"].as_array().unwrap().iter();
    let mut n_checked = 0;
    for entry in entries.filter(|entry| is_ours(entry["format"].as_str().unwrap())) {
        check(&folder, entry.as_object().unwrap());
        n_checked += 1;
    }
    assert_eq!(n_checked, 10, "FACTS.json has other entries than it had");
}

fn is_ours(format: &str) -> bool {
    format.starts_with("adk-") || format == "claude-code-jsonl"
}

fn check(folder: &Path, entry: &Map<String, Value>) {
    let file = entry["file"].as_str().unwrap();
    let bytes = std::fs::read(folder.join(file)).unwrap();
    let imported = read(&bytes);
    if entry["format"] == "adk-db-v0-pickle" {
        assert!(imported.sessions.is_empty(), "{file}");
        assert!(imported.diagnostics[0].message.contains("adk migrate session"), "{file}");
        return;
    }
    let mut found = found(&imported, entry);
    found.insert("bytes".into(), json!(bytes.len()));
    found.insert("sha256".into(), json!(hex(&Sha256::digest(&bytes))));
    for (key, expected) in entry.iter().filter(|(key, _)| !ABOUT_THE_ENTRY.contains(&&***key)) {
        assert_eq!(found.get(key), Some(expected), "{key} of {file}");
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

fn found(imported: &Import, entry: &Map<String, Value>) -> Map<String, Value> {
    let wanted = entry.get("session_id").and_then(Value::as_str);
    let session = imported.sessions.iter().find(|it| wanted.is_none_or(|id| *it.session.id == *id)).unwrap();
    let facts = &session.facts;
    let mut found = common(facts);
    found.insert("sessions_in_db".into(), json!(imported.sessions.len()));
    found.insert("eval_cases".into(), json!(imported.sessions.len()));
    match &facts.source {
        SourceFacts::Adk => {}
        SourceFacts::ClaudeCode(own) => found.extend(claude(facts, own)),
    }
    found
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
