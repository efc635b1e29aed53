//! What the first events of a session tell, to go on from where the session grows.

use std::collections::BTreeMap;

use strata_model::Session;

use crate::calls::{CallRules, Calls, Recording};
use crate::log::EventLog;

/// Checkpoints that are kept. Recordings mostly grow behind their last event; some formats put more into the last few.
pub(super) const MAX_CHECKPOINTS: usize = 8;
/// Events before the end that new ones are made at.
const STEPS_BACK: usize = 4;

/// What the first events of a session tell. A copy is cheap.
#[derive(Clone, Default)]
pub(super) struct Checkpoint {
    pub log: EventLog,
    pub calls: Calls,
}

impl Checkpoint {
    /// Reads the rest of a session whose first events it has read; the first so many of them are those of a log.
    /// Returns what was known shortly before the end.
    pub(super) fn go_on(
        &mut self,
        session: &Session,
        rules: CallRules<'_>,
        (log, n_logged): (&EventLog, usize),
    ) -> Vec<Self> {
        let events = &session.events;
        let said = &BTreeMap::new();
        let mut known = Vec::new();
        for end in (0..STEPS_BACK).rev().filter_map(|back| events.len().checked_sub(back)) {
            if end <= self.calls.n_events() {
                continue;
            }
            let events = &events[..end];
            self.log.push_from(log, n_logged.min(end));
            events[self.log.len()..].iter().for_each(|event| self.log.push(event.clone()));
            self.calls.read(Recording { events, said, rules });
            known.push(self.clone());
        }
        known
    }
}
