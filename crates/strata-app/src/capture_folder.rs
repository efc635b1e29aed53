//! Where the logs of the gateway lie, and how long.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Logs are kept for so long…
const AGE: Duration = Duration::from_hours(30 * 24);

/// …and as long as all of them come to no more bytes; the oldest go first. What was made of them stays in the store.
const BYTES: u64 = 2 << 30;

/// How folders with sessions of ADK are named.
const ADK: &str = "adk-";

/// A file that is not there yet, beside a store. Old ones are taken away first.
pub(crate) fn new_log(database: Option<&Path>) -> io::Result<PathBuf> {
    Ok(kept_folder(database)?.join(format!("capture-{}.jsonl", now())))
}

/// An empty folder beside a store, for the sessions of a server of ADK. Old ones are taken away first.
pub(crate) fn new_folder(database: &Path) -> io::Result<PathBuf> {
    let folder = kept_folder(Some(database))?.join(format!("{ADK}{}", now()));
    fs::create_dir(&folder)?;
    Ok(folder)
}

/// Where the logs of a store lie, without what is too old.
fn kept_folder(database: Option<&Path>) -> io::Result<PathBuf> {
    let folder = folder_of(database);
    fs::create_dir_all(&folder)?;
    prune(&folder, SystemTime::now())?;
    Ok(folder)
}

/// The time, and who writes.
fn now() -> String {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}", elapsed.as_millis(), std::process::id())
}

/// Where telemetry is written that came in beside what a log holds.
pub(crate) fn telemetry_of(log: &Path) -> PathBuf {
    log.with_extension("otlp.jsonl")
}

/// Where the logs of a store lie.
pub(crate) fn folder_of(database: Option<&Path>) -> PathBuf {
    match database {
        Some(database) => database.with_file_name(format!("{}.captures", name_of(database))),
        None => std::env::temp_dir().join("strata-captures"),
    }
}

/// The logs of a store that are there.
pub(crate) fn logs_of(database: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder_of(Some(database))).into_iter().flatten().filter_map(Result::ok);
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == "jsonl"))
        .collect()
}

fn name_of(database: &Path) -> String {
    database.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Of the files in a folder.
fn size_of(folder: &Path) -> io::Result<u64> {
    fs::read_dir(folder)?.try_fold(0, |sum, entry| Ok(sum + entry?.metadata()?.len()))
}

/// Takes away what is too old or too much.
fn prune(folder: &Path, now: SystemTime) -> io::Result<()> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        let path = entry.path();
        let is_log = metadata.is_file() && path.extension().is_some_and(|it| it == "jsonl");
        let is_folder = metadata.is_dir() && entry.file_name().to_string_lossy().starts_with(ADK);
        if is_log || is_folder {
            let len = if is_folder { size_of(&path)? } else { metadata.len() };
            logs.push((metadata.modified().unwrap_or(now), len, path));
        }
    }
    // The newest first.
    logs.sort_by(|one, other| other.cmp(one));
    let mut total = 0;
    for (modified, len, path) in logs {
        total += len;
        let age = now.duration_since(modified).unwrap_or_default();
        if age > AGE || total > BYTES {
            if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_logs_go_and_other_files_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = folder.path().join("strata.db");
        let first = new_log(Some(&database)).expect("a path");
        fs::write(&first, "{}").expect("written");
        let other = first.with_file_name("notes.txt");
        fs::write(&other, "mine").expect("written");
        let logs = first.parent().expect("a folder");
        prune(logs, SystemTime::now() + Duration::from_hours(29 * 24)).expect("pruned");
        assert!(first.exists());
        prune(logs, SystemTime::now() + Duration::from_hours(31 * 24)).expect("pruned");
        assert!(!first.exists() && other.exists());
    }
}
