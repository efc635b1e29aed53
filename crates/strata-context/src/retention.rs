//! How many messages are kept, and who says what the others were.

use serde::{Deserialize, Serialize};
use strata_model::{Json, json};

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

/// What a client may say of a retention.
const MEMBERS: [&str; 3] = ["strategy", "limit", "summarize_on_truncate"];

/// Why a retention is refused.
fn unusable(problem: impl Into<String>) -> ContextError {
    ContextError::Retention(problem.into())
}

impl Retention {
    /// As a client sends it: `{"strategy": "count", "limit": 50, "summarize_on_truncate": true}`, the last of them false
    /// where it is missing. What is not understood is refused: messages that went do not come back.
    pub fn from_json(given: &Json) -> Result<Self, ContextError> {
        let Some(object) = given.as_object() else {
            return Err(unusable(format!("it is {}, not an object", given.kind())));
        };
        if let Some(other) = object.keys().find(|key| !MEMBERS.contains(&&***key)) {
            let known = "it has strategy, limit and summarize_on_truncate";
            return Err(unusable(format!("`{other}` is not known, {known}")));
        }
        let strategy = match object.get("strategy").and_then(Json::as_str) {
            Some("count") => RetentionStrategy::Count,
            Some("time") => RetentionStrategy::Time,
            Some("size") => RetentionStrategy::Size,
            _ => return Err(unusable("its `strategy` is count, time or size")),
        };
        let limit = match object.get("limit") {
            None => return Err(unusable("its `limit` is missing: so many messages, seconds or bytes")),
            Some(limit) => limit.as_i64().and_then(|limit| u64::try_from(limit).ok()).ok_or_else(|| {
                let written: String = json::to_compact(limit).chars().take(40).collect();
                unusable(format!("its `limit` is {written}, not a whole number up to {}", i64::MAX))
            })?,
        };
        let summarize_on_truncate = match object.get("summarize_on_truncate") {
            None => false,
            Some(Json::Bool(summarises)) => *summarises,
            Some(other) => {
                let kind = other.kind();
                return Err(unusable(format!("its `summarize_on_truncate` is {kind}, not true or false")));
            }
        };
        Ok(Self { strategy, limit, summarize_on_truncate })
    }

    pub(crate) fn check(self) -> Result<(), ContextError> {
        match (self.strategy, self.limit) {
            (_, 0) => Err(unusable("its limit is 0, so that it keeps nothing")),
            (RetentionStrategy::Count, 1) if self.summarize_on_truncate => {
                Err(unusable("a summary and a message are two, and it keeps one"))
            }
            (RetentionStrategy::Size, limit) if self.summarize_on_truncate && self.summary_bytes() == 0 => {
                Err(unusable(format!(
                    "a summary has a quarter of its limit, and of {limit} bytes that is nothing"
                )))
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
