//! What outlives a run: sessions, artifacts, memory and credentials. In memory here; a host may keep them elsewhere.

mod in_memory;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use strata_engine::Artifacts;
use strata_engine::memory::MemoryEntry;
use strata_engine::turn::EventLimit;
use strata_model::{Event, Object, Part, Session, Str};

use crate::halt::Failure;

pub use in_memory::{InMemoryArtifacts, InMemoryMemory, InMemorySessions};

/// Names a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    pub app_name: Str,
    pub user_id: Str,
    pub session_id: Str,
}

/// The services of a run. `None`: the app runs without that service.
#[derive(Clone)]
pub struct Services {
    pub sessions: Arc<dyn SessionService>,
    pub artifacts: Option<Arc<dyn ArtifactService>>,
    pub memory: Option<Arc<dyn MemoryService>>,
}

pub trait SessionService: Send + Sync {
    /// The session as it is stored, with the state of all scopes; `None` if there is none.
    fn get<'a>(
        &'a self,
        key: &'a SessionKey,
        limit: EventLimit,
    ) -> BoxFuture<'a, Result<Option<Session>, Failure>>;

    fn create<'a>(
        &'a self,
        key: &'a SessionKey,
        state: &'a Object,
    ) -> BoxFuture<'a, Result<Session, Failure>>;

    /// Stores an event at the session's end. Returns it as it is kept: without `temp:` state.
    fn append<'a>(
        &'a self,
        key: &'a SessionKey,
        event: &'a Event,
    ) -> BoxFuture<'a, Result<Arc<Event>, Failure>>;
}

pub trait ArtifactService: Send + Sync {
    /// Saves another version of an artifact and returns its number, counted from 0. `None`: a version without content.
    fn save<'a>(
        &'a self,
        key: &'a SessionKey,
        name: &'a str,
        part: Option<Arc<Part>>,
    ) -> BoxFuture<'a, Result<i64, Failure>>;

    /// All that a session can see.
    fn view<'a>(&'a self, key: &'a SessionKey) -> BoxFuture<'a, Result<Arc<Artifacts>, Failure>>;
}

pub trait MemoryService: Send + Sync {
    /// Takes a session in, in place of what was known of it.
    fn add_session(&self, session: Session) -> BoxFuture<'_, Result<(), Failure>>;

    fn search<'a>(
        &'a self,
        app_name: &'a str,
        user_id: &'a str,
        query: &'a str,
    ) -> BoxFuture<'a, Result<Vec<MemoryEntry>, Failure>>;

    /// All sessions of a user that were taken in, in that order.
    fn view<'a>(
        &'a self,
        app_name: &'a str,
        user_id: &'a str,
    ) -> BoxFuture<'a, Result<Arc<Vec<Session>>, Failure>>;
}
