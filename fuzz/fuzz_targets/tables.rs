//! Databases of every tool, with bytes of the fuzzer in every column.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strata_import::{MemoryTables, OwnedValue, import_tables};
use strata_model::Severity;

const COLUMNS: [(&str, &[&str]); 24] = [
    ("events", &["id", "app_name", "user_id", "session_id", "invocation_id", "author", "timestamp", "actions", "content", "usage_metadata"]),
    ("events", &["id", "app_name", "user_id", "session_id", "invocation_id", "timestamp", "event_data"]),
    ("sessions", &["app_name", "user_id", "id", "state", "update_time", "name", "parent_session_id", "model_config_json"]),
    ("part", &["id", "message_id", "data"]),
    ("message", &["id", "session_id", "time_created", "data"]),
    ("session", &["id", "parent_id", "title"]),
    ("messages", &["id", "session_id", "role", "content_json", "created_timestamp", "metadata_json", "message_id"]),
    ("checkpoints", &["thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"]),
    ("writes", &["thread_id"]),
    ("agent_messages", &["id", "session_id", "message_data", "created_at"]),
    ("turn_usage", &["id", "session_id", "branch_id", "user_turn_number", "input_tokens", "input_tokens_details"]),
    ("llama_index_memory", &["id", "key", "timestamp", "role", "status", "data"]),
    ("latest_kickoff_task_outputs", &["task_id", "expected_output", "output", "task_index", "inputs", "timestamp"]),
    ("spans", &["id", "trace_rowid", "trace_id", "span_id", "parent_id", "start_time", "attributes", "events", "content"]),
    ("traces", &["id", "trace_id"]),
    ("trace_info", &["request_id"]),
    ("sessions", &["id", "parent_session_id", "title", "message_count", "prompt_tokens", "completion_tokens", "cost", "created_at"]),
    ("messages", &["id", "session_id", "role", "parts", "model", "created_at", "finished_at", "provider"]),
    ("threads", &["id", "summary", "updated_at", "data_type", "data"]),
    ("cursorDiskKV", &["key", "value"]),
    ("conversations_v2", &["key", "conversation_id", "value", "created_at", "updated_at"]),
    ("conversations", &["key", "value"]),
    ("auth_kv", &["key", "value"]),
    ("usage_ledger", &["id", "session_id", "created_timestamp", "model", "input_tokens", "output_tokens", "is_compaction"]),
];

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first_chunk() else { return };
    let choice = u32::from_le_bytes(*choice);
    let mut tables = MemoryTables::new();
    for (at, (name, columns)) in COLUMNS.iter().enumerate() {
        if choice & (1 << at) == 0 {
            continue;
        }
        let rows = bytes.split(|byte| *byte == 0xff).take(8).map(|row| {
            columns.iter().map(|column| value(column, row)).collect()
        });
        tables.add(name, columns, rows.collect());
    }
    let imported = import_tables(&mut tables);
    let has_error = imported.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert!(!imported.sessions.is_empty() || has_error, "nothing, and no reason");
});

fn value(column: &str, row: &[u8]) -> OwnedValue {
    match column {
        "actions" | "checkpoint" => OwnedValue::Blob(row.to_vec()),
        "type" => OwnedValue::Text("msgpack".to_owned()),
        "data" | "event_data" | "content" | "content_json" | "state" | "metadata_json" | "usage_metadata"
        | "message_data" | "parts" | "value" | "input_tokens_details" | "output" | "inputs" | "attributes" | "events" => {
            OwnedValue::Text(String::from_utf8_lossy(row).into_owned())
        }
        _ => OwnedValue::Text("x".to_owned()),
    }
}
