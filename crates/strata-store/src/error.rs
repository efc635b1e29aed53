//! What goes wrong, in words for the person who has to deal with it.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why the store could not do something. Unless the message says otherwise, nothing of the failed call was stored
/// and everything stored before is as it was.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "{} was written by a newer Strata: its format is version {found}, this Strata knows versions up to {known}. \
         Nothing in it was changed. Open it with a newer Strata, or choose another file.",
        .path.display()
    )]
    Newer { path: PathBuf, found: u32, known: u32 },

    #[error(
        "{} has format version {found}, and this Strata reads version {known}. Nothing in it was changed, because it \
         was opened for reading only. Open it once for writing to bring it up to date.",
        .path.display()
    )]
    Older { path: PathBuf, found: u32, known: u32 },

    #[error("{} is not a Strata database: {reason}. It was not changed. Choose another file.", .path.display())]
    NotAStore { path: PathBuf, reason: &'static str },

    #[error(
        "{} cannot be opened: {reason}. Nothing was created or changed. Check that the folder exists and that you \
         may write in it, or choose another file.",
        .path.display()
    )]
    CannotOpen { path: PathBuf, reason: String },

    #[error(
        "the Strata database is being written by another program that did not finish in time. Nothing of this was \
         stored, and everything stored before is as it was. Try again; if it stays like this, close other Strata \
         windows and commands."
    )]
    Locked(#[source] rusqlite::Error),

    #[error(
        "the Strata database can only be read: the file, its folder or this way of opening it does not allow \
         writing. Nothing was changed. Allow writing, or copy the file to a folder where you may write."
    )]
    ReadOnly(#[source] rusqlite::Error),

    #[error(
        "the disk that holds the Strata database is full. Nothing of this was stored, and everything stored before \
         is as it was. Make room and try again."
    )]
    Full(#[source] rusqlite::Error),

    #[error(
        "the Strata database is damaged: {detail}. Nothing was changed; what is not in the damaged place can still \
         be read. Copy the file before anything else, then import the sources again into a new one."
    )]
    Corrupt { detail: String },

    #[error(
        "the {what} was not stored because there seems to be an API key in it. Keys belong in the key store of the \
         operating system."
    )]
    HoldsCredential { what: String },

    #[error("the Strata database answered with an error; nothing of this was stored: {0}")]
    Failed(#[source] rusqlite::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::Error::{
            FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, Utf8Error,
        };
        match (&error, error.sqlite_error_code()) {
            (_, Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)) => Self::Locked(error),
            (_, Some(ErrorCode::ReadOnly)) => Self::ReadOnly(error),
            (_, Some(ErrorCode::DiskFull)) => Self::Full(error),
            (_, Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
            // The schema is strict: a value of another type was not written by this program.
            | (
                FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) | Utf8Error(..),
                _,
            ) => Self::Corrupt { detail: error.to_string() },
            _ => Self::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_file_that_is_only_read_says_what_to_do() {
        let error = StoreError::Older { path: "strata.db".into(), found: 1, known: 2 };
        assert_eq!(
            error.to_string(),
            "strata.db has format version 1, and this Strata reads version 2. Nothing in it was changed, because it \
             was opened for reading only. Open it once for writing to bring it up to date."
        );
    }
}
