//! A session's events with other summaries than the recorded ones among them.

use std::sync::Arc;

use strata_model::{Event, EventIndex, SharedList};

use super::event_log::{EventLog, EventView};
use super::logged_event::LoggedEvent;

/// A log that grows event by event: recorded events keep their numbers, and summaries that are laid among them are
/// numbered behind the last event of the session.
#[derive(Debug)]
pub struct LaidLog<'b> {
    base: &'b EventLog,
    log: EventLog,
    /// How many events lay before each recorded event when it was entered; recorded summaries are never entered.
    places: Vec<usize>,
    n_summaries: u32,
}

impl<'b> LaidLog<'b> {
    pub fn new(base: &'b EventLog) -> Self {
        Self { base, log: EventLog::default(), places: Vec::with_capacity(base.len()), n_summaries: 0 }
    }

    /// Leaves the next recorded event out: it is a summary.
    pub fn leave_out(&mut self) {
        self.places.push(self.log.len());
    }

    /// Enters the next recorded event.
    pub fn push_recorded(&mut self, other: Option<Event>) {
        let at = self.places.len();
        self.places.push(self.log.len());
        match other {
            Some(event) => {
                self.log.push_logged(self.base.events()[at].with_event(Arc::new(event)), None);
            }
            None => self.log.push_same(self.base, at),
        }
    }

    /// Enters a summary. Returns its number.
    pub fn push_summary(&mut self, event: Arc<Event>) -> EventIndex {
        let index = EventIndex(self.base.len() as u32 + self.n_summaries);
        self.n_summaries += 1;
        self.log.push_logged(LoggedEvent::new(event, Some(index)), None);
        index
    }

    /// Recorded events so far, those that were left out included.
    pub fn n_recorded(&self) -> usize {
        self.places.len()
    }

    /// Every event so far.
    pub fn view(&self) -> EventView<'_> {
        self.log.prefix(self.log.len())
    }

    /// Where a recorded event stands, or would have stood.
    pub fn place(&self, recorded: usize) -> usize {
        self.places.get(recorded).copied().unwrap_or(self.log.len())
    }

    pub fn events(&self) -> &SharedList<LoggedEvent> {
        self.log.events()
    }

    /// The same with some events replaced, by their place.
    pub fn rewrite(&mut self, replaced: &[(usize, Event)]) {
        let before = std::mem::take(&mut self.log);
        let mut replaced = replaced.iter().peekable();
        for (at, logged) in before.events().iter().enumerate() {
            match replaced.next_if(|(place, _)| *place == at) {
                Some((_, event)) => {
                    self.log.push_logged(LoggedEvent::new(Arc::new(event.clone()), logged.index), None);
                }
                None => self.log.push_same(&before, at),
            }
        }
    }
}
