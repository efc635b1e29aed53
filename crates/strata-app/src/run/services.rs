//! What outlives a run in the store: the files that agents save, and what they remember. By the rules of google-adk's
//! services; names that begin with `user:` are the user's in all sessions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{BoxFuture, ready};
use strata_engine::Artifacts;
use strata_engine::memory::MemoryEntry;
use strata_model::{FromJson as _, Part, Session, Str, json};
use strata_runtime::{ArtifactService, Clock, Failure, MemoryService, SessionKey};
use strata_store::{ArtifactHome, ArtifactVersion, NewArtifact, RememberedSession, StoreError};

use super::computer::Computer;
use super::recording::RunStore;
use crate::error::{AppError, sentence};
use crate::kept_files::{part_bytes, read_artifacts, versions};
use crate::kept_memory::{event_of, recalled, remember};

/// Bytes of a file that an agent may save.
const MAX_FILE: usize = 64 << 20;

/// The files of runs in the store.
pub(crate) struct StoredArtifacts {
    store: Arc<dyn RunStore>,
    clock: Arc<Computer>,
    state: Mutex<FilesState>,
}

#[derive(Default)]
struct FilesState {
    /// What a session sees, as long as nobody saved anything.
    seen: HashMap<SessionKey, (Vec<ArtifactVersion>, Arc<Artifacts>)>,
    /// What this run saved, in its order.
    saved: Vec<SavedFile>,
}

/// A version that a run has saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SavedFile {
    pub name: Str,
    /// Counted from 0.
    pub version: usize,
    pub bytes: usize,
}

impl StoredArtifacts {
    pub(crate) fn new(store: Arc<dyn RunStore>, clock: Arc<Computer>) -> Self {
        Self { store, clock, state: Mutex::default() }
    }

    /// What this run saved, in its order.
    pub(crate) fn saved(&self) -> Vec<SavedFile> {
        self.state().saved.clone()
    }

    fn state(&self) -> MutexGuard<'_, FilesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save_now(&self, key: &SessionKey, name: &str, part: Option<&Part>) -> Result<i64, Failure> {
        let bytes = part.map_or(0, part_bytes);
        if bytes > MAX_FILE {
            return Err(Failure::value_error(format!(
                "The file {name} has {:.1} MB, and {} MB is the most that is kept.",
                bytes as f64 / f64::from(1 << 20),
                MAX_FILE >> 20
            )));
        }
        let text = part.map(|part| json::to_compact(&part.to_json()));
        let new = NewArtifact {
            name,
            part: text.as_deref(),
            mime_type: part.and_then(|part| part.inline_data.as_ref()?.mime_type.as_deref()),
            bytes: bytes as u64,
            saved_at_ms: (self.clock.now() * 1000.0) as i64,
        };
        let version =
            self.store.lock().save_artifact(home(key, name), new).map_err(|error| not_stored(&error))?;
        self.state().saved.push(SavedFile { name: name.into(), version: version as usize, bytes });
        Ok(i64::from(version))
    }

    fn view_now(&self, key: &SessionKey) -> Result<Arc<Artifacts>, StoreError> {
        let store = self.store.lock();
        let versions = versions(&store, (&key.app_name, &key.user_id, &key.session_id))?;
        let known = self.state().seen.get(key).cloned();
        if let Some((_, seen)) = known.filter(|(known, _)| *known == versions) {
            return Ok(seen);
        }
        let artifacts = Arc::new(Artifacts::new(read_artifacts(&store, &versions)?));
        self.state().seen.insert(key.clone(), (versions, artifacts.clone()));
        Ok(artifacts)
    }
}

impl ArtifactService for StoredArtifacts {
    fn save<'a>(
        &'a self,
        key: &'a SessionKey,
        name: &'a str,
        part: Option<Arc<Part>>,
    ) -> BoxFuture<'a, Result<i64, Failure>> {
        Box::pin(ready(self.save_now(key, name, part.as_deref())))
    }

    fn view<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Arc<Artifacts>, Failure>> {
        Box::pin(ready(self.view_now(key).map_err(|error| not_stored(&error))))
    }
}

/// What agents of runs remember, in the store.
pub(crate) struct StoredMemory {
    store: Arc<dyn RunStore>,
    clock: Arc<Computer>,
    /// By app and user, as long as nothing was added.
    seen: Mutex<HashMap<(Str, Str), SeenMemory>>,
}

/// What a user's agents remember, and what it was made of.
struct SeenMemory {
    of: Vec<RememberedSession>,
    sessions: Arc<Vec<Session>>,
}

impl StoredMemory {
    pub(crate) fn new(store: Arc<dyn RunStore>, clock: Arc<Computer>) -> Self {
        Self { store, clock, seen: Mutex::default() }
    }

    /// Adds a session. Gives how many memories that are.
    pub(crate) fn remember(&self, session: &Session) -> Result<usize, AppError> {
        let n_memories = remember(&mut self.store.lock(), session, (self.clock.now() * 1000.0) as i64)?;
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(n_memories)
    }

    fn view_now(&self, app_name: &str, user_id: &str) -> Result<Arc<Vec<Session>>, StoreError> {
        let store = self.store.lock();
        let own = store.remembered_sessions_of(app_name, user_id)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (app_name.into(), user_id.into());
        if let Some(known) = seen.get(&key).filter(|known| known.of == own) {
            return Ok(known.sessions.clone());
        }
        let mut sessions: Vec<Session> = own
            .iter()
            .map(|known| Session {
                id: known.session.as_str().into(),
                app_name: app_name.into(),
                user_id: user_id.into(),
                ..Session::default()
            })
            .collect();
        for memory in store.memories(app_name, user_id)? {
            if let Some(session) = sessions.iter_mut().find(|session| *session.id == *memory.session) {
                session.events.push(Arc::new(event_of(memory)));
            }
        }
        let sessions = Arc::new(sessions);
        seen.insert(key, SeenMemory { of: own, sessions: sessions.clone() });
        Ok(sessions)
    }
}

impl MemoryService for StoredMemory {
    fn add_session(&self, session: Session) -> BoxFuture<'_, Result<(), Failure>> {
        let added = self.remember(&session);
        Box::pin(ready(added.map(|_| ()).map_err(|error| Failure::new("StoreError", error.message))))
    }

    fn search<'a>(
        &'a self,
        app_name: &'a str,
        user_id: &'a str,
        query: &'a str,
    ) -> BoxFuture<'a, Result<Vec<MemoryEntry>, Failure>> {
        let found = recalled(&self.store.lock(), app_name, user_id, query);
        Box::pin(ready(found.map_err(|error| not_stored(&error))))
    }

    fn view<'a>(
        &'a self,
        app_name: &'a str,
        user_id: &'a str,
    ) -> BoxFuture<'a, Result<Arc<Vec<Session>>, Failure>> {
        Box::pin(ready(self.view_now(app_name, user_id).map_err(|error| not_stored(&error))))
    }
}

fn home<'k>(key: &'k SessionKey, name: &str) -> ArtifactHome<'k> {
    let session = (!name.starts_with("user:")).then_some(&*key.session_id);
    ArtifactHome { app: &key.app_name, user: &key.user_id, session }
}

fn not_stored(error: &StoreError) -> Failure {
    Failure::new("StoreError", sentence(&error.to_string()))
}
