//! A session's events in order, prepared for being compiled many times.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use strata_model::{Event, EventIndex, Fingerprint, FingerprintBuilder, FromJson as _};

use super::event_links::EventLinks;
use super::logged_event::{Facts, LoggedEvent};
use super::settled::SettledHistories;

/// The events of a session in the order they were appended.
#[derive(Debug, Default)]
pub struct EventLog {
    events: Vec<LoggedEvent>,
    prints: Vec<Fingerprint>,
    /// `chain[n]` identifies the first n events.
    chain: Vec<Fingerprint>,
    /// In order.
    pinned: Vec<EventIndex>,
    links: EventLinks,
    settled: SettledHistories,
}

impl EventLog {
    pub fn new(events: impl IntoIterator<Item = Arc<Event>>) -> Self {
        let mut log = Self { chain: vec![Fingerprint::default()], ..Self::default() };
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
    pub(crate) fn push_logged(&mut self, logged: LoggedEvent, known: Option<Fingerprint>) {
        let print = known.unwrap_or_else(|| fingerprint(&logged.event));
        if self.chain.is_empty() {
            self.chain.push(Fingerprint::default());
        }
        let last = self.chain.last().copied().unwrap_or_default();
        self.chain.push(last.then(print));
        self.prints.push(print);
        self.links.push(&logged);
        self.events.push(logged);
    }

    /// This log with other events in some places, and some that are pinned.
    pub(crate) fn replaced(
        &self,
        events: &BTreeMap<usize, Arc<Event>>,
        pinned: &BTreeSet<EventIndex>,
    ) -> Self {
        let mut log = Self {
            chain: vec![Fingerprint::default()],
            pinned: pinned.iter().copied().collect(),
            ..Self::default()
        };
        for (at, (logged, print)) in self.events.iter().zip(&self.prints).enumerate() {
            let (mut logged, mut print) = match events.get(&at) {
                Some(event) => (LoggedEvent::new(event.clone(), logged.index), fingerprint(event)),
                None => (logged.clone(), *print),
            };
            if pinned.contains(&EventIndex(at as u32)) {
                logged.facts |= Facts::PINNED;
                print = print.then(FingerprintBuilder::new().text("pinned").finish());
            }
            log.push_logged(logged, Some(print));
        }
        let first_event = events.keys().next().copied().unwrap_or(usize::MAX);
        let first_pinned = pinned.first().map_or(usize::MAX, |pinned| pinned.as_usize());
        log.settled = self.settled.up_to(first_event.min(first_pinned));
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

    /// Identifies the event at a place.
    pub(crate) fn fingerprint_of(&self, at: usize) -> Fingerprint {
        self.prints[at]
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn events(&self) -> &[LoggedEvent] {
        &self.events
    }

    pub fn get(&self, index: EventIndex) -> Option<&LoggedEvent> {
        self.events.get(index.as_usize())
    }

    /// The first `len` events.
    pub fn prefix(&self, len: usize) -> EventView<'_> {
        let len = len.min(self.events.len());
        EventView {
            pieces: [&self.events[..len], &[], &[], &[]],
            fingerprint: self.chain.get(len).copied().unwrap_or_default(),
            log: Some(self),
            pinned: &self.pinned,
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
    /// Read one after the other.
    pieces: [&'e [LoggedEvent]; 4],
    fingerprint: Fingerprint,
    /// The log whose first events these are, when nothing is inserted or added.
    log: Option<&'e EventLog>,
    /// Of the whole log, in order.
    pinned: &'e [EventIndex],
}

impl<'e> EventView<'e> {
    /// The view followed by `extra`. A view can be extended once, and once more after [`Self::with_inserted`].
    #[must_use]
    pub fn followed_by(self, extra: &'e [LoggedEvent]) -> Self {
        if extra.is_empty() {
            return self;
        }
        let mut pieces = self.pieces;
        pieces[3] = extra;
        Self { pieces, fingerprint: then_all(self.fingerprint, extra), log: None, pinned: self.pinned }
    }

    /// The view of a log's prefix with `extra` before its event at `at`.
    #[must_use]
    pub fn with_inserted(self, at: usize, extra: &'e [LoggedEvent]) -> Self {
        let logged = self.pieces[0];
        let (before, after) = logged.split_at(at.min(logged.len()));
        let mark = FingerprintBuilder::new().number(at as u64).finish();
        Self {
            pieces: [before, extra, after, self.pieces[3]],
            fingerprint: then_all(self.fingerprint.then(mark), extra),
            log: None,
            pinned: self.pinned,
        }
    }

    /// The event of the session at a place, if the call sees that far.
    pub fn find(&self, index: EventIndex) -> Option<&'e LoggedEvent> {
        let in_log = self.pieces[0].get(index.as_usize()).filter(|logged| logged.index == Some(index));
        in_log.or_else(|| self.iter().find(|logged| logged.index == Some(index)))
    }

    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &'e LoggedEvent> + Clone + use<'e> {
        self.pieces.into_iter().flatten()
    }

    /// Events of the session that an experiment keeps, whatever would take them out; in order.
    pub(crate) fn pinned(&self) -> &'e [EventIndex] {
        self.pinned
    }

    /// The log whose first events these are, unless something was inserted or added.
    pub(crate) fn log(&self) -> Option<&'e EventLog> {
        self.log
    }

    /// Identifies the events and their order.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }
}

fn then_all(before: Fingerprint, events: &[LoggedEvent]) -> Fingerprint {
    events.iter().fold(before, |hash, logged| hash.then(fingerprint(&logged.event)))
}
