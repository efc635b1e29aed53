//! Long work that runs beside the commands.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::api::common::DiagnosticRow;
use crate::api::job::{FileCounts, Job, JobState, Notification};
use crate::api::session::SessionListItem;
use crate::notifications::Notifications;
use crate::watch::{Step, Watch};

/// Progress is told at most this often.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// Only then, and when this share is done, is the remaining time more than a guess.
const ESTIMATE_AFTER: Duration = Duration::from_secs(2);
const ESTIMATE_FROM: f64 = 0.05;

/// Running jobs, and those that ended and were not dismissed.
#[derive(Debug)]
pub(crate) struct Jobs {
    list: Mutex<Vec<Entry>>,
    notifications: Arc<Notifications>,
}

#[derive(Debug)]
struct Entry {
    job: Job,
    stop: CancellationToken,
    started: Instant,
    told: Instant,
}

/// What came of a job.
pub(crate) struct JobOutcome {
    pub state: JobState,
    /// In one line.
    pub outcome: String,
    pub sessions: Vec<SessionListItem>,
    /// Ids of lessons that came in class files.
    pub lessons: Vec<String>,
    pub diagnostics: Vec<DiagnosticRow>,
    pub files: Option<FileCounts>,
}

impl JobOutcome {
    /// One that nothing but a line came of.
    pub(crate) fn saying(state: JobState, outcome: String) -> Self {
        Self {
            state,
            outcome,
            sessions: Vec::new(),
            lessons: Vec::new(),
            diagnostics: Vec::new(),
            files: None,
        }
    }
}

/// A job from within.
pub(crate) struct RunningJob {
    id: String,
    jobs: Arc<Jobs>,
    stop: CancellationToken,
}

impl Jobs {
    pub(crate) fn new(notifications: Arc<Notifications>) -> Self {
        Self { list: Mutex::default(), notifications }
    }

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
        entry.map(|entry| entry.stop.cancel()).is_some()
    }

    /// Takes an ended job off the list.
    pub(crate) fn dismiss(&self, id: &str) {
        self.lock().retain(|entry| entry.job.job != id || entry.job.state == JobState::Running);
    }

    /// Runs `work` on a thread of its own. Returns the job's id.
    pub(crate) fn start(
        self: &Arc<Self>,
        title: String,
        unit: &str,
        work: impl FnOnce(&RunningJob) -> JobOutcome + Send + 'static,
    ) -> String {
        let stop = CancellationToken::new();
        let id = {
            let mut list = self.lock();
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
                lessons: Vec::new(),
                diagnostics: Vec::new(),
                files: None,
                paths: Vec::new(),
            };
            let now = Instant::now();
            list.push(Entry { job, stop: stop.clone(), started: now, told: now });
            id
        };
        let running = RunningJob { id: id.clone(), jobs: self.clone(), stop };
        self.tell(&id);
        std::thread::spawn(move || {
            let ended = catch_unwind(AssertUnwindSafe(|| work(&running))).unwrap_or_else(|_| {
                let outcome = "Strata failed here; nothing of this job was kept. Please report this.";
                JobOutcome::saying(JobState::Failed, outcome.to_owned())
            });
            running.jobs.end(&running.id, ended);
        });
        id
    }

    fn end(&self, id: &str, ended: JobOutcome) {
        if let Some(entry) = self.lock().iter_mut().find(|entry| entry.job.job == id) {
            entry.job.state = ended.state;
            entry.job.outcome = Some(ended.outcome);
            entry.job.sessions = ended.sessions;
            entry.job.lessons = ended.lessons;
            entry.job.diagnostics = ended.diagnostics;
            entry.job.files = ended.files;
            entry.job.seconds_left = None;
            entry.job.seconds_elapsed = entry.started.elapsed().as_secs_f64();
        }
        self.tell(id);
    }

    fn tell(&self, id: &str) {
        let job = self.lock().iter().find(|entry| entry.job.job == id).map(|entry| entry.job.clone());
        if let Some(job) = job {
            self.notifications.tell(&Notification::Job { job: Box::new(job) });
        }
    }
}

impl RunningJob {
    /// Names what can be imported again to go on.
    pub(crate) fn reads(&self, paths: Vec<String>) {
        self.change(|job| job.paths = paths);
    }

    fn change(&self, change: impl FnOnce(&mut Job)) {
        if let Some(entry) = self.jobs.lock().iter_mut().find(|entry| entry.job.job == self.id) {
            change(&mut entry.job);
        }
    }

    /// As [`Watch::progress`], for pieces that are done in part.
    pub(crate) fn progress_part(&self, done: f64, total: f64) {
        let is_time = {
            let mut list = self.jobs.lock();
            let Some(entry) = list.iter_mut().find(|entry| entry.job.job == self.id) else { return };
            let elapsed = entry.started.elapsed();
            entry.job.done = done;
            entry.job.total = total;
            entry.job.seconds_elapsed = elapsed.as_secs_f64();
            let share = done / total.max(1.0);
            entry.job.seconds_left = (elapsed >= ESTIMATE_AFTER && share >= ESTIMATE_FROM)
                .then(|| elapsed.as_secs_f64() * (1.0 - share) / share);
            let is_time = entry.told.elapsed() >= TELL_EVERY;
            if is_time {
                entry.told = Instant::now();
            }
            is_time
        };
        if is_time {
            self.jobs.tell(&self.id);
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
        self.progress_part(done as f64, total as f64);
    }

    fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}
