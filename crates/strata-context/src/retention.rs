//! How many messages are kept, and who says what the others were.

use serde::{Deserialize, Serialize};

use crate::error::ContextError;
use crate::message::Message;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RetentionStrategy {
    /// Messages, the summary included.
    Count,
    /// Seconds since a message was said.
    Time,
    /// Bytes of what was said, the summary included.
    Size,
}

/// How much is kept. Messages of open tasks are kept beyond it, and so is the newest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    pub strategy: RetentionStrategy,
    pub limit: u64,
    /// What goes is summarised, and the summary stands in its place.
    pub summarize_on_truncate: bool,
}

impl Default for Retention {
    fn default() -> Self {
        Self { strategy: RetentionStrategy::Count, limit: 50, summarize_on_truncate: true }
    }
}

/// A summary takes at most this share of what is kept by size.
const SUMMARY_SHARE: u64 = 4;
/// Bytes of a summary where the limit is not one of bytes.
const SUMMARY_BYTES: usize = 4 << 10;

impl Retention {
    pub(crate) fn check(self) -> Result<(), ContextError> {
        match (self.strategy, self.limit) {
            (_, 0) => Err(ContextError::Retention("its limit is 0")),
            (RetentionStrategy::Count, 1) if self.summarize_on_truncate => {
                Err(ContextError::Retention("a summary and a message are two, and it keeps one"))
            }
            _ => Ok(()),
        }
    }

    /// The most a summary may take.
    pub(crate) fn summary_bytes(self) -> usize {
        match self.strategy {
            RetentionStrategy::Size => usize::try_from(self.limit / SUMMARY_SHARE).unwrap_or(usize::MAX),
            RetentionStrategy::Count | RetentionStrategy::Time => SUMMARY_BYTES,
        }
    }
}

/// Writes summaries. It is asked while a command is obeyed, and has to answer from what it is given.
pub trait Summarise {
    /// What an earlier summary and some messages come to, in about so many bytes. What is longer is cut.
    fn summarise(&self, before: Option<&str>, dropped: &[Message], max_bytes: usize) -> String;
}

/// Says how many messages went, and nothing of them.
#[derive(Debug, Clone, Copy)]
pub struct NoSummary;

impl Summarise for NoSummary {
    fn summarise(&self, before: Option<&str>, dropped: &[Message], _: usize) -> String {
        let earlier =
            before.and_then(|text| text.split(' ').next()).and_then(|n| n.parse().ok()).unwrap_or(0);
        format!("{} earlier messages", earlier + dropped.len())
    }
}
