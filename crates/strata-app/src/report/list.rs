//! `strata sessions`: what is in the store.

use std::path::Path;

use serde::Serialize;
use strata_store::SessionEntry;

use super::VERSION;
use super::session::SessionReport;
use super::source::open_for_reading;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::import::Summary;

/// The document of `strata sessions`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListReport {
    pub version: u32,
    /// The store.
    pub database: String,
    /// The words that all of them have; empty for every session there is.
    pub filter: String,
    /// The most recently opened or imported first.
    pub sessions: Vec<ListedSession>,
}

/// A session in the store.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSession {
    #[serde(flatten)]
    pub session: SessionReport,
    /// What the session calls itself.
    pub own_id: String,
    /// The folder it was recorded in, where its file says so.
    pub folder: Option<String>,
    /// What the session calls itself that this one works for, where its file says so.
    #[serde(skip)]
    pub parent: Option<String>,
    /// Epoch milliseconds of the last event, if known.
    pub last_event_ms: Option<i64>,
    /// Epoch milliseconds.
    pub imported_ms: i64,
}

/// The sessions with every word of `filter` in their title, id, file, format, app or user.
pub fn list(filter: &str, database: Option<&Path>) -> Result<ListReport, AppError> {
    let is_given = database.is_some();
    let database = database.map_or_else(default_database, |database| Ok(database.to_owned()))?;
    let entries = if database.exists() {
        open_for_reading(&database)?.sessions(filter, 0..u32::MAX)?.entries
    } else if is_given {
        return Err(AppError::not_found(format!(
            "There is no database {}. `strata import FILE --db {}` makes one.",
            database.display(),
            database.display()
        )));
    } else {
        Vec::new()
    };
    Ok(ListReport {
        version: VERSION,
        database: database.display().to_string(),
        filter: filter.trim().to_owned(),
        sessions: entries.iter().map(ListedSession::from).collect(),
    })
}

impl From<&SessionEntry> for ListedSession {
    fn from(entry: &SessionEntry) -> Self {
        let last = entry.last_update_time;
        let Summary { folder, parent, .. } = Summary::from_json(&entry.summary);
        Self {
            session: entry.into(),
            own_id: entry.adk_id.clone(),
            folder,
            parent,
            last_event_ms: (last > 0.0).then_some((last * 1000.0) as i64),
            imported_ms: entry.imported_at_ms,
        }
    }
}
