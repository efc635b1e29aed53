//! Following a file or folder: what changes of it is imported again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use same_file::Handle;

use super::batch::{OpenFiles, Storage, import_again};
use super::folder::{files_below, folder_of_index};
use super::growing::GrowingFile;
use super::imported::Imported;
use super::input::Input;
use super::kept::OrphanPolicy;
use super::sqlite::log_of;
use crate::watch::Watch;

/// Looked at this often even when the system tells of no change: a file on another computer tells nothing.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Looking and reading take no more than one part of the time in so many.
const LOOKS_SHARE: u32 = 20;
const READS_SHARE: u32 = 3;
/// Changes come in bursts.
const BURST: Duration = Duration::from_millis(20);
/// A file that no longer holds what it held is left alone for so long: it may be in the middle of being written anew.
const SETTLES: Duration = Duration::from_secs(2);

/// Wakes when something may have changed of what is followed.
pub(crate) struct Wake {
    tell: SyncSender<()>,
    told: Receiver<()>,
}

impl Wake {
    pub(crate) fn new() -> Self {
        // One is enough: it says that something happened, not what.
        let (tell, told) = sync_channel(1);
        Self { tell, told }
    }

    /// Waits until something may have changed of these, but not long. What grows all the time is read only part of the
    /// time, so that calls of a large session are compiled in between.
    pub(crate) fn wait(&self, followers: &[Follower], watch: &dyn Watch) {
        let rest = followers
            .iter()
            .map(|follower| (follower.read * READS_SHARE).max(follower.looked * LOOKS_SHARE))
            .max();
        let begun = Instant::now();
        while begun.elapsed() < rest.unwrap_or_default() && !watch.is_cancelled() {
            std::thread::sleep(BURST.min(rest.unwrap_or_default()));
        }
        if self.told.recv_timeout(LOOK_EVERY).is_ok() {
            std::thread::sleep(BURST);
        }
    }
}

/// Follows one file or folder.
pub(crate) struct Follower {
    input: Input,
    /// Tells the wake when something happens there; absent where the system cannot.
    _watcher: Option<RecommendedWatcher>,
    /// Its files as they were when they were last read.
    seen: Vec<Seen>,
    seen_at: Instant,
    /// Not all of what is there now was stored.
    is_open: bool,
    /// The file as it was read last, where it can be read on.
    growing: Option<GrowingFile>,
    /// Only what was added was looked at since all of it was.
    is_unproven: bool,
    /// How long it took to look, and to read what had changed.
    looked: Duration,
    read: Duration,
}

/// A file as it is on the disk.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    path: PathBuf,
    size_bytes: u64,
    modified: Option<SystemTime>,
    /// Keeps the file that was read open, so that it can still be read when it was rotated away.
    file: Option<Handle>,
}

impl Follower {
    pub(crate) fn new(path: PathBuf, wake: &Wake) -> Self {
        let path = folder_of_index(&path).unwrap_or(path);
        Self {
            _watcher: watcher(&path, wake.tell.clone()),
            input: Input::of(path),
            seen: Vec::new(),
            seen_at: Instant::now(),
            is_open: false,
            growing: None,
            is_unproven: false,
            looked: Duration::ZERO,
            read: Duration::ZERO,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.input.path
    }

    /// Imports what has changed since the last look. `None` when nothing has, or nothing is there any more.
    pub(crate) fn look(&mut self, storage: &impl Storage, watch: &dyn Watch) -> Option<Imported> {
        let begun = Instant::now();
        let now = files_at(&self.input.path);
        self.looked = begun.elapsed();
        self.read = Duration::ZERO;
        let is_settled = self.seen_at.elapsed() >= SETTLES;
        let gone = match now == self.seen {
            false => OrphanPolicy::Awaited,
            true if self.is_open && is_settled => OrphanPolicy::Kept,
            true if self.is_unproven && is_settled && !self.is_proven() => OrphanPolicy::Awaited,
            true => return None,
        };
        if now.is_empty() {
            return None;
        }
        self.seen_at = begun;
        if !is_same_file(&self.seen, &now) {
            self.growing = None;
        }
        let before = std::mem::replace(&mut self.seen, now);
        let opened =
            OpenFiles { rotated: self.rotated(before), now: self.seen.iter().find_map(Seen::reopened) };
        let imported = import_again(storage, &self.input, opened, gone, &mut self.growing, watch);
        self.is_unproven = self.growing.is_some();
        self.is_open = imported.is_unsettled || imported.has_failed;
        self.read = begun.elapsed().saturating_sub(self.looked);
        Some(imported)
    }

    /// Whether what was read before something was added stands in the file still. What was changed in its middle is seen
    /// by reading all of it, which is done when nothing is being written.
    fn is_proven(&mut self) -> bool {
        self.is_unproven = false;
        let file = self.seen.iter().find_map(|seen| seen.file.as_ref());
        let is_there =
            |growing: &GrowingFile| file.is_some_and(|it| growing.is_there(it.as_file()).unwrap_or(false));
        let is_proven = self.growing.as_ref().is_some_and(is_there);
        if !is_proven {
            self.growing = None;
        }
        is_proven
    }

    /// The file that was at the path before, if it has something that was not stored.
    fn rotated(&self, before: Vec<Seen>) -> Option<File> {
        let before = before.into_iter().find(|seen| seen.file.is_some())?;
        if self.seen.iter().any(|seen| seen.file == before.file) {
            return None;
        }
        let file = before.reopened()?;
        let has_more = file.metadata().is_ok_and(|metadata| metadata.len() > before.size_bytes);
        (has_more || self.is_open).then_some(file)
    }
}

/// Tells of changes at a path, whatever stands there: of a file its folder is watched, since the file may be another
/// one soon.
fn watcher(path: &Path, wake: SyncSender<()>) -> Option<RecommendedWatcher> {
    let told = move |event: notify::Result<notify::Event>| {
        // We open the file, too.
        if !event.is_ok_and(|event| event.kind.is_access()) {
            // Full: it is known already. Closed: nobody listens any more.
            let _ = wake.try_send(());
        }
    };
    let mut watcher = notify::recommended_watcher(told).ok()?;
    let absolute = std::path::absolute(path).ok()?;
    match absolute.parent() {
        Some(folder) if !absolute.is_dir() => watcher.watch(folder, RecursiveMode::NonRecursive).ok()?,
        _ => watcher.watch(&absolute, RecursiveMode::Recursive).ok()?,
    }
    Some(watcher)
}

/// The files that are read of a path.
fn files_at(path: &Path) -> Vec<Seen> {
    if path.is_dir() {
        return files_below(path).members.into_iter().filter_map(|member| Seen::at(member.path)).collect();
    }
    // Where an open file keeps its writer from putting another in its place, it is not kept open.
    let handle = if cfg!(unix) { Handle::from_path(path).ok() } else { None };
    let file = Seen::at(path.to_owned()).map(|seen| Seen { file: handle, ..seen });
    // To look into a database may leave an empty log.
    let log = Seen::at(log_of(path)).filter(|log| log.size_bytes > 0);
    file.into_iter().chain(log).collect()
}

fn is_same_file(before: &[Seen], now: &[Seen]) -> bool {
    fn file(seen: &[Seen]) -> Option<&Handle> {
        seen.iter().find_map(|seen| seen.file.as_ref())
    }
    file(before) == file(now)
}

impl Seen {
    fn at(path: PathBuf) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self { size_bytes: metadata.len(), modified: metadata.modified().ok(), file: None, path })
    }

    fn reopened(&self) -> Option<File> {
        self.file.as_ref()?.as_file().try_clone().ok()
    }
}
