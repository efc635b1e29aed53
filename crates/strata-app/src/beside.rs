//! Files and databases of google-adk's services that lie beside a session, or that somebody gives it.
//!
//! Events tell that a file was saved, or that there was memory to search, and not what was in them. google-adk keeps that
//! in folders and databases of its own, which are looked for where `adk` puts them.

mod artifacts;
mod memory;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use strata_engine::FlowKind;
use strata_model::{GivenServices, Json, Session, json};
use strata_store::{SessionId, Store, StoreError};

use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::error::AppError;
use crate::kept_files::{OF_A_RUN, stored_files};
use crate::show::words;

/// Where the services of a session are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ServicePlaces {
    /// The root of an artifact service.
    pub artifacts: Option<PathBuf>,
    /// A file or database of memory.
    pub memory: Option<PathBuf>,
}

/// What a session's services hold, and where that is from.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionServices {
    pub given: Arc<GivenServices>,
    pub artifacts: Option<ServiceSource>,
    pub memory: Option<ServiceSource>,
    /// What could not be read.
    pub diagnostics: Vec<DiagnosticRow>,
    /// What was read, as it was then.
    read: Vec<FileState>,
}

/// A file or folder, with when it was changed last and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileState(PathBuf, Option<(SystemTime, u64)>);

impl FileState {
    fn of(path: PathBuf) -> Self {
        let state = path.metadata().and_then(|it| Ok((it.modified()?, it.len()))).ok();
        Self(path, state)
    }
}

/// Where something that a session is compiled with was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServiceSource {
    pub path: PathBuf,
    /// It lay beside the session, and nobody named it.
    pub is_found: bool,
    /// Files, or memories.
    pub n_items: usize,
}

impl ServicePlaces {
    /// What somebody chose for a stored session.
    pub(crate) fn chosen(store: &Store, id: &SessionId) -> Result<Self, StoreError> {
        let chosen = store.setting(&setting(id))?.and_then(|text| json::parse(text.as_bytes()).ok());
        let path = |key| chosen.as_ref()?.get(key).and_then(Json::as_str).map(PathBuf::from);
        Ok(Self { artifacts: path("artifacts"), memory: path("memory") })
    }

    /// Keeps a choice; with nothing in it, what lies beside the session counts again.
    pub(crate) fn choose(&self, store: &mut Store, id: &SessionId) -> Result<(), StoreError> {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let chosen = serde_json::json!({"artifacts": path(&self.artifacts), "memory": path(&self.memory)});
        store.set_setting(&setting(id), &chosen.to_string())
    }

    /// Reads what is there, in place of what lies beside `file`, the session's own. What was named and cannot be read is
    /// an error.
    pub(crate) fn read(&self, session: &Session, file: Option<&Path>) -> Result<SessionServices, AppError> {
        let services = self.read_some(session, file);
        let error = |row: &&DiagnosticRow| row.severity == DiagnosticSeverity::Error;
        match services.diagnostics.iter().find(error) {
            Some(error) => Err(AppError::unreadable(error.message.clone())),
            None => Ok(services),
        }
    }

    /// As [`Self::read`]; what cannot be read is said, and what can is there.
    pub(crate) fn read_some(&self, session: &Session, file: Option<&Path>) -> SessionServices {
        let mut services = SessionServices::default();
        let folders = file.map(folders_beside).unwrap_or_default();
        let mut given = GivenServices::default();
        let root = match &self.artifacts {
            Some(root) => Some((root.clone(), false)),
            None => {
                let app = &*session.app_name;
                folders.iter().find_map(|folder| artifacts::root_in(folder, app)).map(|root| (root, true))
            }
        };
        if let Some((path, is_found)) = root {
            services.read.extend(artifacts::folder_of_user(&path, session).map(FileState::of));
            let read = artifacts::read(&path, session, &mut services.diagnostics);
            if let Some(stored) = services.kept(&path, is_found, "artifacts", read) {
                services.artifacts = Some(ServiceSource { path, is_found, n_items: stored.len() });
                given.artifacts = Some(stored);
            }
        }
        let database = match &self.memory {
            Some(file) => Some((file.clone(), false)),
            None => folders.iter().find_map(|folder| memory::database_in(folder)).map(|file| (file, true)),
        };
        if let Some((path, is_found)) = database {
            services.read.extend(memory::files_of(&path).map(FileState::of));
            let read = memory::read(&path);
            if let Some(read) = services.kept(&path, is_found, "memory", read) {
                let n_items = read.remembered.len() + read.searches.len();
                services.memory = Some(ServiceSource { path, is_found, n_items });
                given.memory = Some(Arc::new(read));
            }
        }
        services.given = Arc::new(given);
        services
    }
}

impl SessionServices {
    /// Whether memory and the files of the user are as they were when they were read. Files of the session itself change
    /// with its events.
    pub(crate) fn is_as_read(&self) -> bool {
        self.read.iter().all(|state| FileState::of(state.0.clone()) == *state)
    }

    /// What it comes to, a sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let from = |source: &ServiceSource| {
            let beside = if source.is_found { ", which lies beside the session" } else { "" };
            format!("{}{beside}", source.path.display())
        };
        let artifacts = self
            .artifacts
            .as_ref()
            .map(|source| format!("{} from {}.", words::counted(source.n_items, "file"), from(source)));
        let memory = self.memory.as_ref().map(|source| {
            format!(
                "Memory from {}, {}: what the session itself said and what was said later is not searched.",
                from(source),
                words::counted(source.n_items, "memory"),
            )
        });
        artifacts.into_iter().chain(memory).collect()
    }

    /// What was named now, else what is known, else what lies beside the session's file. What was named is read or an error.
    pub(crate) fn of_named(
        named: ServicePlaces,
        known: ServicePlaces,
        kind: FlowKind,
        session: &Session,
        file: Option<&Path>,
    ) -> Result<Self, AppError> {
        let is_named = named != ServicePlaces::default();
        let places = ServicePlaces {
            artifacts: named.artifacts.or(known.artifacts),
            memory: named.memory.or(known.memory),
        };
        match kind {
            FlowKind::Adk if is_named => places.read(session, file),
            FlowKind::Adk => Ok(places.read_some(session, file)),
            FlowKind::Transcript if is_named => Err(not_of_adk()),
            FlowKind::Transcript => Ok(Self::default()),
        }
    }

    /// With the files that agents of Strata's own runs saved, for a session that one of them made, where no others were given.
    pub(crate) fn with_own_files(
        mut self,
        store: &Store,
        location: &str,
        session: &Session,
    ) -> Result<Self, StoreError> {
        if location.starts_with(OF_A_RUN) && self.given.artifacts.is_none() {
            let files = stored_files(store, session)?;
            if !files.is_empty() {
                Arc::make_mut(&mut self.given).artifacts = Some(files);
            }
        }
        Ok(self)
    }

    /// What was read. What could not be is said: an error where somebody named it, and a warning where it only lay there.
    fn kept<T>(&mut self, path: &Path, is_found: bool, what: &str, read: Result<T, String>) -> Option<T> {
        read.map_err(|reason| {
            let path = path.display().to_string();
            self.diagnostics.push(DiagnosticRow {
                severity: if is_found { DiagnosticSeverity::Warning } else { DiagnosticSeverity::Error },
                code: "services".to_owned(),
                message: format!(
                    "{path} cannot be used as {what}: {reason}. What it held is missing from prompts."
                ),
                at: path,
            });
        })
        .ok()
    }
}

/// Other clients keep what they remember where only they know.
pub(crate) fn not_of_adk() -> AppError {
    AppError::bad_input("This is no session of google-adk: it has no artifact service and no memory.")
}

/// The file of a stored session, by its location. Sessions that were uploaded have a name instead, which leads nowhere.
pub(crate) fn stored_file(location: &str) -> Option<&Path> {
    Some(Path::new(location)).filter(|path| path.is_absolute() && path.is_file())
}

fn setting(id: &SessionId) -> String {
    format!("services/{id}")
}

/// Folders in which `adk` keeps what belongs to the session of a file: `<agent>/.adk/session.db`,
/// `<agent>/<id>.session.json`.
fn folders_beside(file: &Path) -> Vec<PathBuf> {
    let Some(folder) = file.parent() else { return Vec::new() };
    vec![folder.join(".adk"), folder.to_owned()]
}
