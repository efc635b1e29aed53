//! Names of contexts, tasks and those they belong to.

use std::fmt;

use serde::{Deserialize, Serialize};
use strata_model::Str;

/// Letters of the longest id.
const MAX_LETTERS: usize = 128;

/// Why a text is no id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an id has 1 to {MAX_LETTERS} letters, digits and `-_.:` and nothing else")]
pub struct MalformedId {
    /// What was given, cut to the length of an id.
    pub given: String,
}

fn checked(text: &str) -> Result<Str, MalformedId> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    if (1..=MAX_LETTERS).contains(&text.len()) && text.bytes().all(is_letter) {
        return Ok(text.into());
    }
    Err(MalformedId { given: text.chars().take(MAX_LETTERS).collect() })
}

/// The id of a context: made by the server, written in headers, addresses and cookies as it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContextId(Str);

/// The id of a task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(Str);

impl ContextId {
    pub fn parse(text: &str) -> Result<Self, MalformedId> {
        checked(text).map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TaskId {
    pub fn parse(text: &str) -> Result<Self, MalformedId> {
        checked(text).map(Self)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContextId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whoever a context belongs to. Any text is one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Principal(Str);

impl Principal {
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
