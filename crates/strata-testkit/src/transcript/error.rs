//! What is wrong with a transcript.

/// What is wrong with a transcript, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TranscriptError {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

impl TranscriptError {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}
