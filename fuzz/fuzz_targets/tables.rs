//! Databases of every tool, with bytes of the fuzzer in every column.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strata_import::{MemoryTables, OwnedValue, import_tables};
use strata_model::Severity;

const COLUMNS: [(&str, &[&str]); 9] = [
    ("events", &["id", "app_name", "user_id", "session_id", "invocation_id", "author", "timestamp", "actions", "content", "usage_metadata"]),
    ("events", &["id", "app_name", "user_id", "session_id", "invocation_id", "timestamp", "event_data"]),
    ("sessions", &["app_name", "user_id", "id", "state", "update_time", "name", "parent_session_id", "model_config_json"]),
    ("part", &["id", "message_id", "data"]),
    ("message", &["id", "session_id", "time_created", "data"]),
    ("session", &["id", "parent_id", "title"]),
    ("messages", &["id", "session_id", "role", "content_json", "created_timestamp", "metadata_json", "message_id"]),
    ("checkpoints", &["thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"]),
    ("writes", &["thread_id"]),
];

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let mut tables = MemoryTables::new();
    for (at, (name, columns)) in COLUMNS.iter().enumerate() {
        if choice & (1 << (at % 8)) == 0 {
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
        "data" | "event_data" | "content" | "content_json" | "state" | "metadata_json" | "usage_metadata" => {
            OwnedValue::Text(String::from_utf8_lossy(row).into_owned())
        }
        _ => OwnedValue::Text("x".to_owned()),
    }
}
