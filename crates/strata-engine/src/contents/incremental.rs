//! The contents of a history, built on from what earlier calls of the same agent have settled.

use std::hash::Hash as _;
use std::sync::Arc;

use strata_model::{Contents, Fingerprint, FingerprintBuilder, RequestContent};

use super::build::{HistoryPiece, build_contents, build_piece, task_input};
use super::omission::Omissions;
use super::pairing::End;
use super::scope::ContentsScope;
use crate::log::{EventLog, EventView, LoggedEvent, Omission, SettledHistories, SettledHistory};

/// As [`build_contents`]; equal to it in every case, and quicker where the events are the first of a log.
pub(crate) fn build(events: EventView<'_>, scope: &ContentsScope<'_>, omissions: &mut Omissions) -> Contents {
    // Where a summary reaches beyond its range, nothing before it is settled.
    let Some(log) = events.log().filter(|_| scope.rules.summarises_ranges()) else {
        let events: Vec<&LoggedEvent> = events.iter().collect();
        return build_contents(&events, scope, omissions).into_iter().collect();
    };
    let history = History::new((log, events.len()), scope);
    let (mut settled, tail, seen) =
        history.ended(history.settle(history.longest(history.end, 0)), history.end);
    settled.contents.extend(tail);
    *omissions = seen;
    settled.contents
}

/// What did not make it into the contents of the first so many events of a log.
pub(crate) fn omissions(log_and_end: (&EventLog, usize), scope: &ContentsScope<'_>) -> Vec<Omission> {
    let history = History::new(log_and_end, scope);
    let (settled, _, seen) = history.ended(history.longest(history.end, 0), history.end);
    settled.omissions.iter().flatten().cloned().chain(seen.into_list()).collect()
}

/// What did not make it into the contents of the first so many events of a log: all there is to say about `event`, and
/// about some others.
pub(crate) fn omissions_around(
    event: usize,
    log_and_end: (&EventLog, usize),
    scope: &ContentsScope<'_>,
) -> Vec<Omission> {
    let history = History::new(log_and_end, scope);
    let (_, _, seen) = history.ended(history.longest(event, 0), event);
    seen.into_list()
}

struct History<'h> {
    log: &'h EventLog,
    end: usize,
    scope: &'h ContentsScope<'h>,
    /// A task's input, which stands before everything.
    head: Option<Arc<RequestContent>>,
}

impl<'h> History<'h> {
    /// That of the first `end` events.
    fn new((log, end): (&'h EventLog, usize), scope: &'h ContentsScope<'h>) -> Self {
        Self { log, end, scope, head: head(log, end, scope) }
    }

    /// The longest settled history of at most so many events to go on from.
    fn longest(&self, most: usize, skip: usize) -> SettledHistory {
        let most = if self.scope.rules.summarises_ranges() { most } else { 0 };
        let mut settled = self.log.settled().longest(self.key(), self.log.links(), (most, self.end), skip);
        if settled.n_events == 0 {
            settled.contents.extend(self.head.clone());
        }
        settled
    }

    /// The longest settled history of at most so many events that all the others can be built behind, beginning with
    /// this one; and these others.
    fn ended(
        &self,
        mut settled: SettledHistory,
        most: usize,
    ) -> (SettledHistory, Vec<Arc<RequestContent>>, Omissions) {
        let mut skipped = 0;
        loop {
            let mut seen = Omissions::after(settled.dropped.clone());
            let tail = self.piece(settled.n_events, self.end, End::Last, &mut seen);
            // What stands last is treated in a way of its own, so the last piece has to hold it.
            if !tail.is_blank || settled.n_events == 0 {
                return (settled, tail.contents, seen);
            }
            skipped += 1;
            settled = self.longest(most, skipped);
        }
    }

    /// Settles more of the history, if enough has been added to it.
    fn settle(&self, mut settled: SettledHistory) -> SettledHistory {
        let Some(joint) = SettledHistories::next_joint(self.log.links(), settled.n_events, self.end) else {
            return settled;
        };
        let mut dropped = Omissions::after(settled.dropped);
        settled.contents.extend(self.piece(settled.n_events, joint, End::Open, &mut dropped).contents);
        let (left_out, dropped) = dropped.into_parts();
        settled.dropped = dropped;
        settled.omissions.push(left_out);
        settled.n_events = joint;
        self.log.settled().keep(self.key(), settled.clone());
        settled
    }

    fn piece(&self, from: usize, to: usize, end: End, omissions: &mut Omissions) -> HistoryPiece {
        let events: Vec<&LoggedEvent> = self.log.events().range(from..to).collect();
        build_piece(&events, self.scope, end, omissions)
    }

    /// Identifies whose history it is.
    fn key(&self) -> Fingerprint {
        let mut hash = FingerprintBuilder::new();
        self.scope.hash(&mut hash);
        if let Some(head) = &self.head {
            hash.fingerprint(head.provenance);
        }
        hash.finish()
    }
}

fn head(log: &EventLog, end: usize, scope: &ContentsScope<'_>) -> Option<Arc<RequestContent>> {
    let id = scope.isolation_scope?;
    // Links leave out empty ids.
    let from = if id.is_empty() { 0 } else { log.links().first_event_with(id).unwrap_or(end).min(end) };
    let events: Vec<&LoggedEvent> = log.events().range(from..end).collect();
    task_input(&events, id, scope).map(Arc::new)
}

#[cfg(test)]
mod tests;
