//! Databases of ADK's session services: `SqliteSessionService` and `DatabaseSessionService` of schema 1.

use std::collections::BTreeMap;

use strata_model::{Json, Object, StateScopes, Str, json};

use super::session::SessionBuilder;
use crate::detect::{Detection, detect_tables};
use crate::findings::Findings;
use crate::format::{Format, UnreadFormat};
use crate::import::Import;
use crate::repair::repair;
use crate::source::SourceRecord;
use crate::tables::{SqlValue, TableError, TableSource};
use crate::time::epoch_seconds;

/// App, user and session id: what identifies a session in a database.
pub(super) type SessionKey = (Str, Str, Str);

pub(super) type Sessions = BTreeMap<SessionKey, SessionBuilder>;

/// Reads every session of a database.
pub fn import_tables(source: &mut dyn TableSource) -> Import {
    let tables = match source.tables() {
        Ok(tables) => tables,
        Err(error) => return unreadable(&error),
    };
    let format = match detect_tables(&tables) {
        Detection::Readable(format) => format,
        Detection::Unread(format) => return Import::refused("unread-format", format.refusal()),
        Detection::NotASession(what) => return Import::refused("not-a-session", what),
        Detection::Sqlite | Detection::Archive(_) => {
            return Import::refused("not-a-session", "not a session: a database in a database");
        }
    };
    let mut findings = Findings::default();
    let others = match format {
        Format::OpenCode => Some(crate::agents::opencode::read_tables(source, &mut findings)),
        Format::Goose => Some(crate::agents::goose::read_tables(source, &mut findings)),
        Format::LangGraph => Some(crate::telemetry::langgraph::read_tables(source, &mut findings)),
        _ => None,
    };
    if let Some(read) = others {
        return match read {
            Ok(sessions) => Import::of(sessions, findings),
            Err(error) => unreadable(&error),
        };
    }
    let mut database = Database { source, format, findings: Findings::default(), sessions: BTreeMap::new() };
    match database.read() {
        Ok(()) => database.finish(),
        Err(Refusal::Unread(format)) => Import::refused("unread-format", format.refusal()),
        Err(Refusal::Table(error)) => {
            let message =
                format!("the database could not be read to its end ({error}); what was read was kept");
            database.findings.error("database", "", message);
            database.finish()
        }
    }
}

fn unreadable(error: &TableError) -> Import {
    Import::refused("database", format!("the database could not be read ({error})"))
}

struct Database<'s> {
    source: &'s mut dyn TableSource,
    format: Format,
    findings: Findings,
    sessions: BTreeMap<SessionKey, SessionBuilder>,
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
    fn read(&mut self) -> Result<(), Refusal> {
        if self.format == Format::AdkDatabase {
            self.check_version()?;
        }
        self.read_sessions()?;
        if self.format == Format::AdkPickleDatabase {
            super::pickled::read_events(self.source, &mut self.sessions, &mut self.findings)?;
        } else {
            self.read_events()?;
        }
        Ok(())
    }

    /// ADK 2.13 sessions/migration/_schema_check_utils.py.
    fn check_version(&mut self) -> Result<(), Refusal> {
        let mut version: Option<Str> = None;
        self.source.rows("adk_internal_metadata", &["key", "value"], &["key"], &mut |row| {
            if text(row.first()).as_deref() == Some("schema_version") {
                version = text(row.get(1));
            }
        })?;
        match version.as_deref() {
            Some("1") => Ok(()),
            Some("0") => {
                let message = "the database says that its schema is version 0, but its events are those of version 1; \
                               they were read as such";
                self.findings.warning("schema-version", "adk_internal_metadata", message);
                Ok(())
            }
            Some(_) => Err(Refusal::Unread(UnreadFormat::AdkNewerDatabase)),
            None => {
                let message = "the database does not say its schema version; it was read as version 1";
                self.findings.warning("no-schema-version", "adk_internal_metadata", message);
                Ok(())
            }
        }
    }

    fn read_sessions(&mut self) -> Result<(), TableError> {
        let apps = self.states("app_states", &["app_name"])?;
        let users = self.states("user_states", &["app_name", "user_id"])?;
        let Self { source, findings, sessions, .. } = self;
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
    fn states(&mut self, table: &str, keys: &[&str]) -> Result<BTreeMap<Vec<Str>, Object>, TableError> {
        let mut states = BTreeMap::new();
        if !self.source.tables()?.iter().any(|it| it.name == table) {
            return Ok(states);
        }
        let columns: Vec<_> = keys.iter().copied().chain(["state"]).collect();
        let findings = &mut self.findings;
        self.source.rows(table, &columns, keys, &mut |row| {
            let key: Vec<Str> =
                row[..keys.len()].iter().map(|it| text(Some(it)).unwrap_or_default()).collect();
            states.insert(key, object(row.get(keys.len()), table, findings));
        })?;
        Ok(states)
    }

    /// Events in the order ADK reads them: by time, and at equal times by row in one service and by id in the other.
    fn read_events(&mut self) -> Result<(), TableError> {
        let tie = if self.format == Format::AdkDatabase { "id" } else { "rowid" };
        let columns = ["app_name", "user_id", "session_id", "id", "invocation_id", "timestamp", "event_data"];
        let order = ["app_name", "user_id", "session_id", "timestamp", tie];
        let Self { source, findings, sessions, .. } = self;
        source.rows("events", &columns, &order, &mut |row| {
            let key = key_of(row);
            if !sessions.contains_key(&key) {
                let message = "events belong to a session that has no row; the session was made from them";
                findings.warning("no-session-row", format!("session {}", key.2), message);
            }
            let builder = builder_of(sessions, &key);
            let id = text(row.get(3)).unwrap_or_default();
            let event = event_of(row, builder.place(), findings);
            builder.push_event(event, SourceRecord::Row { table: "events", id }, findings);
        })
    }

    fn finish(mut self) -> Import {
        let mut sessions = Vec::with_capacity(self.sessions.len());
        for builder in self.sessions.into_values() {
            sessions.push(builder.finish(self.format, &mut self.findings));
        }
        Import::of(sessions, self.findings)
    }
}

pub(super) fn key_of(row: &[SqlValue<'_>]) -> SessionKey {
    let at = |index: usize| text(row.get(index)).unwrap_or_default();
    (at(0), at(1), at(2))
}

pub(super) fn builder_of<'s>(
    sessions: &'s mut BTreeMap<SessionKey, SessionBuilder>,
    key: &SessionKey,
) -> &'s mut SessionBuilder {
    sessions.entry(key.clone()).or_insert_with(|| {
        let mut builder = SessionBuilder::at(format!("session {}", key.2));
        builder.session.app_name = key.0.clone();
        builder.session.user_id = key.1.clone();
        builder.session.id = key.2.clone();
        builder
    })
}

/// The event of a row. Its own JSON is the truth, also about its time; columns only fill what it lacks.
fn event_of(row: &[SqlValue<'_>], place: &str, findings: &mut Findings) -> Json {
    let mut event = object(row.get(6), place, findings);
    let has =
        |event: &Object, snake: &str, camel: &str| event.contains_key(snake) || event.contains_key(camel);
    if !has(&event, "id", "id") {
        event.push_some("id", text(row.get(3)));
    }
    if !has(&event, "invocation_id", "invocationId") {
        event.push_some("invocation_id", text(row.get(4)));
    }
    if !has(&event, "timestamp", "timestamp") {
        event.push_some("timestamp", seconds(row.get(5)));
    }
    event.into()
}

fn text(value: Option<&SqlValue<'_>>) -> Option<Str> {
    match value? {
        SqlValue::Text(text) => Some((*text).into()),
        SqlValue::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into()),
        SqlValue::Integer(number) => Some(number.to_string().into()),
        SqlValue::Real(number) => Some(number.to_string().into()),
        SqlValue::Null => None,
    }
}

fn seconds(value: Option<&SqlValue<'_>>) -> Option<f64> {
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
