//! Reading and looking through files in the background.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

use super::examine::examine;
use super::file::{Content, HomeFile};
use super::known_files::{Known, KnownFiles};
use crate::api::common::DiagnosticSeverity;
use crate::api::job::{JobState, Notification};
use crate::background;
use crate::error::sentence;
use crate::import::NotRead;
use crate::jobs::{JobOutcome, Jobs, RunningJob};
use crate::notifications::Notifications;
use crate::tables::Tables;
use crate::usage::{ReadFile, UnreadFile, newest_first, read_in_order};
use crate::watch::{Unseen, Watch};

/// Less than this is read without a word, as when a session goes on.
const QUIET_BYTES: u64 = 24 << 20;

/// What is to be done.
pub(super) struct Work {
    pub known: (Arc<KnownFiles>, Arc<Tables>, Arc<Notifications>),
    /// Paths and tools of the places.
    pub places: Vec<(PathBuf, Option<String>)>,
    pub files: Vec<UnreadFile>,
    /// Numbers of files.
    pub unread: Vec<usize>,
    pub unexamined: Vec<usize>,
    /// What is found is priced at these.
    pub prices: String,
}

pub(super) fn begin(jobs: &Arc<Jobs>, work: Work) {
    let all = work.unread.iter().chain(&work.unexamined);
    let bytes: u64 = all.map(|at| work.files[*at].file.size_bytes()).sum();
    if bytes <= QUIET_BYTES {
        background::spawn(move || {
            let watch = Unseen(CancellationToken::new());
            // Whatever happens, it is not running afterwards.
            let _ = catch_unwind(AssertUnwindSafe(|| work.run(&watch, &|_, _| ())));
            work.end(false);
        });
        return;
    }
    let title = "Reading what agents left on this computer".to_owned();
    jobs.start(title, "files", move |job: &RunningJob| {
            let progress = |done: usize, total: usize| job.progress_part(done as f64, total as f64);
            let ended = catch_unwind(AssertUnwindSafe(|| work.run(&Quiet(job), &progress)));
            let is_stopped = job.is_cancelled();
            work.end(is_stopped);
            match ended {
                Ok(()) if is_stopped => {
                    let kept = "Stopped. What was read is kept; Home goes on when you say so.".to_owned();
                    JobOutcome::saying(JobState::Cancelled, kept)
                }
                Ok(()) => JobOutcome::saying(JobState::Done, "Home is up to date.".to_owned()),
                Err(_) => {
                    let said = "Strata failed while it read what agents left. What was read before is kept. Please report this.";
                    JobOutcome::saying(JobState::Failed, said.to_owned())
                }
            }
        });
}

impl Work {
    fn run(&self, watch: &dyn Watch, progress: &(dyn Fn(usize, usize) + Sync)) {
        let Self { files, unread, unexamined, .. } = self;
        let (total, done) = (2 * unread.len() + unexamined.len(), AtomicUsize::new(0));
        let step = || progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        let newest = newest_first(files);
        let unread: HashSet<usize> = unread.iter().copied().collect();
        let unexamined: HashSet<usize> = unexamined.iter().copied().collect();
        let order: Vec<usize> = newest.iter().copied().filter(|at| unread.contains(at)).collect();
        read_in_order(files, &order, watch, &|at, file| {
            self.take(at, file);
            step();
        });
        for at in newest {
            if watch.is_cancelled() {
                return;
            }
            if unread.contains(&at) || unexamined.contains(&at) {
                self.look(at, watch);
                step();
            }
        }
    }

    /// Takes what was read of a file.
    fn take(&self, at: usize, read: ReadFile) {
        let UnreadFile { file, place, tool } = &self.files[at];
        let content = match read.outcome {
            Ok(sessions) => Content::Sessions(sessions),
            Err(NotRead::NoSession(_)) => Content::Nothing,
            Err(NotRead::Failed(reason)) => Content::Unread(sentence(&reason)),
            Err(NotRead::Cancelled) => return,
        };
        let mut diagnostics = read.diagnostics.into_iter();
        let problem = diagnostics
            .find(|found| found.severity != DiagnosticSeverity::Info)
            .map(|found| sentence(&found.message));
        // It may have grown meanwhile: then its stamp is not this one, and it is read again.
        let known =
            HomeFile { path: file.path().to_owned(), stamp: read.stamp, content, problem, examined: None };
        if let Some(shelf) = &self.known.0.shelf {
            shelf.keep(&known, tool.as_deref(), &self.prices);
        }
        let key = (self.places[*place].0.clone(), known.path.clone());
        let mut state = self.known.0.state();
        state.files.insert(key, Known { file: known, tool: tool.clone() });
        state.joined = None;
        state.reading.newly_read_files += 1;
        state.count();
        drop(state);
        self.known.2.tell(&Notification::Home);
    }

    /// Looks through a file that was read.
    fn look(&self, at: usize, watch: &dyn Watch) {
        let UnreadFile { file, place, tool } = &self.files[at];
        let key = (self.places[*place].0.clone(), file.path().to_owned());
        if !self.known.0.state().files.get(&key).is_some_and(|known| known.file.needs_look()) {
            return;
        }
        let Some(examined) = examine(file, &self.known.1, watch) else { return };
        let mut state = self.known.0.state();
        let Some(known) = state.files.get_mut(&key) else { return };
        known.file.examined = Some(examined);
        let kept = known.file.clone();
        state.joined = None;
        state.count();
        drop(state);
        if let Some(shelf) = &self.known.0.shelf {
            shelf.keep(&kept, tool.as_deref(), &self.prices);
        }
        self.known.2.tell(&Notification::Home);
    }

    fn end(&self, is_stopped: bool) {
        let mut state = self.known.0.state();
        state.reading.is_running = false;
        state.reading.is_stopped = is_stopped;
        drop(state);
        self.known.2.tell(&Notification::Home);
    }
}

/// A job whose progress is that of its files.
struct Quiet<'j>(&'j RunningJob);

impl Watch for Quiet<'_> {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        self.0.stop()
    }
}
