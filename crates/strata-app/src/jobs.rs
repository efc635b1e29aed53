//! Long work that runs beside the commands.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::Strata;
use crate::api::common::DiagnosticRow;
use crate::api::job::{FileCounts, Job, JobState, Notification};
use crate::api::session::SessionListItem;
use crate::import::{Step, Watch};

/// Progress is told at most this often.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// Only then, and when this share is done, is the remaining time more than a guess.
const ESTIMATE_AFTER: Duration = Duration::from_secs(2);
const ESTIMATE_FROM: f64 = 0.05;

/// Running jobs, and those that ended and were not dismissed.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    list: Mutex<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    job: Job,
    is_cancelled: Arc<AtomicBool>,
    started: Instant,
    told: Instant,
}

/// What came of a job.
pub(crate) struct Ended {
    pub state: JobState,
    /// In one line.
    pub outcome: String,
    pub sessions: Vec<SessionListItem>,
    pub diagnostics: Vec<DiagnosticRow>,
    pub files: Option<FileCounts>,
}

/// A job from within.
pub(crate) struct RunningJob {
    id: String,
    strata: Weak<Strata>,
    is_cancelled: Arc<AtomicBool>,
}

impl Jobs {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Entry>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn all(&self) -> Vec<Job> {
        self.lock().iter().map(|entry| entry.job.clone()).collect()
    }

    /// Asks a job to stop. False when there is no such job.
    pub(crate) fn cancel(&self, id: &str) -> bool {
        let list = self.lock();
        let entry = list.iter().find(|entry| entry.job.job == id);
        entry.map(|entry| entry.is_cancelled.store(true, Ordering::Relaxed)).is_some()
    }

    /// Takes an ended job off the list.
    pub(crate) fn dismiss(&self, id: &str) {
        self.lock().retain(|entry| entry.job.job != id || entry.job.state == JobState::Running);
    }
}

impl Strata {
    /// Runs `work` on a thread of its own. Returns the job's id.
    pub(crate) fn start_job(
        self: &Arc<Self>,
        title: String,
        unit: &str,
        work: impl FnOnce(&Arc<Self>, &RunningJob) -> Ended + Send + 'static,
    ) -> String {
        let is_cancelled = Arc::new(AtomicBool::new(false));
        let id = {
            let mut list = self.jobs().lock();
            let last = list.iter().filter_map(|entry| entry.job.job.parse::<u64>().ok()).max();
            let id = (last.unwrap_or(0) + 1).to_string();
            let job = Job {
                job: id.clone(),
                title,
                state: JobState::Running,
                done: 0.0,
                total: 0.0,
                unit: unit.to_owned(),
                seconds_elapsed: 0.0,
                seconds_left: None,
                outcome: None,
                sessions: Vec::new(),
                diagnostics: Vec::new(),
                files: None,
                paths: Vec::new(),
            };
            let now = Instant::now();
            list.push(Entry { job, is_cancelled: is_cancelled.clone(), started: now, told: now });
            id
        };
        let running = RunningJob { id: id.clone(), strata: Arc::downgrade(self), is_cancelled };
        self.tell_job(&id);
        let strata = self.clone();
        std::thread::spawn(move || {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&strata, &running)));
            strata.end_job(
                &running.id,
                ended.unwrap_or_else(|_| Ended {
                    state: JobState::Failed,
                    outcome: "Strata failed here; nothing of this job was kept. Please report this.".into(),
                    sessions: Vec::new(),
                    diagnostics: Vec::new(),
                    files: None,
                }),
            );
        });
        id
    }

    fn end_job(&self, id: &str, ended: Ended) {
        if let Some(entry) = self.jobs().lock().iter_mut().find(|entry| entry.job.job == id) {
            entry.job.state = ended.state;
            entry.job.outcome = Some(ended.outcome);
            entry.job.sessions = ended.sessions;
            entry.job.diagnostics = ended.diagnostics;
            entry.job.files = ended.files;
            entry.job.seconds_left = None;
            entry.job.seconds_elapsed = entry.started.elapsed().as_secs_f64();
        }
        self.tell_job(id);
    }

    fn tell_job(&self, id: &str) {
        let job = self.jobs().lock().iter().find(|entry| entry.job.job == id).map(|entry| entry.job.clone());
        if let Some(job) = job {
            self.notify(&Notification::Job { job: Box::new(job) });
        }
    }
}

impl RunningJob {
    /// Says whether the job was asked to stop.
    pub(crate) fn cancel(&self) -> strata_provider::Cancel {
        let is_cancelled = self.is_cancelled.clone();
        Arc::new(move || is_cancelled.load(Ordering::Relaxed))
    }

    /// Names what can be imported again to go on.
    pub(crate) fn reads(&self, paths: Vec<String>) {
        self.change(|job| job.paths = paths);
    }

    fn change(&self, change: impl FnOnce(&mut Job)) {
        let Some(strata) = self.strata.upgrade() else { return };
        if let Some(entry) = strata.jobs().lock().iter_mut().find(|entry| entry.job.job == self.id) {
            change(&mut entry.job);
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

impl Watch for RunningJob {
    fn begins(&self, step: Step<'_>) {
        let unit = match step {
            Step::Files(_) => "files",
            Step::Reading(_) => "bytes",
            Step::Storing(_) => "events",
            _ => return,
        };
        self.change(|job| {
            unit.clone_into(&mut job.unit);
            (job.done, job.total) = (0.0, 0.0);
        });
    }

    fn progress(&self, done: u64, total: u64) {
        let Some(strata) = self.strata.upgrade() else { return };
        let is_time = {
            let mut list = strata.jobs().lock();
            let Some(entry) = list.iter_mut().find(|entry| entry.job.job == self.id) else { return };
            let elapsed = entry.started.elapsed();
            entry.job.done = done as f64;
            entry.job.total = total as f64;
            entry.job.seconds_elapsed = elapsed.as_secs_f64();
            let share = done as f64 / (total as f64).max(1.0);
            entry.job.seconds_left = (elapsed >= ESTIMATE_AFTER && share >= ESTIMATE_FROM)
                .then(|| elapsed.as_secs_f64() * (1.0 - share) / share);
            let is_time = entry.told.elapsed() >= TELL_EVERY;
            if is_time {
                entry.told = Instant::now();
            }
            is_time
        };
        if is_time {
            strata.tell_job(&self.id);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}
