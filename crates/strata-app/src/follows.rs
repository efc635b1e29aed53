//! Files that are followed: read again whenever they change, each on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::api::job::Notification;
use crate::import::{Follower, Imported, Wake, newest_sessions};
use crate::notifications::Notifications;
use crate::sessions::Sessions;
use crate::watch::{Unseen, Watch as _};
use crate::workspace::Workspace;

/// What is followed.
pub(crate) struct Follows {
    workspace: Arc<Workspace>,
    sessions: Arc<Sessions>,
    notifications: Arc<Notifications>,
    list: Mutex<Vec<Follow>>,
}

#[derive(Debug)]
struct Follow {
    path: PathBuf,
    stop: CancellationToken,
    /// Why what is there now could not be read.
    problem: Option<String>,
}

impl Follows {
    pub(crate) fn new(
        workspace: Arc<Workspace>,
        sessions: Arc<Sessions>,
        notifications: Arc<Notifications>,
    ) -> Self {
        Self { workspace, sessions, notifications, list: Mutex::default() }
    }

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
                follow.stop.cancel();
            }
            !is_meant
        });
    }

    /// False when that was known.
    fn set_problem(&self, stop: &CancellationToken, problem: Option<String>) -> bool {
        let mut list = self.lock();
        // One that was switched off and on again is another.
        let follow = list.iter_mut().find(|follow| follow.stop == *stop);
        let Some(follow) = follow.filter(|follow| follow.problem != problem) else { return false };
        follow.problem = problem;
        true
    }

    /// Follows the file or folder at a path, unless it is followed already.
    pub(crate) fn start(self: &Arc<Self>, path: PathBuf) {
        let stop = CancellationToken::new();
        {
            let mut list = self.lock();
            if list.iter().any(|follow| follow.path == path) {
                return;
            }
            list.push(Follow { path: path.clone(), stop: stop.clone(), problem: None });
        }
        let follows = Arc::downgrade(self);
        std::thread::spawn(move || {
            let wake = Wake::new();
            let mut followers = [Follower::new(path, &wake)];
            let watch = Unseen(stop);
            while !watch.is_cancelled() {
                let Some(follows) = follows.upgrade() else { return };
                let [follower] = &mut followers;
                let looked = catch_unwind(AssertUnwindSafe(|| follower.look(&*follows.sessions, &watch)));
                let Ok(imported) = looked else {
                    let problem = "Strata failed at this file and no longer follows it. Please report this.";
                    return follows.tell_problem(follower.path(), &watch, Some(problem.to_owned()));
                };
                if let Some(imported) = &imported {
                    follows.tell_followed(follower.path(), &watch, imported);
                }
                drop(follows);
                wake.wait(&followers, &watch);
            }
        });
    }

    fn tell_followed(&self, path: &Path, watch: &Unseen, imported: &Imported) {
        self.tell_problem(path, watch, imported.problems().next().map(|finding| finding.message.clone()));
        for written in imported.written.iter().filter(|written| !written.after.is_empty()) {
            self.notifications.tell(&Notification::Begun {
                session: written.session.to_string(),
                after: written.after.iter().map(ToString::to_string).collect(),
            });
        }
    }

    fn tell_problem(&self, path: &Path, watch: &Unseen, problem: Option<String>) {
        if !self.set_problem(&watch.0, problem) {
            return;
        }
        // Without the store there is nobody to tell it to.
        let sessions = newest_sessions(&self.workspace.store(), path).unwrap_or_default();
        for session in sessions {
            self.notifications.tell(&Notification::Changed { session: session.to_string() });
        }
    }
}
