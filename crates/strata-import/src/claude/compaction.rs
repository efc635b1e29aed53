//! Which events a compaction covers.

use strata_model::{Content, EventCompaction};

use super::entry::{Entry, EntryId, EntryKind, Preserved};
use super::nodes::Nodes;

/// The span of a compaction: from the first to the last event that its summary stands for.
///
/// These are all events of its branch and of the branches above it that come before it, up to the first one that was
/// preserved. ADK recognises covered events by their times, so the span is taken over the times of all of them.
pub(super) fn compaction(
    at: EntryId,
    preserved: &Preserved,
    entries: &[Entry],
    nodes: &Nodes,
    content: Option<Content>,
) -> EventCompaction {
    let kept = preserved.0.iter().filter_map(|uuid| nodes.entry_of(uuid)).min().unwrap_or(at);
    let times = entries[..kept.min(at)]
        .iter()
        .filter(|entry| is_above(entry, &entries[at]) && !matches!(entry.kind, EntryKind::Compaction(_)))
        .map(|entry| entry.event.timestamp);
    let own = entries[at].event.timestamp;
    let (start, end) =
        times.fold((f64::INFINITY, f64::NEG_INFINITY), |(start, end), time| (start.min(time), end.max(time)));
    let (start, end) = if start <= end { (start, end) } else { (own, own) };
    EventCompaction {
        start_timestamp: Some(start),
        end_timestamp: Some(end),
        compacted_content: content,
        ..EventCompaction::default()
    }
}

/// Whether an event is on the branch of the compaction or on one above it, in the same conversation.
fn is_above(entry: &Entry, compaction: &Entry) -> bool {
    let branch = |entry: &Entry| entry.event.branch.clone().unwrap_or_default();
    let (upper, own) = (branch(entry), branch(compaction));
    entry.lane == compaction.lane
        && (own == upper || own.strip_prefix(&*upper).is_some_and(|rest| rest.starts_with('.')))
}
