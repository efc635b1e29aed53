//! A session's events in order, prepared for being compiled many times.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use imbl::Vector;
use strata_model::{Event, EventIndex, Fingerprint, FingerprintBuilder, FromJson as _, SharedList};

use super::event_links::EventLinks;
use super::logged_event::{Facts, LoggedEvent};
use super::settled::SettledHistories;

/// The events of a session in the order they were appended. A copy is cheap, and shares what is settled.
#[derive(Debug, Clone, Default)]
pub struct EventLog {
    events: SharedList<LoggedEvent>,
    prints: Vector<Fingerprint>,
    /// `chain[n]` identifies the first n + 1 events.
    chain: Vector<Fingerprint>,
    /// In order.
    pinned: Vec<EventIndex>,
    links: EventLinks,
    settled: Arc<SettledHistories>,
}

impl EventLog {
    pub fn new(events: impl IntoIterator<Item = Arc<Event>>) -> Self {
        let mut log = Self::default();
        for event in events {
            log.push(event);
        }
        log
    }

    pub fn push(&mut self, event: Arc<Event>) {
        let index = EventIndex(self.events.len() as u32);
        self.push_logged(LoggedEvent::new(event, Some(index)), None);
    }

    /// Appends an event that was prepared for this or another log; its fingerprint, if that is known.
    pub(crate) fn push_logged(&mut self, logged: impl Into<Arc<LoggedEvent>>, known: Option<Fingerprint>) {
        let logged = logged.into();
        let print = known.unwrap_or_else(|| fingerprint(&logged.event));
        let last = self.chain.last().copied().unwrap_or_default();
        self.chain.push_back(last.then(print));
        self.prints.push_back(print);
        self.links.push(&logged);
        self.events.push(logged);
    }

    /// Appends the events of another log from here to `end`.
    pub(crate) fn push_from(&mut self, other: &Self, end: usize) {
        (self.len()..end.min(other.len())).for_each(|at| self.push_same(other, at));
    }

    /// Appends the event at a place of another log, where there is one.
    pub(crate) fn push_same(&mut self, other: &Self, at: usize) {
        if let Some(logged) = other.events.shared(at) {
            self.push_logged(logged.clone(), Some(other.prints[at]));
        }
    }

    /// Takes over what is settled of the first so many events, which another log begins with as well. Either goes on by
    /// itself: they may have other events behind those.
    pub(crate) fn take_settled(&mut self, other: &Self, n_same: usize) {
        self.settled = Arc::new(other.settled.up_to(n_same));
    }

    /// This log with other events in some places, and some that are pinned.
    pub(crate) fn replaced(
        &self,
        events: &BTreeMap<usize, Arc<Event>>,
        pinned: &BTreeSet<EventIndex>,
    ) -> Self {
        let mut log = Self { pinned: pinned.iter().copied().collect(), ..Self::default() };
        let changed = pinned.iter().map(|event| event.as_usize()).chain(events.keys().copied());
        for at in changed.filter(|at| *at < self.len()).collect::<BTreeSet<_>>() {
            log.push_from(self, at);
            let (mut logged, mut print) = match events.get(&at) {
                Some(event) => (LoggedEvent::new(event.clone(), self.events[at].index), fingerprint(event)),
                None => (self.events[at].clone(), self.prints[at]),
            };
            if pinned.contains(&EventIndex(at as u32)) {
                logged.facts |= Facts::PINNED;
                print = print.then(FingerprintBuilder::new().text("pinned").finish());
            }
            log.push_logged(logged, Some(print));
        }
        log.push_from(self, self.len());
        let first_event = events.keys().next().copied().unwrap_or(usize::MAX);
        let first_pinned = pinned.first().map_or(usize::MAX, |pinned| pinned.as_usize());
        log.settled = Arc::new(self.settled.up_to(first_event.min(first_pinned)));
        log
    }

    /// This log with some events replaced, and others behind them; pins stay.
    pub(crate) fn followed_by(
        &self,
        replaced: &BTreeMap<usize, Arc<Event>>,
        more: impl Iterator<Item = Arc<Event>>,
    ) -> Self {
        let pinned = self.pinned.iter().copied().collect();
        let mut log = self.replaced(replaced, &pinned);
        more.for_each(|event| log.push(event));
        log
    }

    /// This log with the pins of another.
    pub(crate) fn with_pinned(mut self, other: &Self) -> Self {
        self.pinned.clone_from(&other.pinned);
        self
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn events(&self) -> &SharedList<LoggedEvent> {
        &self.events
    }

    pub fn get(&self, index: EventIndex) -> Option<&LoggedEvent> {
        self.events.get(index.as_usize())
    }

    /// The first `len` events.
    pub fn prefix(&self, len: usize) -> EventView<'_> {
        let len = len.min(self.events.len());
        let last = len.checked_sub(1).and_then(|last| self.chain.get(last));
        EventView {
            log: self,
            len,
            inserted: (len, &[]),
            added: &[],
            fingerprint: last.copied().unwrap_or_default(),
        }
    }

    pub(crate) fn links(&self) -> &EventLinks {
        &self.links
    }

    pub(crate) fn settled(&self) -> &SettledHistories {
        &self.settled
    }
}

fn fingerprint(event: &Event) -> Fingerprint {
    let mut hash = FingerprintBuilder::new();
    event.hash_into(&mut hash);
    hash.finish()
}

/// The events one call can see, before any of them is filtered: the first of a log, with events that exist only
/// while the call is compiled among or behind them.
#[derive(Clone, Copy)]
pub struct EventView<'e> {
    log: &'e EventLog,
    /// The first so many of its events are seen.
    len: usize,
    /// Events that stand before the one at a place of the log.
    inserted: (usize, &'e [LoggedEvent]),
    /// Events that stand behind all others.
    added: &'e [LoggedEvent],
    fingerprint: Fingerprint,
}

impl<'e> EventView<'e> {
    /// The view followed by `extra`. A view can be extended once.
    #[must_use]
    pub fn followed_by(self, extra: &'e [LoggedEvent]) -> Self {
        if extra.is_empty() {
            return self;
        }
        Self { added: extra, fingerprint: then_all(self.fingerprint, extra), ..self }
    }

    /// The view of a log's prefix with `extra` before its event at `at`.
    #[must_use]
    pub fn with_inserted(self, at: usize, extra: &'e [LoggedEvent]) -> Self {
        let mark = FingerprintBuilder::new().number(at as u64).finish();
        Self {
            inserted: (at.min(self.len), extra),
            fingerprint: then_all(self.fingerprint.then(mark), extra),
            ..self
        }
    }

    /// The event of the session at a place, if the call sees that far.
    pub fn find(&self, index: EventIndex) -> Option<&'e LoggedEvent> {
        let in_log = self.log.events.get(index.as_usize()).filter(|_| index.as_usize() < self.len);
        let in_log = in_log.filter(|logged| logged.index == Some(index));
        in_log.or_else(|| self.iter().find(|logged| logged.index == Some(index)))
    }

    pub fn len(&self) -> usize {
        self.len + self.inserted.1.len() + self.added.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'e LoggedEvent> + Clone + use<'e> {
        let (at, inserted) = self.inserted;
        let events = &self.log.events;
        events.range(0..at).chain(inserted).chain(events.range(at..self.len)).chain(self.added)
    }

    /// Events of the session that an experiment keeps, whatever would take them out; in order.
    pub(crate) fn pinned(&self) -> &'e [EventIndex] {
        &self.log.pinned
    }

    /// The log whose first events these are, unless something was inserted or added.
    pub(crate) fn log(&self) -> Option<&'e EventLog> {
        (self.inserted.1.is_empty() && self.added.is_empty()).then_some(self.log)
    }

    /// Identifies the events and their order.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

fn then_all(before: Fingerprint, events: &[LoggedEvent]) -> Fingerprint {
    events.iter().fold(before, |hash, logged| hash.then(fingerprint(&logged.event)))
}
