//! Watching long work.

use std::path::Path;

use tokio_util::sync::CancellationToken;

/// What long work tells while it goes on, from whatever thread it is on, and what stops it.
pub trait Watch: Sync {
    /// What [`Self::progress`] is about from now on.
    fn begins(&self, _: Step<'_>) {}
    /// So much of all is done.
    fn progress(&self, done: u64, total: u64);
    /// How far a model is that writes one text after the other.
    fn writing(&self, writing: &Writing) {
        self.progress(writing.done.into(), writing.total.max(1).into());
    }
    /// Cancelled when the work is to stop.
    fn stop(&self) -> &CancellationToken;

    /// Work that computes looks between two pieces; work that waits awaits [`Self::stop`].
    fn is_cancelled(&self) -> bool {
        self.stop().is_cancelled()
    }
}

/// Work in the background: nobody sees how far it is.
pub(crate) struct Unseen(pub(crate) CancellationToken);

impl Watch for Unseen {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}

/// Texts that a model writes one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Writing {
    pub done: u32,
    pub total: u32,
    /// Tokens of the one under way, by our count.
    pub tokens: u32,
    pub tokens_per_s: Option<f64>,
    /// Until all are written; `None` as long as that is a guess.
    pub seconds_left: Option<f64>,
}

/// A part of long work, and what its progress counts.
#[derive(Debug, Clone, Copy)]
pub enum Step<'s> {
    /// Files of a folder.
    Files(&'s Path),
    /// Bytes of a file.
    Reading(&'s Path),
    /// Bytes of files whose calls are added up: those of one place, or of all.
    Usage(Option<&'s Path>),
    /// Sessions that an older version stored in this database.
    Indexing(&'s Path),
    /// Events of the sessions of a file.
    Storing(&'s Path),
    /// Calls of the session with this title.
    Compiling(&'s str),
    /// Configurations of compaction, tried out on the session with this title.
    Sweeping(&'s str),
    /// Summaries of the session with this title.
    Compacting(&'s str),
    /// Runs of a batch.
    Comparing,
    /// Answers of the endpoint with this name.
    Asking(&'s str),
}
