//! The files of a folder or an archive.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use strata_import::{Archive, Detection, HEAD_BYTES, detect};

/// Files looked at in a folder or an archive, at most.
pub(super) const MAX_FILES: usize = 10_000;

/// A file among others.
#[derive(Debug)]
pub(super) struct Member {
    /// Its path below the folder, or in the archive, with `/` between names.
    pub name: String,
    pub path: PathBuf,
    /// Where it says to come from, if that is not its path.
    pub location: Option<String>,
}

/// What the beginning of a file tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Nothing,
    /// A session, or something that has to be named.
    Session,
    /// What was traced while a session ran.
    Trace,
    Archive(Archive),
}

impl FileKind {
    /// What a file that cannot be read holds turns out when it is read.
    pub(super) fn of(path: &Path) -> Self {
        let mut head = Vec::new();
        let read = File::open(path).and_then(|file| file.take(HEAD_BYTES as u64).read_to_end(&mut head));
        match read.map(|_| detect(&head)) {
            Ok(Detection::NotASession(_)) => Self::Nothing,
            Ok(Detection::Readable(format)) if format.is_trace() => Self::Trace,
            Ok(Detection::Archive(archive)) => Self::Archive(archive),
            _ => Self::Session,
        }
    }
}
