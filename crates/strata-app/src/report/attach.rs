//! `strata capture --adk`: the sessions of a server of ADK, while they grow.

use std::path::PathBuf;

use serde::Serialize;
use strata_capture::{AdkOptions, AdkUpdate};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::VERSION;
use super::diagnostic::FileDiagnostic;
use super::import::import;
use super::meanwhile::Meanwhile;
use super::session::SessionReport;
use crate::capture_folder::new_folder;
use crate::data_folder::default_database;
use crate::error::{AppError, ErrorCode};
use crate::watch::Unseen;

/// What to ask.
#[derive(Debug, Clone, Default)]
pub struct AttachChoice {
    /// Where the server is.
    pub url: String,
    /// Hosts besides this computer that may be asked.
    pub hosts: Vec<String>,
    /// Whose sessions.
    pub users: Vec<String>,
    /// The store, in place of the one in the data folder.
    pub database: Option<PathBuf>,
}

/// The document of `strata capture --adk`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AttachReport {
    pub version: u32,
    /// The folder with what the server gave.
    pub folder: String,
    /// The store.
    pub database: String,
    pub sessions: Vec<SessionReport>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Asks a server until `stop`, and stores its sessions while they grow.
pub fn attach(
    choice: &AttachChoice,
    stop: &CancellationToken,
    runtime: &Handle,
    mut tell: impl FnMut(AdkUpdate),
) -> Result<AttachReport, AppError> {
    let database = choice.database.clone().map_or_else(default_database, Ok)?;
    let folder = new_folder(&database).map_err(|error| {
        AppError::new(ErrorCode::Store, "There is no place to write what is caught.").with_detail(&error)
    })?;
    let options = AdkOptions {
        url: choice.url.clone(),
        hosts: choice.hosts.clone(),
        users: choice.users.clone(),
        folder: folder.clone(),
    };
    let meanwhile = Meanwhile::follow(vec![folder.clone()], database.clone());
    let mut has_sessions = false;
    let attached = runtime.block_on(strata_capture::attach(&options, stop, |update| {
        has_sessions |= matches!(update, AdkUpdate::Grown { .. });
        tell(update);
    }));
    meanwhile.end();
    if attached.is_err() || !has_sessions {
        // Nothing is in it.
        let _ = std::fs::remove_dir(&folder);
    }
    attached.map_err(|error| AppError::bad_input(error.to_string()))?;
    let mut report = AttachReport {
        version: VERSION,
        folder: folder.display().to_string(),
        database: database.display().to_string(),
        sessions: Vec::new(),
        diagnostics: Vec::new(),
    };
    if has_sessions {
        let imported = import(&[folder], Some(&database), false, &Unseen(CancellationToken::new()))?;
        report.sessions = imported.sessions;
        report.diagnostics = imported.diagnostics;
    }
    Ok(report)
}
