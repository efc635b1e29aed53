//! What was read of files, kept from one start to the next beside the store: a file of it for each file. All of it can be
//! read again, so nothing is said where it cannot be kept.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strata_model::{Fingerprint, secret};

use super::file::{Content, Examined, HomeFile};
use crate::import::Stamp;
use crate::usage::KeptSession;

/// Files are read again by a Strata that may read them otherwise.
const WRITER: &str = concat!(env!("CARGO_PKG_VERSION"), " 1");

/// A folder of kept files.
#[derive(Debug, Clone)]
pub(crate) struct Shelf {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    writer: String,
    path: PathBuf,
    /// Of the place, which names the tool of its sessions.
    tool: Option<String>,
    size: u64,
    modified: Option<i64>,
    sessions: Option<Vec<KeptSession>>,
    unread: Option<String>,
    problem: Option<String>,
    examined: Option<Vec<Examined>>,
    /// Those that what was found is priced at.
    prices: String,
}

impl Shelf {
    /// That of a store.
    pub(crate) fn of(database: &Path) -> Self {
        let name = database.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
        Self { folder: database.with_file_name(format!("{name}.home")) }
    }

    /// What is kept of a file that has not changed since. What was found at other prices is looked for again.
    pub(crate) fn take(
        &self,
        path: &Path,
        tool: Option<&str>,
        stamp: Stamp,
        prices: &str,
    ) -> Option<HomeFile> {
        let bytes = fs::read(self.file_of(path)).ok()?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        let is_same = kept.writer == WRITER
            && kept.path == path
            && kept.tool.as_deref() == tool
            && kept.size == stamp.size_bytes
            && kept.modified == stamp.modified_ms;
        if !is_same {
            return None;
        }
        let content = match (kept.sessions, kept.unread) {
            (Some(sessions), _) => {
                Content::Sessions(sessions.into_iter().map(KeptSession::read).collect::<Option<_>>()?)
            }
            (None, Some(reason)) => Content::Unread(reason),
            (None, None) => Content::Nothing,
        };
        let examined = kept.examined.filter(|_| kept.prices == prices);
        Some(HomeFile { path: kept.path, stamp, content, problem: kept.problem, examined })
    }

    pub(crate) fn keep(&self, file: &HomeFile, tool: Option<&str>, prices: &str) {
        let kept = Kept {
            writer: WRITER.to_owned(),
            path: file.path.clone(),
            tool: tool.map(str::to_owned),
            size: file.stamp.size_bytes,
            modified: file.stamp.modified_ms,
            sessions: match &file.content {
                Content::Sessions(sessions) => Some(sessions.iter().map(KeptSession::of).collect()),
                Content::Nothing | Content::Unread(_) => None,
            },
            unread: match &file.content {
                Content::Unread(reason) => Some(reason.clone()),
                Content::Sessions(_) | Content::Nothing => None,
            },
            problem: file.problem.clone(),
            examined: file.examined.clone(),
            prices: prices.to_owned(),
        };
        let Ok(text) = serde_json::to_string(&kept) else { return };
        // As in the store, credentials are not written.
        let text = secret::mask_in_place(&text).map_or(text, |masked| masked.text);
        // What cannot be kept is read again at the next start.
        let _ = self.write(&file.path, text.as_bytes());
    }

    /// Forgets what is kept of other files than these.
    pub(crate) fn keep_only<'p>(&self, paths: impl Iterator<Item = &'p Path>) {
        let wanted: std::collections::HashSet<PathBuf> = paths.map(|path| self.file_of(path)).collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok) {
            let path = entry.path();
            if !wanted.contains(&path) {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn file_of(&self, path: &Path) -> PathBuf {
        let name = Fingerprint::of(path.as_os_str().as_encoded_bytes());
        self.folder.join(format!("{:032x}.json", name.0))
    }

    /// All of it or nothing; on Unix for its owner only, as the store is.
    fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(bytes)?;
        file.persist(self.file_of(path))?;
        Ok(())
    }
}
