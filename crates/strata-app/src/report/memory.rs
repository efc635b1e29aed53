//! `strata memory`: what agents of runs remember.

use std::path::PathBuf;

use serde::Serialize;
use strata_engine::memory::MemoryEntry;
use strata_store::{MemoryHome, RememberedSession, Store};

use super::learn::existing;
use super::source::{Source, open_for_reading};
use super::{VERSION, Watch};
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::kept_memory::{recalled, remember};

/// What sessions in a store are good for, here.
const USE: &str = "`strata memory add SESSION` adds one to what agents remember";

/// The document of `strata memory list`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    pub version: u32,
    /// The store.
    pub database: String,
    /// In the order in which they were first added.
    pub sessions: Vec<RememberedRow>,
}

/// A session that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RememberedRow {
    pub app: String,
    pub user: String,
    /// ADK's id.
    pub session: String,
    /// Events with content.
    pub memories: u32,
    /// Epoch milliseconds.
    pub added_ms: i64,
}

/// The document of `strata memory search`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecallReport {
    pub version: u32,
    pub database: String,
    pub app: String,
    pub user: String,
    pub query: String,
    /// Best first, ten at most, as `load_memory` gives them to an agent.
    pub found: Vec<FoundRow>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundRow {
    /// Id of the event.
    pub event: String,
    pub author: String,
    /// As google-adk writes it, in UTC.
    pub timestamp: String,
    pub text: String,
}

/// The document of `strata memory add` and `strata memory forget`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryChange {
    pub version: u32,
    pub database: String,
    pub app: String,
    pub user: String,
    pub session: String,
    /// Memories that were added, or that are forgotten.
    pub memories: u32,
}

/// Whose memory is meant, where a session does not say.
#[derive(Debug, Clone, Default)]
pub struct MemoryChoice {
    pub database: Option<PathBuf>,
    pub app: Option<String>,
    pub user: Option<String>,
}

/// The sessions that are remembered.
pub fn memory(choice: &MemoryChoice) -> Result<MemoryReport, AppError> {
    let database = existing(choice.database.as_deref(), USE)?;
    let mut sessions = open_for_reading(&database)?.remembered_sessions()?;
    sessions.retain(|row| choice.has(row));
    let sessions = sessions.into_iter().map(RememberedRow::from).collect();
    Ok(MemoryReport { version: VERSION, database: database.display().to_string(), sessions })
}

/// What an agent would find.
pub fn recall(choice: &MemoryChoice, query: &str) -> Result<RecallReport, AppError> {
    let database = existing(choice.database.as_deref(), USE)?;
    let store = open_for_reading(&database)?;
    let (app, user) = whose(&store, choice)?;
    let found = recalled(&store, &app, &user, query)?;
    Ok(RecallReport {
        version: VERSION,
        database: database.display().to_string(),
        app,
        user,
        query: query.to_owned(),
        found: found.iter().map(FoundRow::from).collect(),
    })
}

/// Adds a session to what agents of its app remember, in place of what was remembered of it.
pub fn add_to_memory(
    choice: &MemoryChoice,
    session: &str,
    now_ms: i64,
    watch: &dyn Watch,
) -> Result<MemoryChange, AppError> {
    let source = Source { name: session.to_owned(), database: choice.database.clone(), ..Source::default() };
    let (subject, _) = source.read_one(None, watch)?;
    let mut session = strata_model::Session::clone(subject.experiment.session());
    if let Some(app) = &choice.app {
        session.app_name = app.as_str().into();
    }
    if let Some(user) = &choice.user {
        session.user_id = user.as_str().into();
    }
    if session.app_name.is_empty() || session.user_id.is_empty() {
        return Err(AppError::bad_input(
            "This session does not say whose it is. Name the app and the user that are to remember it with --app and \
             --user.",
        ));
    }
    let database = choice.database.clone().map_or_else(default_database, Ok)?;
    let n_memories = remember(&mut Store::open(&database)?, &session, now_ms)?;
    Ok(MemoryChange {
        version: VERSION,
        database: database.display().to_string(),
        app: session.app_name.to_string(),
        user: session.user_id.to_string(),
        session: session.id.to_string(),
        memories: n_memories as u32,
    })
}

/// Forgets a session.
pub fn forget_memory(choice: &MemoryChoice, session: &str) -> Result<MemoryChange, AppError> {
    let database = existing(choice.database.as_deref(), USE)?;
    let mut store = Store::open(&database)?;
    let mut found = store.remembered_sessions()?;
    found.retain(|row| row.session == session && choice.has(row));
    let row = match &found[..] {
        [row] => row,
        [] => {
            return Err(AppError::not_found(format!(
                "Nothing is remembered of a session {session}. `strata memory list` shows what is."
            )));
        }
        _ => {
            return Err(AppError::bad_input(format!(
                "Several apps or users remember a session {session}. Say whose memory is meant with --app and --user."
            )));
        }
    };
    let home = MemoryHome { app: &row.app, user: &row.user, session };
    let memories = store.forget_remembered(home)?.unwrap_or_default();
    Ok(MemoryChange {
        version: VERSION,
        database: database.display().to_string(),
        app: row.app.clone(),
        user: row.user.clone(),
        session: session.to_owned(),
        memories,
    })
}

/// The app and the user whose memory is searched: those that were named, else the only ones there are.
fn whose(store: &Store, choice: &MemoryChoice) -> Result<(String, String), AppError> {
    if let (Some(app), Some(user)) = (&choice.app, &choice.user) {
        return Ok((app.clone(), user.clone()));
    }
    let mut all: Vec<(String, String)> = store
        .remembered_sessions()?
        .into_iter()
        .filter(|row| choice.has(row))
        .map(|row| (row.app, row.user))
        .collect();
    all.sort_unstable();
    all.dedup();
    match all.len() {
        0 => Err(AppError::not_found(format!("Nothing is remembered there; {USE}."))),
        1 => Ok(all.remove(0)),
        _ => {
            let names = all.iter().map(|(app, user)| format!("{app} and {user}")).collect::<Vec<_>>();
            Err(AppError::bad_input(format!(
                "Several apps and users remember something: {}. Say whose memory is meant with --app and --user.",
                names.join("; ")
            )))
        }
    }
}

impl MemoryChoice {
    fn has(&self, row: &RememberedSession) -> bool {
        let fits = |asked: &Option<String>, is: &str| asked.as_deref().is_none_or(|asked| asked == is);
        fits(&self.app, &row.app) && fits(&self.user, &row.user)
    }
}

impl From<RememberedSession> for RememberedRow {
    fn from(row: RememberedSession) -> Self {
        let RememberedSession { app, user, session, n_memories, added_at_ms } = row;
        Self { app, user, session, memories: n_memories, added_ms: added_at_ms }
    }
}

impl From<&MemoryEntry> for FoundRow {
    fn from(entry: &MemoryEntry) -> Self {
        Self {
            event: entry.id.to_string(),
            author: entry.author.clone(),
            timestamp: entry.timestamp.clone(),
            text: entry.text(),
        }
    }
}
