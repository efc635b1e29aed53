//! What came of an import.

use std::path::PathBuf;

use strata_model::Severity;
use strata_store::SessionId;

use super::left_out::LeftOutFile;
use super::storing::WrittenSession;

/// Something a person should know about one of the files.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub severity: Severity,
    pub code: String,
    pub message: String,
    /// The file or folder it is about, as it was named.
    pub path: PathBuf,
    /// The same in short.
    pub name: String,
    /// The place in the file, if there is one.
    pub at: String,
}

/// What came of an import.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// In the order they were read.
    pub sessions: Vec<SessionId>,
    pub findings: Vec<Finding>,
    /// Sessions that were in the store already, from files that have not changed.
    pub n_unchanged: usize,
    /// Sessions that were written now.
    pub written: Vec<WrittenSession>,
    /// A file may be in the middle of being written anew: nothing of it was stored, and it is to be read again.
    pub is_unsettled: bool,
    /// A file could not be read, or not be stored: another time it may.
    pub has_failed: bool,
    /// Requests of traces that were given to sessions.
    pub n_joined: usize,
    /// Inputs in which no session was found.
    pub n_empty_inputs: usize,
    /// The files that were looked at, by what came of them.
    pub files: Files,
    /// Some input is a folder.
    pub has_folder: bool,
    pub n_inputs: usize,
    pub is_stopped: bool,
}

/// Files by what came of them. A conversation that is kept in many files counts as one.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub n_imported: usize,
    /// Those whose sessions were in the store already.
    pub n_unchanged: usize,
    /// There is no session in them.
    pub left_out: Vec<LeftOutFile>,
    /// Path and reason.
    pub failed: Vec<(PathBuf, String)>,
}

impl Imported {
    /// What came of it is said file by file.
    pub(crate) fn is_of_files(&self) -> bool {
        self.has_folder || self.n_inputs > 1
    }

    pub(crate) fn n_errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }

    /// Why nothing was read of files that are followed. One that is being written may be half there: what was read of
    /// it before stays, and that is no problem.
    pub(crate) fn problems(&self) -> impl Iterator<Item = &Finding> {
        let is_failed = |finding: &&Finding| {
            finding.severity == Severity::Error
                && self.files.failed.iter().any(|(path, _)| *path == finding.path)
        };
        self.findings.iter().filter(is_failed).filter(|_| !self.is_unsettled)
    }
}
