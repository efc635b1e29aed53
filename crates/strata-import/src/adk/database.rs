//! Databases of ADK's session services: `SqliteSessionService`, and `DatabaseSessionService` of schemas 0 and 1.

use std::collections::BTreeMap;

use strata_model::{Json, Object, StateScopes, Str, json};

use super::pickled;
use super::session::FIRST_GENERATION;
use super::stored::{Sessions, builder_of, key_of};
use crate::findings::Findings;
use crate::format::{Format, UnreadFormat};
use crate::imported::ImportedSession;
use crate::repair::repair;
use crate::rows::text_of;
use crate::source::SourceRecord;
use crate::tables::{self, SqlValue, Table, TableError, TableSource};
use crate::time::epoch_seconds;

/// Which service wrote a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Schema {
    /// `SqliteSessionService`.
    Sqlite,
    /// `DatabaseSessionService` before 1.22.
    Pickles,
    /// `DatabaseSessionService` since then.
    Versioned,
}

fn events_have(all: &[Table], column: &str) -> bool {
    all.iter().any(|table| table.name == "events" && table.has(column))
}

pub(crate) fn is_database(all: &[Table]) -> bool {
    events_have(all, "event_data") && tables::has(all, "adk_internal_metadata")
}

pub(crate) fn is_sqlite(all: &[Table]) -> bool {
    events_have(all, "event_data")
}

pub(crate) fn is_pickle_database(all: &[Table]) -> bool {
    events_have(all, "actions")
}

/// The table of a `SqliteMemoryService`.
pub(crate) const MEMORY_TABLE: &str = "memory_events";

pub(crate) fn is_memory_database(all: &[Table]) -> bool {
    tables::has_column(all, MEMORY_TABLE, "content_json")
}

pub(crate) fn read_database(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Vec<ImportedSession> {
    Database { source, schema: Schema::Versioned, sessions: BTreeMap::new() }.sessions(format, findings)
}

pub(crate) fn read_sqlite(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Vec<ImportedSession> {
    Database { source, schema: Schema::Sqlite, sessions: BTreeMap::new() }.sessions(format, findings)
}

pub(crate) fn read_pickle_database(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Vec<ImportedSession> {
    Database { source, schema: Schema::Pickles, sessions: BTreeMap::new() }.sessions(format, findings)
}

struct Database<'s> {
    source: &'s mut dyn TableSource,
    schema: Schema,
    sessions: Sessions,
}

enum Refusal {
    Unread(UnreadFormat),
    Table(TableError),
}

impl From<TableError> for Refusal {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

impl Database<'_> {
    /// Every session, as far as the database can be read.
    fn sessions(mut self, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
        match self.read(findings) {
            Ok(()) => {}
            Err(Refusal::Unread(format)) => {
                findings.error("unread-format", "", format.refusal());
                return Vec::new();
            }
            Err(Refusal::Table(error)) => {
                let message =
                    format!("the database could not be read to its end ({error}); what was read was kept");
                findings.error("database", "", message);
            }
        }
        self.sessions.into_values().map(|builder| builder.finish(format, findings)).collect()
    }

    fn read(&mut self, findings: &mut Findings) -> Result<(), Refusal> {
        if self.schema == Schema::Versioned {
            self.check_version(findings)?;
        }
        self.read_sessions(findings)?;
        match self.schema {
            Schema::Pickles => {
                pickled::read_events(self.source, &mut self.sessions, findings)?;
                // Only those releases make such a database.
                self.sessions.values_mut().for_each(|session| session.mark_writer(FIRST_GENERATION));
            }
            Schema::Sqlite | Schema::Versioned => self.read_events(findings)?,
        }
        Ok(())
    }

    /// ADK 2.13 sessions/migration/_schema_check_utils.py.
    fn check_version(&mut self, findings: &mut Findings) -> Result<(), Refusal> {
        let mut version: Option<Str> = None;
        self.source.rows("adk_internal_metadata", &["key", "value"], &["key"], &mut |row| {
            if text_of(row.first()).as_deref() == Some("schema_version") {
                version = text_of(row.get(1));
            }
        })?;
        match version.as_deref() {
            Some("1") => Ok(()),
            Some("0") => {
                let message = "the database says that its schema is version 0, but its events are those of version 1; \
                               they were read as such";
                findings.warning("schema-version", "adk_internal_metadata", message);
                Ok(())
            }
            Some(_) => Err(Refusal::Unread(UnreadFormat::ADK_NEWER_DATABASE)),
            None => {
                let message = "the database does not say its schema version; it was read as version 1";
                findings.warning("no-schema-version", "adk_internal_metadata", message);
                Ok(())
            }
        }
    }

    fn read_sessions(&mut self, findings: &mut Findings) -> Result<(), TableError> {
        let apps = self.states("app_states", &["app_name"], findings)?;
        let users = self.states("user_states", &["app_name", "user_id"], findings)?;
        let Self { source, sessions, .. } = self;
        let columns = ["app_name", "user_id", "id", "state", "update_time"];
        source.rows("sessions", &columns, &columns[..3], &mut |row| {
            let key = key_of(row);
            let builder = builder_of(sessions, &key);
            let of_user = [key.0.clone(), key.1.clone()];
            let scopes = StateScopes {
                app: apps.get(&of_user[..1]).cloned().unwrap_or_default(),
                user: users.get(&of_user[..]).cloned().unwrap_or_default(),
                session: object(row.get(3), builder.place(), findings),
            };
            builder.session.state = scopes.merged();
            builder.session.last_update_time = seconds(row.get(4)).unwrap_or(0.0);
        })
    }

    /// The states of a scope, by the columns that identify it. Older databases may lack the table.
    fn states(
        &mut self,
        table: &str,
        keys: &[&str],
        findings: &mut Findings,
    ) -> Result<BTreeMap<Vec<Str>, Object>, TableError> {
        let mut states = BTreeMap::new();
        if !self.source.tables()?.iter().any(|it| it.name == table) {
            return Ok(states);
        }
        let columns: Vec<_> = keys.iter().copied().chain(["state"]).collect();
        self.source.rows(table, &columns, keys, &mut |row| {
            let key: Vec<Str> =
                row[..keys.len()].iter().map(|it| text_of(Some(it)).unwrap_or_default()).collect();
            states.insert(key, object(row.get(keys.len()), table, findings));
        })?;
        Ok(states)
    }

    /// Events in the order ADK reads them: by time, and at equal times by row in one service and by id in the other.
    fn read_events(&mut self, findings: &mut Findings) -> Result<(), TableError> {
        let tie = if self.schema == Schema::Versioned { "id" } else { "rowid" };
        let columns = ["app_name", "user_id", "session_id", "id", "invocation_id", "timestamp", "event_data"];
        let order = ["app_name", "user_id", "session_id", "timestamp", tie];
        let Self { source, sessions, .. } = self;
        source.rows("events", &columns, &order, &mut |row| {
            let key = key_of(row);
            if !sessions.contains_key(&key) {
                let message = "events belong to a session that has no row; the session was made from them";
                findings.warning("no-session-row", format!("session {}", key.2), message);
            }
            let builder = builder_of(sessions, &key);
            let id = text_of(row.get(3)).unwrap_or_default();
            let event = event_of(row, builder.place(), findings);
            builder.push_event(event, SourceRecord::Row { table: "events", id }, findings);
        })
    }
}

/// The event of a row. Its own JSON is the truth, also about its time; columns only fill what it lacks.
fn event_of(row: &[SqlValue<'_>], place: &str, findings: &mut Findings) -> Json {
    let mut event = object(row.get(6), place, findings);
    let has =
        |event: &Object, snake: &str, camel: &str| event.contains_key(snake) || event.contains_key(camel);
    if !has(&event, "id", "id") {
        event.push_some("id", text_of(row.get(3)));
    }
    if !has(&event, "invocation_id", "invocationId") {
        event.push_some("invocation_id", text_of(row.get(4)));
    }
    if !has(&event, "timestamp", "timestamp") {
        event.push_some("timestamp", seconds(row.get(5)));
    }
    event.into()
}

pub(crate) fn seconds(value: Option<&SqlValue<'_>>) -> Option<f64> {
    match value? {
        SqlValue::Real(seconds) => Some(*seconds),
        SqlValue::Integer(seconds) => Some(*seconds as f64),
        SqlValue::Text(text) => epoch_seconds(text),
        SqlValue::Blob(_) | SqlValue::Null => None,
    }
}

/// The JSON object in a column; an empty one, with a diagnostic, when there is none.
fn object(value: Option<&SqlValue<'_>>, place: &str, findings: &mut Findings) -> Object {
    let bytes = match value {
        Some(SqlValue::Text(text)) => text.as_bytes(),
        Some(SqlValue::Blob(bytes)) => bytes,
        _ => {
            findings.warning("no-json", place, "a row holds no JSON; only its other columns were used");
            return Object::new();
        }
    };
    let parsed = json::parse(bytes).or_else(|error| match repair(bytes) {
        Some(repaired) => {
            findings.warning("repaired-text", place, repaired.told());
            json::parse(&repaired.text)
        }
        None => Err(error),
    });
    match parsed {
        Ok(Json::Object(object)) => object,
        Ok(other) => {
            let message = format!("a row holds {} where an object should be; it was not used", other.kind());
            findings.error("unexpected-type", place, message);
            Object::new()
        }
        Err(error) => {
            let message =
                format!("the JSON of a row is broken ({}); only its other columns were used", error.message);
            findings.error("broken-row", place, message);
            Object::new()
        }
    }
}
