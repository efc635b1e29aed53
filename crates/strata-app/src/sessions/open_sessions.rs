//! Which sessions are open.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_store::SessionId;

use crate::open::OpenSession;

/// Sessions that stay open at once; the one not asked about for longest is closed first.
const MAX_OPEN: usize = 8;
/// Sessions that changed and are not asked about: those that are kept to go on from.
const MAX_OUTDATED: usize = 2;

/// The open sessions.
#[derive(Default)]
pub(super) struct OpenSessions {
    list: Mutex<OpenList>,
}

#[derive(Default)]
struct OpenList {
    /// The one asked about last in front.
    sessions: VecDeque<Arc<OpenSession>>,
    /// Recorded sessions of which the store has more or something else now, to go on from when they are asked about
    /// again.
    outdated: VecDeque<Arc<OpenSession>>,
    /// How often sessions were closed because the store has something else now.
    n_closings: u64,
    /// The number of the last closing of each, by what was closed: a key, or the id of a recorded session.
    closed: HashMap<String, u64>,
}

impl OpenList {
    /// Experiments are laid over what the session is now: of them nothing is kept.
    fn keep_outdated(&mut self, open: Arc<OpenSession>) {
        if open.edits.is_none() {
            self.outdated.retain(|known| known.id != open.id);
            self.outdated.push_front(open);
            self.outdated.truncate(MAX_OUTDATED);
        }
    }
}

impl OpenSessions {
    fn lock(&self) -> MutexGuard<'_, OpenList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The open session with this key.
    pub(super) fn find(&self, id: &str) -> Option<Arc<OpenSession>> {
        let sessions = &mut self.lock().sessions;
        let at = sessions.iter().position(|open| open.key == id)?;
        let found = sessions.remove(at)?;
        sessions.push_front(found.clone());
        Some(found)
    }

    /// How often sessions were closed. Whoever opens one asks before reading it.
    pub(super) fn n_closings(&self) -> u64 {
        self.lock().n_closings
    }

    /// Takes in a session that was read when `n_closings` had happened, unless somebody was quicker. `None` where it
    /// was closed since: what was read may be old.
    pub(super) fn add(&self, open: Arc<OpenSession>, n_closings: u64) -> Option<OpenOutcome> {
        let mut list = self.lock();
        let is_old = |name: &str| list.closed.get(name).is_some_and(|closing| *closing > n_closings);
        if is_old(&open.key) || is_old(open.id.as_str()) {
            list.keep_outdated(open);
            return None;
        }
        if let Some(known) = list.sessions.iter().find(|known| known.key == open.key) {
            return Some(OpenOutcome::Known(known.clone()));
        }
        list.sessions.push_front(open.clone());
        while list.sessions.len() > MAX_OPEN {
            list.sessions.pop_back().inspect(|open| open.close());
        }
        Some(OpenOutcome::New(open))
    }

    /// Closes a recorded session and all experiments over it.
    pub(super) fn close_with_experiments(&self, id: &SessionId) {
        self.lock().outdated.retain(|open| open.id != *id);
        self.close_those(id.as_str(), |open| open.id == *id);
    }

    /// As [`Self::close_with_experiments`], where the store has more of the session or something else now: what is
    /// known of it is kept to go on from.
    pub(super) fn outdate(&self, id: &SessionId) {
        {
            let mut list = self.lock();
            if let Some(open) = list.sessions.iter().find(|open| open.key == id.as_str()).cloned() {
                list.keep_outdated(open);
            }
        }
        self.close_those(id.as_str(), |open| open.id == *id);
    }

    /// What was known of a session before it changed.
    pub(super) fn take_outdated(&self, id: &SessionId) -> Option<Arc<OpenSession>> {
        let outdated = &mut self.lock().outdated;
        let at = outdated.iter().position(|open| open.id == *id)?;
        outdated.remove(at)
    }

    /// Closes all sessions, and keeps nothing of them. Gives the recorded ones that were open, or under an experiment
    /// that was.
    pub(super) fn close_all(&self) -> BTreeSet<SessionId> {
        let ids: BTreeSet<SessionId> = {
            let mut list = self.lock();
            list.outdated.clear();
            list.sessions.iter().map(|open| open.id.clone()).collect()
        };
        for id in &ids {
            self.close_those(id.as_str(), |open| open.id == *id);
        }
        ids
    }

    /// Stops work on a session and forgets it.
    pub(super) fn close(&self, id: &str) {
        self.close_those(id, |open| open.key == id);
    }

    fn close_those(&self, name: &str, is_meant: impl Fn(&OpenSession) -> bool) {
        let mut list = self.lock();
        list.n_closings += 1;
        let closing = list.n_closings;
        list.closed.insert(name.to_owned(), closing);
        list.sessions.retain(|open| {
            let is_meant = is_meant(open);
            if is_meant {
                open.close();
            }
            !is_meant
        });
    }
}

/// What came of opening a session.
pub(super) enum OpenOutcome {
    New(Arc<OpenSession>),
    /// Somebody else opened it meanwhile.
    Known(Arc<OpenSession>),
}
