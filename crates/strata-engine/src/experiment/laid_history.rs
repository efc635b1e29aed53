//! A session's history with other summaries in it than the recorded ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use strata_model::{Event, EventIndex, SharedListIter};

use crate::calls::Call;
use crate::log::{EventLog, EventView, LoggedEvent};
use crate::turn::compaction::steps::without_results;

/// What is laid over a session in place of its recorded summaries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LaidSummaries {
    /// Each with how many recorded events lie before it; in order.
    pub summaries: Vec<(usize, Arc<Event>)>,
    /// Events whose long tool results give way to a note, from a call on.
    pub cleared: Vec<(u32, Vec<EventIndex>)>,
}

/// The events of a session in the order in which its calls see them.
#[derive(Debug)]
pub(crate) struct LaidHistory {
    /// For each recorded event, how many events lie before it.
    places: Vec<usize>,
    /// For each summary, the place of the recorded event that it stands behind.
    summaries: Vec<usize>,
    /// From the call of a number on. Clearing results rewrites what calls see from then on; places stay.
    epochs: Vec<(u32, EventLog)>,
}

impl LaidHistory {
    /// `log` has the recorded events by their numbers and the summaries behind them; recorded summaries in `left_out`
    /// are seen by no call.
    pub(crate) fn new(log: &EventLog, laid: &LaidSummaries, left_out: &BTreeSet<usize>) -> Self {
        let n_recorded = log.len() - laid.summaries.len();
        let mut places = Vec::with_capacity(n_recorded);
        let mut order = Vec::with_capacity(log.len());
        let mut summaries = laid.summaries.iter().enumerate().peekable();
        for at in 0..=n_recorded {
            while let Some((nth, _)) = summaries.next_if(|(_, (after, _))| *after <= at) {
                order.push(n_recorded + nth);
            }
            if at < n_recorded {
                places.push(order.len());
                if !left_out.contains(&at) {
                    order.push(at);
                }
            }
        }
        let mut replaced: BTreeMap<usize, Arc<Event>> = BTreeMap::new();
        let mut epochs = vec![(1, in_order(log, &order, &replaced))];
        for (call, events) in &laid.cleared {
            for event in events {
                let cleared = log.get(*event).and_then(|logged| without_results(&logged.event));
                replaced.extend(cleared.map(|cleared| (event.as_usize(), Arc::new(cleared))));
            }
            epochs.push((*call, in_order(log, &order, &replaced)));
        }
        let summaries = laid.summaries.iter().map(|(after, _)| after.saturating_sub(1)).collect();
        Self { places, summaries, epochs }
    }

    pub(crate) fn n_recorded(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn summaries(&self) -> &[usize] {
        &self.summaries
    }

    /// What a call sees, before anything is filtered.
    pub(crate) fn before(&self, call: &Call) -> EventView<'_> {
        let log = self.at(call);
        log.prefix(self.place(call.n_events()))
    }

    /// Where a recorded event stands, or would stand.
    pub(crate) fn place(&self, recorded: usize) -> usize {
        self.places.get(recorded).copied().unwrap_or(usize::MAX)
    }

    /// The events that the later of two calls sees and the earlier one does not.
    pub(crate) fn between(&self, earlier: &Call, later: &Call) -> SharedListIter<'_, LoggedEvent> {
        self.at(later).events().range(self.place(earlier.n_events())..self.place(later.n_events()))
    }

    fn at(&self, call: &Call) -> &EventLog {
        let epoch = self.epochs.iter().rfind(|(from, _)| *from <= call.number);
        &epoch.unwrap_or(&self.epochs[0]).1
    }
}

fn in_order(log: &EventLog, order: &[usize], replaced: &BTreeMap<usize, Arc<Event>>) -> EventLog {
    let mut laid = EventLog::default();
    for at in order {
        match replaced.get(at) {
            Some(event) => laid.push_logged(LoggedEvent::new(event.clone(), log.events()[*at].index), None),
            None => laid.push_same(log, *at),
        }
    }
    laid.with_pinned(log)
}
