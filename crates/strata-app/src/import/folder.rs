//! What is in a folder, and what of it is read together.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use strata_import::{Detection, HEAD_BYTES, detect, folder_sessions};
use tempfile::NamedTempFile;

use super::batch::Input;
use super::read::Watch;

/// Files looked at in a folder, at most.
const MAX_FILES: usize = 10_000;

/// Watches a file of a folder: the folder counts files, so what is done of one is not told.
pub(super) struct Within<'w>(pub &'w dyn Watch);

impl Watch for Within<'_> {
    fn progress(&self, _: u64, _: u64) {}

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Something in a folder that is read as one.
#[derive(Debug)]
pub(super) enum Item {
    File(PathBuf),
    /// A conversation, or all conversations of a tool, in several files.
    Joined {
        root: PathBuf,
        files: Vec<PathBuf>,
    },
}

/// Size and time of files: they tell whether a file is probably the one that was imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub size_bytes: u64,
    /// Epoch milliseconds of the newest.
    pub modified_ms: Option<i64>,
}

impl Item {
    /// As what it is known.
    pub(super) fn input(&self) -> Input {
        match self {
            Self::File(path) => Input { path: path.clone(), location: None },
            Self::Joined { root, .. } => {
                let location = Input { path: root.clone(), location: None }.location();
                Input { path: root.clone(), location: Some(location) }
            }
        }
    }

    pub(super) fn stamp(&self) -> Stamp {
        let files = match self {
            Self::File(path) => std::slice::from_ref(path),
            Self::Joined { files, .. } => files,
        };
        let mut stamp = Stamp { size_bytes: 0, modified_ms: None };
        for metadata in files.iter().filter_map(|file| file.metadata().ok()) {
            stamp.size_bytes += metadata.len();
            let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            stamp.modified_ms = stamp.modified_ms.max(modified.map(|time| time.as_millis() as i64));
        }
        stamp
    }
}

/// Files below a folder.
#[derive(Debug)]
pub(super) struct Listed {
    /// By path.
    pub files: Vec<PathBuf>,
    /// There are more.
    pub is_cut: bool,
}

/// All files below a folder; links are not followed.
pub(super) fn files_below(folder: &Path) -> Listed {
    let mut listed = Listed { files: Vec::new(), is_cut: false };
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() && listed.files.len() < MAX_FILES => {
                    listed.files.push(entry.path());
                }
                Ok(kind) => listed.is_cut |= kind.is_file(),
                Err(_) => {}
            }
        }
    }
    listed
}

/// Files, and conversations that are kept in many of them.
pub(super) fn items_of(folder: &Path, files: &[PathBuf]) -> Vec<Item> {
    let below = |path: &PathBuf| {
        let path = path.strip_prefix(folder).unwrap_or(path);
        path.components().map(|name| name.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    let paths: Vec<String> = files.iter().map(below).collect();
    let mut taken = HashSet::new();
    let mut items = Vec::new();
    for session in folder_sessions(&paths) {
        let root = if session.root.is_empty() { folder.to_owned() } else { folder.join(&session.root) };
        let parts = session.files.iter().map(|at| files[*at].clone()).collect();
        taken.extend(session.files);
        items.push(Item::Joined { root, files: parts });
    }
    let alone = files.iter().enumerate().filter(|(at, _)| !taken.contains(at));
    items.extend(alone.map(|(_, path)| Item::File(path.clone())));
    items
}

/// Files one after the other, as one file that goes when it is dropped.
pub(super) fn joined(files: &[PathBuf]) -> io::Result<NamedTempFile> {
    let mut whole = NamedTempFile::new()?;
    for path in files {
        io::copy(&mut File::open(path)?, whole.as_file_mut())?;
        whole.write_all(b"\n")?;
    }
    whole.flush()?;
    Ok(whole)
}

/// Whether the beginning of a file is that of a session, or of something that has to be named. A file that cannot be
/// opened has to be.
pub(super) fn is_session(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return true };
    let mut head = Vec::new();
    if file.take(HEAD_BYTES as u64).read_to_end(&mut head).is_err() {
        return true;
    }
    !matches!(detect(&head), Detection::NotASession(_))
}
