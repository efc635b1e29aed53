//! What goes wrong, as callers see it.

use serde::Serialize;
use strata_database::AddressError;
use strata_measure::phrases::capitalised;
use strata_store::StoreError;
use ts_rs::TS;

/// Why a command failed. A variant exists because some caller acts on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// The session, call, event, stage or part does not exist (any more).
    NotFound,
    /// The command's input does not make sense.
    BadInput,
    /// A file could not be read.
    Unreadable,
    /// The database cannot be used: newer version, locked, damaged.
    Store,
    /// A model server cannot be asked.
    Provider,
    /// The call could not be compiled.
    NotCompiled,
    /// A defect of Strata. The message says what to report.
    Internal,
}

/// The one error commands return.
#[derive(Debug, Clone, Serialize, TS, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct AppError {
    pub code: ErrorCode,
    /// What happened, what was kept, what to do.
    pub message: String,
    /// For "Details": the chain of causes.
    pub detail: Option<String>,
    /// What was waited for was closed meanwhile, as an experiment is when it is edited. The dispatcher asks again, so
    /// that the answer is about what there is then.
    #[serde(skip)]
    pub(crate) is_superseded: bool,
}

impl AppError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: None, is_superseded: false }
    }

    #[must_use]
    pub fn with_detail(self, detail: &impl ToString) -> Self {
        Self { detail: Some(detail.to_string()), ..self }
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotFound, message)
    }

    pub fn unreadable(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Unreadable, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
    }

    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::BadInput, message)
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        let detail = std::error::Error::source(&error).map(ToString::to_string);
        Self { detail, ..Self::new(ErrorCode::Store, sentence(&error.to_string())) }
    }
}

impl From<AddressError> for AppError {
    fn from(error: AddressError) -> Self {
        Self::bad_input(sentence(&error.to_string()))
    }
}

/// With a capital and a full stop, as people write; a name that it begins with stays as it is.
pub(crate) fn sentence(text: &str) -> String {
    let mut sentence = capitalised(text);
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}
