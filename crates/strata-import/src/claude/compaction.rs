//! Which events a compaction covers.
//!
//! These are all events of its branch and of the branches above it that come before it, up to the first one that was
//! preserved. ADK recognises covered events by their times, so a span is taken over the times of all of them.

use std::collections::HashMap;

use strata_model::Str;

use super::entry::{Entries, EntryKind, Preserved};
use super::ids::{EntryId, LaneId};
use super::nodes::Nodes;

/// First and last time, in epoch seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) start: f64,
    pub(super) end: f64,
}

impl Span {
    fn at(time: f64) -> Self {
        Self { start: time, end: time }
    }

    fn and(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The span of every compaction. One that covers nothing spans its own time.
pub(super) fn spans(entries: &Entries, branches: &[Str], nodes: &Nodes) -> Vec<(EntryId, Span)> {
    let mut compactions: Vec<(EntryId, EntryId)> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if let EntryKind::Compaction(preserved) = &entry.kind {
            compactions.push((first_kept(preserved, nodes).map_or(at, |kept| kept.min(at)), at));
        }
    }
    compactions.sort_unstable();
    let mut known: HashMap<(LaneId, &str), Span> = HashMap::new();
    let mut compactions = compactions.into_iter().peekable();
    let mut spans = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        while let Some((_, compaction)) = compactions.next_if(|(kept, _)| *kept == at) {
            let own = &entries[compaction];
            let above =
                prefixes(&branches[compaction]).filter_map(|branch| known.get(&(own.lane, branch)).copied());
            spans.push((compaction, above.reduce(Span::and).unwrap_or(Span::at(own.event.timestamp))));
        }
        if !matches!(entry.kind, EntryKind::Compaction(_)) {
            let span = Span::at(entry.event.timestamp);
            let slot = known.entry((entry.lane, &*branches[at])).or_insert(span);
            *slot = slot.and(span);
        }
    }
    spans
}

/// The first event that the compaction left as it was.
fn first_kept(preserved: &Preserved, nodes: &Nodes) -> Option<EntryId> {
    preserved.0.iter().filter_map(|uuid| nodes.entry_of(uuid)).min()
}

/// A branch and those above it, the topmost first.
fn prefixes(branch: &str) -> impl Iterator<Item = &str> {
    branch.match_indices('.').map(|(at, _)| &branch[..at]).chain([branch])
}
