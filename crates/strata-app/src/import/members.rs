//! The files of a folder or an archive.

use std::fs::File;
use std::path::{Path, PathBuf};

use strata_import::{Archive, Detection, Format};

use super::head::detect_file;

/// Files with sessions that are read of a folder, and members that are looked at in an archive, at most.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileKind {
    /// No session; the words say what it is instead.
    Nothing(String),
    /// A session, or something that has to be named.
    Session,
    /// What was traced while a session ran, or may have been: it is read after the sessions.
    Trace,
    Archive(Archive),
}

impl FileKind {
    /// What a file that cannot be read holds turns out when it is read.
    pub(super) fn of(path: &Path) -> Self {
        match File::open(path).and_then(|file| detect_file(&file)) {
            Ok(Detection::NotASession(what)) => {
                Self::Nothing(what.strip_prefix("not a session: ").map_or(what.clone(), str::to_owned))
            }
            Ok(Detection::Readable(format)) if format.is_trace() || format == Format::PROVIDER_LOG => {
                Self::Trace
            }
            Ok(Detection::Archive(archive)) => Self::Archive(archive),
            _ => Self::Session,
        }
    }
}
