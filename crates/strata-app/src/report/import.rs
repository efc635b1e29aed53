//! `strata import`: files into the store.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_store::Store;

use super::diagnostic::FileDiagnostic;
use super::session::SessionReport;
use super::{VERSION, Watch};
use crate::api::job::FileCounts;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::import::{Input, LeftOutFile, OrphanPolicy, import_all};

/// The document of `strata import`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    pub version: u32,
    /// The store.
    pub database: String,
    pub sessions: Vec<SessionReport>,
    /// Of these, sessions that were in the store already, from files that have not changed.
    pub unchanged: usize,
    pub diagnostics: Vec<FileDiagnostic>,
    /// What came of every file.
    pub files: FileCounts,
    /// Files of folders and archives that hold no session, with what they are instead.
    pub left_out: Vec<LeftOut>,
    /// Some path is a folder.
    #[serde(skip)]
    pub has_folder: bool,
    /// Paths in which no session was found.
    pub paths_without_session: usize,
    /// Somebody stopped it; what is listed is stored.
    pub stopped: bool,
}

/// A file in which there is no session.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    pub path: String,
    /// What it is instead.
    pub reason: String,
}

impl From<&LeftOutFile> for LeftOut {
    fn from(LeftOutFile { path, reason }: &LeftOutFile) -> Self {
        Self { path: path.clone(), reason: reason.clone() }
    }
}

/// Stores the sessions of files, of all files below folders, and of databases on servers, in `database` or else in the store of the data folder.
/// What files no longer hold is replaced, or kept beside.
pub fn import(
    paths: &[PathBuf],
    database: Option<&Path>,
    keeps_what_is_gone: bool,
    watch: &dyn Watch,
) -> Result<ImportReport, AppError> {
    let database = database.map_or_else(default_database, |database| Ok(database.to_owned()))?;
    let inputs: Vec<Input> = paths.iter().map(|path| Input::named(path)).collect::<Result<_, _>>()?;
    let on_server = inputs.iter().find(|input| input.server.is_some());
    if let Some(on_server) = on_server.filter(|_| keeps_what_is_gone) {
        return Err(AppError::bad_input(format!(
            "{} is on a server and cannot be followed. Import it again to read what was added.",
            on_server.name()
        )));
    }
    let storage = RefCell::new(Store::open(&database)?);
    let gone = if keeps_what_is_gone { OrphanPolicy::Kept } else { OrphanPolicy::Replaced };
    let imported = import_all(&storage, &inputs, gone, watch);
    let store = storage.into_inner();
    let mut sessions = Vec::with_capacity(imported.sessions.len());
    for id in &imported.sessions {
        sessions.extend(store.session_entry(id)?.as_ref().map(SessionReport::from));
    }
    Ok(ImportReport {
        version: VERSION,
        database: database.display().to_string(),
        sessions,
        unchanged: imported.n_unchanged,
        diagnostics: imported.findings.iter().map(FileDiagnostic::from).collect(),
        files: (&imported.files).into(),
        left_out: imported.files.left_out.iter().map(LeftOut::from).collect(),
        has_folder: imported.has_folder,
        paths_without_session: imported.n_empty_inputs,
        stopped: imported.is_stopped,
    })
}
