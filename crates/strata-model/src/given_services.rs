//! What services of an app hold beside a recorded session, where somebody gave it or it was found.
//!
//! Events tell that a file was saved and that memory was there to be searched, but not what was in them.

use std::sync::Arc;

use crate::Str;
use crate::content::Part;
use crate::recorded_call::{FoundMemory, RecordedSearch};

/// What was given of the services of an app. What is `None` was not given, and what it held is not known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GivenServices {
    /// All files that the session can see.
    pub artifacts: Option<Vec<StoredArtifact>>,
    pub memory: Option<Arc<GivenMemory>>,
}

/// A file with its versions, as an artifact service keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredArtifact {
    /// As the service lists it: names of a user's files begin with `user:`.
    pub name: Str,
    /// Version 0 first. `None` where the service has it no more.
    pub versions: Vec<Option<StoredVersion>>,
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVersion {
    /// When it was saved, in epoch seconds; `None` where that is not known.
    pub saved_at: Option<f64>,
    pub part: Arc<Part>,
}

/// What an app remembers of sessions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GivenMemory {
    /// In the order in which they were added.
    pub remembered: Vec<Remembered>,
    /// Searches that were seen, with what each found.
    pub searches: Vec<RecordedSearch>,
    pub rule: SearchRule,
}

/// How a service finds memories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum SearchRule {
    /// By how many words of the query they have, as google-adk's `InMemoryMemoryService`.
    #[default]
    Keywords,
    /// By how rare these words are, as the full-text index of `SqliteMemoryService`.
    Ranked,
}

/// Something of a session that is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// `None` where the source does not say whose it is.
    pub app_name: Option<Str>,
    pub user_id: Option<Str>,
    pub session_id: Option<Str>,
    /// When it was said, in epoch seconds.
    pub said_at: Option<f64>,
    pub memory: FoundMemory,
}
