//! Size and time of files: they tell whether a file is probably the one that was imported.

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
    /// Of a file. What a database has not written into it yet counts, too.
    pub(super) fn of(path: &Path) -> Self {
        Self::of_all(&[path.to_owned(), log_of(path)])
    }

    /// Of files that are read as one, as far as they are there.
    pub(super) fn of_all(files: &[PathBuf]) -> Self {
        let mut stamp = Self { size_bytes: 0, modified_ms: None };
        let there = files.iter().filter_map(|file| file.metadata().ok());
        // To look into a database may leave an empty log.
        for metadata in there.filter(|metadata| metadata.len() > 0) {
            stamp.size_bytes += metadata.len();
            let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            stamp.modified_ms = stamp.modified_ms.max(modified.map(|time| time.as_millis() as i64));
        }
        stamp
    }
}
