//! Tells running imports and servers from those that were killed.
//!
//! Each holds a shared lock on a file beside the database; the operating system lets go of it when the process ends,
//! however it ends. Who gets the exclusive lock knows that no other is running, so that what one left unfinished was left
//! behind.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// What processes do with a database that may be left unfinished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Importing,
    /// Answering clients of an app.
    Serving,
}

impl Work {
    fn extension(self) -> &'static str {
        match self {
            Self::Importing => "imports",
            Self::Serving => "servers",
        }
    }
}

/// Held as long as it lives.
#[derive(Debug)]
pub struct ProcessLock {
    _file: File,
}

impl ProcessLock {
    /// Joins those that do this with the database at `path`. It waits while one has it for itself.
    pub fn shared(path: &Path, work: Work) -> Result<Self, StoreError> {
        let lock = lock_path(path, work);
        let file = open(&lock)?;
        file.lock_shared().map_err(|error| cannot_lock(&lock, &error))?;
        Ok(Self { _file: file })
    }

    /// `None` while another process, or another part of this one, does this.
    pub fn exclusive(path: &Path, work: Work) -> Result<Option<Self>, StoreError> {
        let lock = lock_path(path, work);
        let file = open(&lock)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(cannot_lock(&lock, &error)),
        }
    }
}

fn open(lock: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(lock).map_err(|error| cannot_lock(lock, &error))
}

fn lock_path(path: &Path, work: Work) -> PathBuf {
    path.with_added_extension(work.extension())
}

fn cannot_lock(lock: &Path, error: &std::io::Error) -> StoreError {
    StoreError::CannotOpen { path: lock.to_owned(), reason: error.to_string() }
}
