//! Files and databases of memory.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use strata_import::read_memory;
use strata_model::GivenMemory;

use crate::import::{log_of, read_memory_database};

/// The schema of a database stands in its first pages.
const SCHEMA_BYTES: u64 = 256 * 1024;
/// Databases of one folder that are looked into.
const MOST_DATABASES: usize = 64;
/// A file of memory is read whole.
const MOST_BYTES: u64 = 1 << 30;

const SQLITE: &[u8] = b"SQLite format 3\0";

/// A database of `SqliteMemoryService` in a folder, the first by name.
pub(super) fn database_in(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let is_named = |path: &PathBuf| {
        path.extension().is_some_and(|end| ["db", "sqlite", "sqlite3"].iter().any(|known| end == *known))
    };
    let mut databases: Vec<PathBuf> = entries.filter(is_named).take(MOST_DATABASES).collect();
    databases.sort();
    databases.into_iter().find(|path| names_memory(path).unwrap_or(false))
}

/// What holds the memories of a file: itself, and what SQLite has not moved there yet.
pub(super) fn files_of(path: &Path) -> impl Iterator<Item = PathBuf> {
    [path.to_owned(), log_of(path)].into_iter()
}

fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(SCHEMA_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

fn names_memory(path: &Path) -> std::io::Result<bool> {
    const TABLE: &[u8] = b"memory_events";
    let head = head(path)?;
    Ok(head.starts_with(SQLITE) && head.windows(TABLE.len()).any(|bytes| bytes == TABLE))
}

/// What a file says was remembered.
pub(super) fn read(path: &Path) -> Result<GivenMemory, String> {
    let head = head(path).map_err(|error| error.to_string())?;
    if head.starts_with(SQLITE) {
        return read_memory_database(path);
    }
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MOST_BYTES {
        return Err("it is larger than a gigabyte".to_owned());
    }
    read_memory(&fs::read(path).map_err(|error| error.to_string())?)
}
