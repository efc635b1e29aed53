//! What is known of the files of all places that may be read.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
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
        let mut kept = self.kept(sources, prices);
        let mut state = self.state();
        let mut before = std::mem::take(&mut state.files);
        let n_before = before.len();
        let mut has_changed = false;
        for (at, UnreadFile { file, place, tool }) in sources.files.iter().enumerate() {
            let key = key(sources, *place, file.path());
            let stamp = file.stamp();
            let known = match before.remove(&key) {
                Some(known) if known.file.stamp == stamp => known.file,
                // What it said before stands until it is read again.
                Some(known) => {
                    unread.push(at);
                    known.file
                }
                None => match kept.remove(&at) {
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

    /// What the shelf has of files that are not known yet, by their numbers. Nobody waits for its files to be read.
    fn kept(&self, sources: &Sources, prices: &str) -> HashMap<usize, HomeFile> {
        let Some(shelf) = &self.shelf else { return HashMap::new() };
        let files = sources.files.iter().enumerate();
        let unknown: Vec<(usize, &UnreadFile)> = {
            let state = self.state();
            let is_known =
                |one: &UnreadFile| state.files.contains_key(&key(sources, one.place, one.file.path()));
            files.filter(|one| !is_known(one.1)).collect()
        };
        let take =
            |one: &UnreadFile| shelf.take(one.file.path(), one.tool.as_deref(), one.file.stamp(), prices);
        unknown.into_iter().filter_map(|(at, one)| Some((at, take(one)?))).collect()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a file of a place is known by.
fn key(sources: &Sources, place: usize, path: &Path) -> (PathBuf, PathBuf) {
    (sources.all[place].path.clone(), path.to_owned())
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
