//! Files that are followed: read again whenever they change, each on a thread of its own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Strata;
use crate::api::job::Notification;
use crate::import::{Follower, Imported, Watch, Written};

/// How long what is followed waits for calls to be compiled, and how often it looks.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What is followed.
#[derive(Debug, Default)]
pub(crate) struct Follows {
    list: Mutex<Vec<Follow>>,
}

#[derive(Debug)]
struct Follow {
    path: PathBuf,
    is_stopped: Arc<AtomicBool>,
    /// Why what is there now could not be read.
    problem: Option<String>,
}

/// Stops reading a file when it is no longer followed.
struct Stopped(Arc<AtomicBool>);

impl Watch for Stopped {
    fn progress(&self, _: u64, _: u64) {}

    fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Follows {
    fn lock(&self) -> MutexGuard<'_, Vec<Follow>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn has(&self, path: &Path) -> bool {
        self.lock().iter().any(|follow| follow.path == path)
    }

    /// Why a followed file cannot be read just now.
    pub(crate) fn problem(&self, path: &Path) -> Option<String> {
        self.lock().iter().find(|follow| follow.path == path)?.problem.clone()
    }

    /// What was read stays.
    pub(crate) fn stop(&self, path: &Path) {
        self.lock().retain(|follow| {
            let is_meant = follow.path == path;
            if is_meant {
                follow.is_stopped.store(true, Ordering::Relaxed);
            }
            !is_meant
        });
    }

    fn tell_problem(&self, path: &Path, problem: Option<String>) {
        if let Some(follow) = self.lock().iter_mut().find(|follow| follow.path == path) {
            follow.problem = problem;
        }
    }
}

impl Strata {
    /// Follows the file or folder at a path, unless it is followed already.
    pub(crate) fn follow(self: &Arc<Self>, path: PathBuf) {
        let is_stopped = Arc::new(AtomicBool::new(false));
        {
            let mut list = self.follows().lock();
            if list.iter().any(|follow| follow.path == path) {
                return;
            }
            list.push(Follow { path: path.clone(), is_stopped: is_stopped.clone(), problem: None });
        }
        let strata = Arc::downgrade(self);
        std::thread::spawn(move || {
            let mut follower = Follower::new(path);
            let watch = Stopped(is_stopped);
            while !watch.is_cancelled() {
                let Some(strata) = strata.upgrade() else { return };
                if let Some(imported) = follower.look(&*strata, &watch) {
                    strata.tell_followed(follower.path(), &imported);
                    strata.let_compile(&imported, &watch);
                }
                drop(strata);
                follower.wait();
            }
        });
    }

    /// Waits for the calls of sessions that are looked at: a large one that grows all the time would never be compiled.
    fn let_compile(&self, imported: &Imported, watch: &Stopped) {
        let begun = Instant::now();
        let mut is_compiling = |written: &Written| self.open_sessions().is_compiling(&written.session);
        while imported.written.iter().any(&mut is_compiling)
            && begun.elapsed() < PATIENCE
            && !watch.is_cancelled()
        {
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn tell_followed(&self, path: &Path, imported: &Imported) {
        self.follows().tell_problem(path, imported.problems().next().map(|finding| finding.message.clone()));
        for written in imported.written.iter().filter(|written| !written.after.is_empty()) {
            self.notify(&Notification::Begun {
                session: written.session.to_string(),
                after: written.after.iter().map(ToString::to_string).collect(),
            });
        }
    }
}
