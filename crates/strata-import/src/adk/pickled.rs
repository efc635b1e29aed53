//! Databases of `DatabaseSessionService` before 1.22: an event is a row, its actions are a pickle.

use strata_model::{Json, Object};

use super::pickle;
use super::session::SessionBuilder;
use super::stored::{Sessions, builder_of, key_of};
use crate::findings::Findings;
use crate::rows::{json_of, seconds_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{SqlValue, Table, TableError, TableSource};

/// Columns with JSON in them, by the field they are.
const JSON_COLUMNS: [(&str, &str); 7] = [
    ("content", "content"),
    ("grounding_metadata", "grounding_metadata"),
    ("custom_metadata", "custom_metadata"),
    ("usage_metadata", "usage_metadata"),
    ("citation_metadata", "citation_metadata"),
    ("input_transcription", "input_transcription"),
    ("output_transcription", "output_transcription"),
];
const TEXT_COLUMNS: [&str; 5] = ["invocation_id", "author", "branch", "error_code", "error_message"];
const FLAG_COLUMNS: [&str; 3] = ["partial", "turn_complete", "interrupted"];

/// Reads the events of every session. Columns that came later than the database was made are absent.
pub(super) fn read_events(
    source: &mut dyn TableSource,
    sessions: &mut Sessions,
    findings: &mut Findings,
) -> Result<(), TableError> {
    let tables = source.tables()?;
    let Some(events) = tables.iter().find(|table| table.name == "events") else { return Ok(()) };
    let columns = columns(events);
    source.rows(
        "events",
        &columns,
        &["app_name", "user_id", "session_id", "timestamp", "rowid"],
        &mut |row| {
            let key = key_of(row);
            if !sessions.contains_key(&key) {
                let message = "events belong to a session that has no row; the session was made from them";
                findings.warning("no-session-row", format!("session {}", key.2), message);
            }
            let builder: &mut SessionBuilder = builder_of(sessions, &key);
            let event = event_of(row, &columns, builder.place(), findings);
            let id = text_of(row.get(3)).unwrap_or_default();
            builder.push_event(event.into(), SourceRecord::Row { table: "events", id }, findings);
        },
    )
}

fn columns(events: &Table) -> Vec<&'static str> {
    let always = ["app_name", "user_id", "session_id", "id", "timestamp", "actions"];
    let sometimes = JSON_COLUMNS.iter().map(|(column, _)| *column).chain(TEXT_COLUMNS).chain(FLAG_COLUMNS);
    let sometimes = sometimes.chain(["long_running_tool_ids_json"]);
    always.into_iter().chain(sometimes.filter(|column| events.has(column))).collect()
}

fn event_of(row: &[SqlValue<'_>], columns: &[&str], place: &str, findings: &mut Findings) -> Object {
    let mut event = Object::new();
    let value = |column: &str| columns.iter().position(|name| *name == column).and_then(|at| row.get(at));
    event.push_some("id", text_of(value("id")));
    event.push_some("timestamp", seconds_of(value("timestamp")));
    for column in TEXT_COLUMNS {
        event.push_some(column, text_of(value(column)));
    }
    for (column, field) in JSON_COLUMNS {
        let json = json_of(value(column), place, findings);
        if !json.is_null() {
            event.push(field, json);
        }
    }
    for column in FLAG_COLUMNS {
        if let Some(SqlValue::Integer(flag)) = value(column) {
            event.push(column, *flag != 0);
        }
    }
    let ids = json_of(value("long_running_tool_ids_json"), place, findings);
    if !ids.is_null() {
        event.push("long_running_tool_ids", ids);
    }
    if let Some(SqlValue::Blob(bytes)) = value("actions") {
        match pickle::read(bytes) {
            Ok(Json::Object(actions)) => event.push("actions", actions),
            Ok(Json::Null) => {}
            Ok(other) => {
                let message = format!(
                    "the actions of an event are {} where an object should be; everything else of it was kept",
                    other.kind()
                );
                findings.error("unexpected-type", place, message);
            }
            Err(reason) => {
                let message = format!(
                    "the actions of an event could not be read as data ({reason}); everything else of it was kept"
                );
                findings.error("broken-actions", place, message);
            }
        }
    }
    event
}
