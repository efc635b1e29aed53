//! Following a file or folder: it is imported again whenever it changes.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use same_file::Handle;

use super::batch::{Gone, Imported, Input, Storage, import_again};
use super::folder::files_below;
use super::read::Watch;
use super::sqlite::log_of;

/// Looked at this often even when the system tells of no change: a file on another computer tells nothing.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Looking takes no more than one part of the time in so many.
const LOOKS_SHARE: u32 = 20;
/// Changes come in bursts.
const BURST: Duration = Duration::from_millis(20);
/// A file that no longer holds what it held is left alone for so long: it may be in the middle of being written anew.
const SETTLES: Duration = Duration::from_secs(2);

/// Follows one file or folder.
pub(crate) struct Follower {
    input: Input,
    /// Tells when something happens there; absent where the system cannot.
    changes: Option<(RecommendedWatcher, Receiver<()>)>,
    /// Its files as they were when they were last read.
    seen: Vec<Seen>,
    seen_at: Instant,
    /// Nothing was stored of what is there now.
    is_unsettled: bool,
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
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            changes: changes_at(&path),
            input: Input { path, location: None },
            seen: Vec::new(),
            seen_at: Instant::now(),
            is_unsettled: false,
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
            false => Gone::Awaited,
            true if self.is_unsettled && is_settled => Gone::Kept,
            true => return None,
        };
        if now.is_empty() {
            return None;
        }
        let before = std::mem::replace(&mut self.seen, now);
        if gone == Gone::Awaited {
            self.seen_at = begun;
        }
        let imported = import_again(storage, &self.input, self.rotated(before), gone, watch);
        self.is_unsettled = imported.is_unsettled;
        self.read = begun.elapsed() - self.looked;
        Some(imported)
    }

    /// The file that was at the path before, if something was written into it since it was read.
    fn rotated(&self, before: Vec<Seen>) -> Option<File> {
        let before = before.into_iter().find(|seen| seen.file.is_some())?;
        let handle = before.file?;
        if self.seen.iter().any(|seen| seen.file.as_ref() == Some(&handle)) {
            return None;
        }
        let file = handle.as_file();
        let has_more = file.metadata().is_ok_and(|metadata| metadata.len() > before.size_bytes);
        has_more.then(|| file.try_clone().ok()).flatten()
    }

    /// Waits until something may have changed, but not long.
    pub(crate) fn wait(&self) {
        // A large file that grows all the time is not read all the time.
        std::thread::sleep(self.read);
        let pause = LOOK_EVERY.max(self.looked * LOOKS_SHARE);
        let Some((_, changes)) = &self.changes else { return std::thread::sleep(pause) };
        match changes.recv_timeout(pause) {
            Ok(()) => {
                std::thread::sleep(BURST);
                while changes.try_recv().is_ok() {}
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(pause),
        }
    }
}

/// Tells of changes at a path, whatever stands there: of a file its folder is watched, since the file may be another
/// one soon.
fn changes_at(path: &Path) -> Option<(RecommendedWatcher, Receiver<()>)> {
    let (tell, changes) = channel();
    let told = move |event: notify::Result<notify::Event>| {
        // We open the file, too.
        if !event.is_ok_and(|event| event.kind.is_access()) {
            // Fails when nobody listens any more.
            let _ = tell.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(told).ok()?;
    let absolute = std::path::absolute(path).ok()?;
    match absolute.parent() {
        Some(folder) if !absolute.is_dir() => watcher.watch(folder, RecursiveMode::NonRecursive).ok()?,
        _ => watcher.watch(&absolute, RecursiveMode::Recursive).ok()?,
    }
    Some((watcher, changes))
}

/// The files that are read of a path.
fn files_at(path: &Path) -> Vec<Seen> {
    if path.is_dir() {
        return files_below(path).members.into_iter().filter_map(|member| Seen::at(member.path)).collect();
    }
    let file = Seen::at(path.to_owned()).map(|seen| Seen { file: Handle::from_path(path).ok(), ..seen });
    // To look into a database may leave an empty log.
    let log = Seen::at(log_of(path)).filter(|log| log.size_bytes > 0);
    file.into_iter().chain(log).collect()
}

impl Seen {
    fn at(path: PathBuf) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self { size_bytes: metadata.len(), modified: metadata.modified().ok(), file: None, path })
    }
}
