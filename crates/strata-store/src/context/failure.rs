//! Why a request is not obeyed.

use strata_context::ContextError;

use crate::StoreError;

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum ContextFailure {
    /// The context's own rules refuse it.
    #[error(transparent)]
    Refused(#[from] ContextError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<rusqlite::Error> for ContextFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}
