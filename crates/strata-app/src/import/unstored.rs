//! Reading what is at a path without storing it, file by file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use strata_import::{Archive, Import};
use strata_model::Severity;

use super::archive::{ArchiveError, Unpacked, unpack};
use super::folder::{FolderListing, Item, MemberWatch, files_below, items_of, joined};
use super::input::Input;
use super::members::FileKind;
use super::read::{ReadError, read_events, reason_of};
use super::stamp::Stamp;
use crate::watch::Watch;

/// What may hold sessions at a path.
#[derive(Debug, Default)]
pub(crate) struct SessionFiles {
    /// By path.
    pub files: Vec<SessionFile>,
    /// Folders that cannot be looked into, and why.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// A file that may hold sessions, or several that are read as one.
#[derive(Debug)]
pub(crate) struct SessionFile(Item);

/// Why nothing is known of the sessions of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotRead {
    /// There is none; the words say what it is instead.
    NoSession(String),
    Failed(String),
    Cancelled,
}

impl SessionFiles {
    /// The file at a path, or those below it that are wanted, by their paths below it.
    pub(crate) fn at(path: &Path, is_wanted: impl Fn(&Path) -> bool) -> Self {
        let input = Input::of(path);
        if !path.is_dir() {
            let item = Item { input, together: Vec::new(), names: Vec::new() };
            return Self { files: vec![SessionFile(item)], unreadable: Vec::new() };
        }
        let FolderListing { members, unreadable, .. } = files_below(path);
        let wanted: HashSet<&Path> = members
            .iter()
            .map(|it| &*it.path)
            .filter(|it| is_wanted(it.strip_prefix(path).unwrap_or(it)))
            .collect();
        let items = items_of(&input, &members).into_iter().filter(|item| match &*item.together {
            [] => wanted.contains(&*item.input.path),
            files => files.iter().any(|file| wanted.contains(&**file)),
        });
        let mut files: Vec<SessionFile> = items.map(SessionFile).collect();
        files.sort_by(|a, b| a.path().cmp(b.path()));
        let unreadable = unreadable.into_iter().map(|(folder, error)| (folder, reason_of(&error)));
        Self { files, unreadable: unreadable.collect() }
    }
}

impl SessionFile {
    /// As a person knows it; that of the first of several.
    pub(crate) fn path(&self) -> &Path {
        self.0.together.first().unwrap_or(&self.0.input.path)
    }

    /// Tells whether it is probably as it was.
    pub(crate) fn stamp(&self) -> Stamp {
        match &*self.0.together {
            [] => Stamp::of(&self.0.input.path),
            files => Stamp::of_all(files),
        }
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        let files: &[PathBuf] = if self.0.together.is_empty() {
            std::slice::from_ref(&self.0.input.path)
        } else {
            &self.0.together
        };
        files.iter().filter_map(|file| Some(file.metadata().ok()?.len())).sum()
    }

    /// Hands its sessions over, those of an archive member by member. Texts that lie beside transcripts are not read.
    pub(crate) fn read(&self, watch: &dyn Watch, mut take: impl FnMut(Import)) -> Result<(), NotRead> {
        let watch = MemberWatch(watch);
        match self.0.holds() {
            FileKind::Nothing(what) => Err(NotRead::NoSession(what)),
            FileKind::Archive(kind) => self.read_archive(kind, &watch, take),
            FileKind::Session | FileKind::Trace => read_item(&self.0, &watch).map(&mut take),
        }
    }

    fn read_archive(
        &self,
        kind: Archive,
        watch: &dyn Watch,
        mut take: impl FnMut(Import),
    ) -> Result<(), NotRead> {
        let input = &self.0.input;
        let unpacked = unpack(&input.path, kind, &input.location(), watch).map_err(|error| match error {
            ArchiveError::Cancelled => NotRead::Cancelled,
            error => NotRead::Failed(error.to_string()),
        })?;
        let Unpacked { members, .. } = &unpacked;
        let mut outcome = Err(NotRead::NoSession("an archive without a session".to_owned()));
        for item in items_of(input, members) {
            if !matches!(item.holds(), FileKind::Session | FileKind::Trace) {
                continue;
            }
            match read_item(&item, watch) {
                Ok(import) => {
                    take(import);
                    outcome = Ok(());
                }
                Err(NotRead::Cancelled) => return Err(NotRead::Cancelled),
                Err(NotRead::NoSession(_)) => {}
                Err(failed) if outcome.is_err() => outcome = Err(failed),
                Err(_) => {}
            }
        }
        outcome
    }
}

fn read_item(item: &Item, watch: &dyn Watch) -> Result<Import, NotRead> {
    let read = if item.together.is_empty() {
        read_events(&item.input.path, watch)
    } else {
        let whole = joined(item);
        let whole =
            whole.map_err(|error| NotRead::Failed(format!("its files cannot be read together: {error}")))?;
        read_events(whole.path(), watch)
    };
    let import = read.map_err(|error| match error {
        ReadError::Unreadable { reason, .. } => NotRead::Failed(reason),
        ReadError::Cancelled { .. } => NotRead::Cancelled,
    })?;
    if !import.sessions.is_empty() {
        return Ok(import);
    }
    let why = import.diagnostics.into_iter().find(|found| found.severity == Severity::Error);
    Err(why.map_or_else(
        || NotRead::NoSession("a file without a session".to_owned()),
        |error| NotRead::Failed(error.message),
    ))
}
