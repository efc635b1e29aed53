//! Files read side by side, within a bounded memory.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use strata_import::Import;
use strata_model::{Diagnostic, Severity};

use super::call::UsedSession;
use crate::api::common::DiagnosticRow;
use crate::import::{NotRead, SessionFile, Stamp};
use crate::watch::Watch;

/// Bytes of files that are read at the same time; a larger one is read alone. What is known of a session takes a few
/// times the bytes of its file, until its calls are told.
const BYTES_AT_ONCE: u64 = 256 << 20;

/// A file among those to read.
#[derive(Debug)]
pub(crate) struct UnreadFile {
    pub file: SessionFile,
    /// The number of its place.
    pub place: usize,
    pub tool: Option<String>,
}

/// What came of a file.
#[derive(Debug)]
pub(crate) struct ReadFile {
    pub path: PathBuf,
    /// As the file was before it was read.
    pub stamp: Stamp,
    pub place: usize,
    pub outcome: Result<Vec<UsedSession>, NotRead>,
    pub diagnostics: Vec<DiagnosticRow>,
}

/// Reads all files that are not known, in whatever order; they are told in theirs. `None` when the watcher wanted to stop.
pub(crate) fn read_all(
    files: &[UnreadFile],
    known: impl FnMut(&UnreadFile) -> Option<ReadFile>,
    watch: &dyn Watch,
) -> Option<Vec<ReadFile>> {
    let sizes: Vec<u64> = files.iter().map(|file| file.file.size_bytes()).collect();
    let known: Vec<Option<ReadFile>> = files.iter().map(known).collect();
    // The largest first: none is begun when all others are done.
    let mut order: Vec<usize> = (0..files.len()).filter(|at| known[*at].is_none()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(sizes[*at]), *at));
    let read = Mutex::new(known);
    read_in_order(files, &order, watch, &|at, file| locked(&read)[at] = Some(file));
    let read = read.into_inner().unwrap_or_else(PoisonError::into_inner);
    if watch.is_cancelled() { None } else { read.into_iter().collect() }
}

/// The files that were written last first.
pub(crate) fn newest_first(files: &[UnreadFile]) -> Vec<usize> {
    let written: Vec<_> = files.iter().map(|file| file.file.stamp().modified_ms).collect();
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(written[*at]), *at));
    order
}

/// Reads files in about this order, and hands each over as soon as it is read, from whatever thread. Ends early when the
/// watcher wants to stop.
pub(crate) fn read_in_order(
    files: &[UnreadFile],
    order: &[usize],
    watch: &dyn Watch,
    take: &(dyn Fn(usize, ReadFile) + Sync),
) {
    let sizes: Vec<u64> = files.iter().map(|file| file.file.size_bytes()).collect();
    let total = sizes.iter().sum();
    let (next, done, room) = (AtomicUsize::new(0), AtomicU64::new(0), Room::default());
    let work = || {
        while let Some(at) = order.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
            if watch.is_cancelled() {
                return;
            }
            let taken = room.take(sizes[at]);
            let file = read_one(&files[at], watch);
            drop(taken);
            take(at, file);
            let done = done.fetch_add(sizes[at], Ordering::Relaxed) + sizes[at];
            watch.progress(done, total);
        }
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len());
    std::thread::scope(|scope| {
        for _ in 1..n_threads {
            scope.spawn(work);
        }
        work();
    });
}

fn read_one(unread: &UnreadFile, watch: &dyn Watch) -> ReadFile {
    let UnreadFile { file, place, tool } = unread;
    let (path, stamp) = (file.path(), file.stamp());
    let (mut sessions, mut diagnostics) = (Vec::new(), Vec::new());
    let outcome = file.read(watch, |import| {
        let Import { sessions: imported, diagnostics: found } = import;
        diagnostics.extend(found.into_iter().filter(is_about_usage).map(|found| (&found).into()));
        sessions.extend(imported.iter().map(|session| UsedSession::of(session, path, tool.as_deref())));
    });
    ReadFile { path: path.to_owned(), stamp, place: *place, outcome: outcome.map(|()| sessions), diagnostics }
}

/// Calls may be missing, or their tokens.
fn is_about_usage(found: &Diagnostic) -> bool {
    found.severity != Severity::Info || found.code == "output-under-reported"
}

/// Room in memory for files that are read.
#[derive(Default)]
struct Room {
    taken: Mutex<u64>,
    has_changed: Condvar,
}

struct Taken<'r> {
    room: &'r Room,
    bytes: u64,
}

impl Room {
    /// Waits until there is room.
    fn take(&self, bytes: u64) -> Taken<'_> {
        let mut taken = locked(&self.taken);
        while *taken > 0 && *taken + bytes > BYTES_AT_ONCE {
            taken = self.has_changed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        *taken += bytes;
        Taken { room: self, bytes }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *locked(&self.room.taken) -= self.bytes;
        self.room.has_changed.notify_all();
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
