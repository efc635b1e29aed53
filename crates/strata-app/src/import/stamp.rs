//! Size and time of files: they tell whether a file is probably the one that was imported.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::sqlite::log_of;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub size_bytes: u64,
    /// Epoch milliseconds of the newest.
    pub modified_ms: Option<i64>,
}

impl Stamp {
    /// Of the file at a path.
    pub(crate) fn of(path: &Path) -> Self {
        Self::sum(path.metadata().into_iter().chain(log_of(path).metadata()))
    }

    /// Of a file that was opened at a path, where another may stand by now.
    pub(super) fn of_open(file: Metadata, path: &Path) -> Self {
        Self::sum([file].into_iter().chain(log_of(path).metadata()))
    }

    /// Of files that are read as one, as far as they are there.
    pub(super) fn of_all(files: &[PathBuf]) -> Self {
        Self::sum(files.iter().filter_map(|file| file.metadata().ok()))
    }

    /// What a database has not written into it yet counts, too. To look into one may leave an empty log.
    fn sum(files: impl Iterator<Item = Metadata>) -> Self {
        let mut stamp = Self { size_bytes: 0, modified_ms: None };
        for metadata in files.filter(|metadata| metadata.len() > 0) {
            stamp.size_bytes += metadata.len();
            let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            stamp.modified_ms = stamp.modified_ms.max(modified.map(|time| time.as_millis() as i64));
        }
        stamp
    }
}
