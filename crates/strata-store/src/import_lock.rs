//! Tells a running import from one that was killed.
//!
//! Every running import holds a shared lock on a file beside the database; the operating system lets go of it
//! when the process ends, however it ends. Who gets the exclusive lock knows that no import is running, so that
//! whatever is staged was left behind.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// Held as long as it lives.
#[derive(Debug)]
pub(crate) struct ImportLock {
    _file: File,
}

impl ImportLock {
    /// Joins the running imports of the database at `path`.
    pub(crate) fn shared(path: &Path) -> Result<Self, StoreError> {
        let file = open(path)?;
        file.lock_shared().map_err(|error| cannot_lock(path, &error))?;
        Ok(Self { _file: file })
    }

    /// `None` while an import is running.
    pub(crate) fn exclusive(path: &Path) -> Result<Option<Self>, StoreError> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(cannot_lock(path, &error)),
        }
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(lock_path(path)).map_err(|error| cannot_lock(path, &error))
}

fn lock_path(path: &Path) -> PathBuf {
    path.with_added_extension("imports")
}

fn cannot_lock(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::CannotOpen { path: lock_path(path), reason: error.to_string() }
}
