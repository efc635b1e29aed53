//! Why a request could not be compiled.

use std::fmt;

use crate::config_check::Problem;

/// The Python exception ADK would raise, which tells callers of ADK what kind of mistake it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    KeyError,
    ValueError,
    TypeError,
    /// An error inside a plugin, as ADK wraps it.
    RuntimeError,
    /// A value pydantic does not take.
    ValidationError,
    JsonDecodeError,
}

impl ErrorKind {
    pub fn python_name(self) -> &'static str {
        match self {
            Self::KeyError => "KeyError",
            Self::ValueError => "ValueError",
            Self::TypeError => "TypeError",
            Self::RuntimeError => "RuntimeError",
            Self::ValidationError => "ValidationError",
            Self::JsonDecodeError => "JSONDecodeError",
        }
    }
}

/// A processor could not do its work; ADK ends the run with this error.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CompileError {
    pub kind: ErrorKind,
    /// ADK's own words.
    pub message: String,
    /// What a person can change.
    pub advice: String,
    /// The fields of a value that pydantic does not take.
    pub problems: Vec<Problem>,
}

impl CompileError {
    pub fn new(kind: ErrorKind, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind, message: message.into(), advice: advice.into(), problems: Vec::new() }
    }

    /// A value that does not have the fields it should have.
    pub(crate) fn invalid(problems: Vec<Problem>, advice: impl Into<String>) -> Self {
        let message = problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; ");
        Self { problems, ..Self::new(ErrorKind::ValidationError, message, advice) }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.kind.python_name(), self.message, self.advice)
    }
}

impl std::error::Error for CompileError {}
