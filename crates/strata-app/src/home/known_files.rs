//! What is known of the files of all places that may be read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::file::HomeFile;
use super::joined::Joined;
use super::shelf::Shelf;
use crate::api::home::HomeReading;
use crate::usage::{Sources, UnreadFile};

/// Read by commands, and written by whatever reads in the background.
pub(super) struct KnownFiles {
    pub shelf: Option<Shelf>,
    state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    /// What is known of files, by place and path: this is the order in which they are added up.
    pub files: BTreeMap<(PathBuf, PathBuf), Known>,
    pub reading: HomeReading,
    /// What was joined last, until something changes.
    pub joined: Option<Arc<Joined>>,
    /// When Home was looked at before this start.
    pub before_ms: Option<i64>,
    pub was_seen: bool,
}

pub(super) struct Known {
    pub file: HomeFile,
    /// Of its place.
    pub tool: Option<String>,
}

impl KnownFiles {
    pub(super) fn new(shelf: Option<Shelf>) -> Self {
        Self { shelf, state: Mutex::default() }
    }

    /// Takes what is known of files that have not changed, and forgets those that are gone. Returns the numbers of those to
    /// read, and of those to look through.
    pub(super) fn sort_out(&self, sources: &Sources, prices: &str) -> (Vec<usize>, Vec<usize>) {
        let (mut unread, mut unexamined) = (Vec::new(), Vec::new());
        let mut state = self.state();
        let mut before = std::mem::take(&mut state.files);
        let n_before = before.len();
        let mut has_changed = false;
        for (at, UnreadFile { file, place, tool }) in sources.files.iter().enumerate() {
            let key = (sources.all[*place].path.clone(), file.path().to_owned());
            let stamp = file.stamp();
            let kept = || self.shelf.as_ref()?.take(file.path(), tool.as_deref(), stamp, prices);
            let known = match before.remove(&key) {
                Some(known) if known.file.stamp == stamp => known.file,
                // What it said before stands until it is read again.
                Some(known) => {
                    unread.push(at);
                    known.file
                }
                None => match kept() {
                    Some(kept) => {
                        has_changed = true;
                        kept
                    }
                    None => {
                        unread.push(at);
                        continue;
                    }
                },
            };
            if known.needs_look() && unread.last() != Some(&at) {
                unexamined.push(at);
            }
            state.files.insert(key, Known { file: known, tool: tool.clone() });
        }
        if has_changed || n_before != state.files.len() {
            state.joined = None;
        }
        drop(state);
        // Where no file has gone since the last look, nothing is kept of others.
        if let Some(shelf) = self.shelf.as_ref().filter(|_| n_before == 0 || !before.is_empty()) {
            shelf.keep_only(sources.files.iter().map(|file| file.file.path()));
        }
        (unread, unexamined)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    pub(super) fn joined(&mut self) -> Arc<Joined> {
        let files = self.files.values().map(|known| (&known.file, known.tool.as_deref()));
        self.joined.get_or_insert_with(|| Arc::new(Joined::of(files))).clone()
    }

    pub(super) fn count(&mut self) {
        self.reading.read_files = self.files.len() as u32;
        self.reading.examined_files =
            self.files.values().filter(|known| !known.file.needs_look()).count() as u32;
    }
}
