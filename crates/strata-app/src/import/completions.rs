//! Completions of OpenHands: requests and answers in files of their own, of whose answers the conversation has the ids.

use std::collections::{HashMap, HashSet};

use strata_import::{Format, ImportedSession, marks};
use strata_store::{SessionId, Store, StoreError};

use super::traces::{JoinedTrace, join_to};

/// The answers of conversations, by the ids that their provider gave them.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    by_answer: HashMap<String, SessionId>,
    known: HashSet<SessionId>,
}

impl Conversations {
    /// Gives the requests of a log to that one of `sessions` which has its answers.
    pub(super) fn join(
        &mut self,
        store: &mut Store,
        sessions: &[SessionId],
        log: &ImportedSession,
        location: &str,
    ) -> Result<Option<JoinedTrace>, StoreError> {
        if log.format != Format::PROVIDER_LOG {
            return Ok(None);
        }
        for id in sessions {
            if self.known.insert(id.clone()) {
                self.read(store, id)?;
            }
        }
        let answers = log.requests.iter().filter_map(|request| log.session.events.get(request.answer?));
        let mut ids = answers.flat_map(|answer| marks::answer_ids(answer));
        let Some(id) = ids.find_map(|id| self.by_answer.get(id)).cloned() else { return Ok(None) };
        join_to(store, &id, std::slice::from_ref(log), location)
    }

    fn read(&mut self, store: &Store, id: &SessionId) -> Result<(), StoreError> {
        let entry = store.session_entry(id)?;
        if entry.is_none_or(|entry| entry.format != Format::OPENHANDS.name()) {
            return Ok(());
        }
        let session = store.read_session(id)?;
        for event in session.iter().flat_map(|session| &session.events) {
            self.by_answer.extend(marks::answer_ids(event).map(|answer| (answer.to_owned(), id.clone())));
        }
        Ok(())
    }
}
