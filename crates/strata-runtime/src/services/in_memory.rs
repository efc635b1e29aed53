//! Services that forget everything with the process, by the rules of google-adk's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use parking_lot::Mutex;
use strata_engine::memory::{self, MemoryEntry};
use strata_engine::turn::{EventLimit, SessionError, Sessions};
use strata_engine::{Artifact, Artifacts};
use strata_model::{Event, Object, Part, Session, Str};

use super::{ArtifactService, MemoryService, SessionKey, SessionService};
use crate::halt::Failure;

fn done<'a, T: Send + 'a>(result: T) -> BoxFuture<'a, T> {
    Box::pin(ready(result))
}

#[derive(Debug, Default)]
pub struct InMemorySessions(Mutex<Sessions>);

impl InMemorySessions {
    pub fn new() -> Self {
        Self::default()
    }

    /// State of all apps that have any, without prefix.
    pub fn app_states(&self) -> BTreeMap<Str, Object> {
        self.0.lock().app_states().clone()
    }

    /// State of a user in all sessions of an app, without prefix.
    pub fn user_state(&self, app_name: &str, user_id: &str) -> Object {
        self.0.lock().user_state(app_name, user_id)
    }
}

fn refused(error: &SessionError) -> Failure {
    let kind = match error {
        SessionError::AlreadyExists { .. } => "AlreadyExistsError",
        SessionError::NotFound { .. } => "SessionNotFoundError",
        SessionError::NegativeLimit { .. } => "ValidationError",
    };
    Failure::new(kind, error.to_string())
}

impl SessionService for InMemorySessions {
    fn get<'a>(
        &'a self,
        key: &'a SessionKey,
        limit: EventLimit,
    ) -> BoxFuture<'a, Result<Option<Session>, Failure>> {
        let found = self.0.lock().get(&key.app_name, &key.user_id, &key.session_id, limit);
        done(found.map_err(|error| refused(&error)))
    }

    fn create<'a>(
        &'a self,
        key: &'a SessionKey,
        state: &'a Object,
    ) -> BoxFuture<'a, Result<Session, Failure>> {
        let mut sessions = self.0.lock();
        let made = sessions.create(&key.app_name, &key.user_id, state, Some(&key.session_id), "");
        done(made.map_err(|error| refused(&error)))
    }

    fn append<'a>(
        &'a self,
        key: &'a SessionKey,
        event: &'a Event,
    ) -> BoxFuture<'a, Result<Arc<Event>, Failure>> {
        let stored = self.0.lock().store(&key.app_name, &key.user_id, &key.session_id, event);
        done(stored.map_err(|error| refused(&error)))
    }
}

/// Artifacts by session; names with `user:` belong to the user and are seen in all sessions.
#[derive(Debug, Default)]
pub struct InMemoryArtifacts(Mutex<BTreeMap<SessionKey, Vec<Artifact>>>);

impl InMemoryArtifacts {
    pub fn new() -> Self {
        Self::default()
    }

    /// The sessions and users that have artifacts, and what they have. The key of a user has the session `user`.
    pub fn all(&self) -> BTreeMap<SessionKey, Vec<Artifact>> {
        self.0.lock().clone()
    }

    fn home(key: &SessionKey, name: &str) -> SessionKey {
        if name.starts_with("user:") { Self::user_home(key) } else { key.clone() }
    }

    fn user_home(key: &SessionKey) -> SessionKey {
        SessionKey { session_id: "user".into(), ..key.clone() }
    }
}

impl ArtifactService for InMemoryArtifacts {
    fn save<'a>(
        &'a self,
        key: &'a SessionKey,
        name: &'a str,
        part: Option<Arc<Part>>,
    ) -> BoxFuture<'a, Result<i64, Failure>> {
        let mut all = self.0.lock();
        let list = all.entry(Self::home(key, name)).or_default();
        let versions = match list.iter().position(|artifact| *artifact.name == *name) {
            Some(at) => &mut list[at].versions,
            None => {
                list.push(Artifact { name: name.into(), versions: Vec::new() });
                let last = list.len() - 1;
                &mut list[last].versions
            }
        };
        versions.push(part);
        done(Ok(versions.len() as i64 - 1))
    }

    fn view<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Arc<Artifacts>, Failure>> {
        let all = self.0.lock();
        let homes = [key.clone(), Self::user_home(key)];
        let list = homes.iter().filter_map(|home| all.get(home)).flatten().cloned().collect();
        done(Ok(Arc::new(Artifacts::new(list))))
    }
}

#[derive(Debug, Default)]
pub struct InMemoryMemory(Mutex<Arc<Vec<Session>>>);

impl InMemoryMemory {
    pub fn new() -> Self {
        Self::default()
    }

    /// All sessions that were taken in.
    pub fn sessions(&self) -> Arc<Vec<Session>> {
        self.0.lock().clone()
    }
}

impl MemoryService for InMemoryMemory {
    fn add_session(&self, session: Session) -> BoxFuture<'_, Result<(), Failure>> {
        let mut all = self.0.lock();
        let same = |known: &&mut Session| {
            known.app_name == session.app_name && known.user_id == session.user_id && known.id == session.id
        };
        let list = Arc::make_mut(&mut all);
        match list.iter_mut().find(same) {
            Some(known) => *known = session,
            None => list.push(session),
        }
        done(Ok(()))
    }

    fn search<'a>(
        &'a self,
        app_name: &'a str,
        user_id: &'a str,
        query: &'a str,
    ) -> BoxFuture<'a, Result<Vec<MemoryEntry>, Failure>> {
        done(Ok(memory::search(&self.0.lock(), app_name, user_id, query)))
    }

    fn view<'a>(
        &'a self,
        app_name: &'a str,
        user_id: &'a str,
    ) -> BoxFuture<'a, Result<Arc<Vec<Session>>, Failure>> {
        let all = self.0.lock();
        let is_own = |session: &&Session| *session.app_name == *app_name && *session.user_id == *user_id;
        done(Ok(Arc::new(all.iter().filter(is_own).cloned().collect())))
    }
}
