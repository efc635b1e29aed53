//! Findings about input that is used all the same.

use serde::Serialize;

/// How much a [`Diagnostic`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// Something about an input that a person should know: what it is, where it is, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    pub severity: Severity,
    /// A stable name to filter and test by, such as `unexpected-type`.
    pub code: &'static str,
    /// A sentence for people: what happened, what was kept, what to do.
    pub message: String,
    /// Where: a path such as `events[3].content`, a byte offset, a line.
    pub at: String,
}

impl Diagnostic {
    pub fn error(code: &'static str, at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), at: at.into() }
    }

    pub fn warning(code: &'static str, at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, code, message: message.into(), at: at.into() }
    }

    pub fn info(code: &'static str, at: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Info, code, message: message.into(), at: at.into() }
    }
}
