//! How long tools may take, and how much they may say.

use std::time::Duration;

/// What a source may take. An app may say otherwise of the times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until a server is connected and has told its tools. A program that a package runner fetches first needs some.
    pub open: Duration,
    /// From a call to its answer.
    pub call: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { open: Duration::from_secs(30), call: Duration::from_mins(1) }
    }
}

/// Bytes of one message of a server, or of one answer over HTTP.
pub(crate) const MAX_MESSAGE: usize = 8 << 20;

/// Tools that one source may have; more than that is no list of tools.
pub(crate) const MAX_TOOLS: usize = 1_000;

/// How long a program may take to end by itself once nothing more will be asked of it.
pub(crate) const FAREWELL: Duration = Duration::from_secs(2);

/// Bytes that are kept of the last words of a program.
pub(crate) const LAST_WORDS: usize = 2 << 10;
