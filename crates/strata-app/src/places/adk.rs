//! Stores of google-adk below the present folder.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::place::{Place, look};

/// Folders below the present one. An agent's store lies at `<agent>/.adk/session.db`.
const DEPTH: usize = 4;
/// Entries of all folders.
const MOST_ENTRIES: usize = 5_000;
/// The schema of a database stands in its first pages.
const SCHEMA_BYTES: u64 = 256 * 1024;
/// Folders of other people's code.
const PASSED_OVER: [&str; 5] = ["node_modules", "target", "venv", "__pycache__", "site-packages"];

pub(super) fn below(here: &Path) -> Vec<Place> {
    let mut places = Vec::new();
    let mut n_entries = 0;
    let mut folders = vec![(here.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            n_entries += 1;
            if n_entries > MOST_ENTRIES {
                return places;
            }
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEPTH => {
                    let is_hidden = name.starts_with('.') && name != ".adk";
                    if !is_hidden && !PASSED_OVER.contains(&&*name) {
                        folders.push((path, depth + 1));
                    }
                }
                Ok(kind) if kind.is_file() && is_store(&path) => {
                    places.extend(look("ADK store", &path, |_| true));
                }
                _ => {}
            }
        }
    }
    places
}

fn is_store(path: &Path) -> bool {
    let is_database = path.extension().is_some_and(|it| it == OsStr::new("db") || it == OsStr::new("sqlite"));
    is_database && has_tables(path).unwrap_or(false)
}

/// Whether the first pages are those of a database with google-adk's tables.
fn has_tables(path: &Path) -> std::io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(SCHEMA_BYTES).read_to_end(&mut head)?;
    let names = |name: &[u8]| head.windows(name.len()).any(|bytes| bytes == name);
    Ok(head.starts_with(b"SQLite format 3\0") && names(b"app_states") && names(b"user_states"))
}
