//! Rules about a session's history that the contents of a request and compaction share.

use std::collections::HashMap;

use super::logged_event::{Facts, LoggedEvent};

/// The events that rewinds have left (`ADK.md` 3.3).
pub fn events_after_rewinds<'e>(
    events: impl DoubleEndedIterator<Item = &'e LoggedEvent> + Clone,
) -> Vec<&'e LoggedEvent> {
    live_events(events, |_| {})
}

/// As [`events_after_rewinds`]; what a rewind took back goes to `rewound`.
pub fn live_events<'e>(
    events: impl DoubleEndedIterator<Item = &'e LoggedEvent> + Clone,
    mut rewound: impl FnMut(&'e LoggedEvent),
) -> Vec<&'e LoggedEvent> {
    let all: Vec<&LoggedEvent> = events.collect();
    if !all.iter().any(|logged| logged.is(Facts::REWIND)) {
        return all;
    }
    let mut first_of: HashMap<&str, usize> = HashMap::new();
    for (at, logged) in all.iter().enumerate() {
        if !logged.event.invocation_id.is_empty() {
            first_of.entry(&logged.event.invocation_id).or_insert(at);
        }
    }
    let mut kept = Vec::with_capacity(all.len());
    let mut end = all.len();
    while end > 0 {
        let at = end - 1;
        let target = all[at].event.actions.rewind_before_invocation_id.as_deref();
        end = match target.filter(|_| all[at].is(Facts::REWIND)) {
            None => {
                kept.push(all[at]);
                at
            }
            Some(target) => {
                let back_to = first_of.get(target).copied().filter(|first| *first < at).unwrap_or(at);
                all[back_to..at].iter().rev().for_each(|logged| rewound(logged));
                back_to
            }
        };
    }
    kept.reverse();
    kept
}

/// The span of time a summary stands for, and where its event is in the list it was found in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SummaryRange {
    pub at: usize,
    pub start: f64,
    pub end: f64,
}

/// The summaries that no other summary contains, in the order of the list (`ADK.md` 4.2).
pub(crate) fn surviving_ranges(events: &[&LoggedEvent]) -> Vec<SummaryRange> {
    surviving(summary_ranges(events))
}

/// All summaries with content and both bounds.
pub(crate) fn summary_ranges(events: &[&LoggedEvent]) -> impl Iterator<Item = SummaryRange> {
    events.iter().enumerate().filter_map(|(at, logged)| {
        let compaction = logged.event.actions.compaction.as_ref()?;
        compaction.compacted_content.as_ref()?;
        Some(SummaryRange { at, start: compaction.start_timestamp?, end: compaction.end_timestamp? })
    })
}

/// Of ranges in order, those that no other contains; of identical ones the last.
pub fn surviving(ranges: impl IntoIterator<Item = SummaryRange>) -> Vec<SummaryRange> {
    let ranges: Vec<SummaryRange> = ranges.into_iter().collect();
    let has_bounds = |range: &&SummaryRange| !range.start.is_nan() && !range.end.is_nan();
    let mut widest_first: Vec<SummaryRange> = ranges.iter().filter(has_bounds).copied().collect();
    widest_first
        .sort_by(|a, b| a.start.total_cmp(&b.start).then(b.end.total_cmp(&a.end)).then(b.at.cmp(&a.at)));
    let mut kept: Vec<usize> =
        ranges.iter().filter(|range| !has_bounds(range)).map(|range| range.at).collect();
    let mut furthest: Option<f64> = None;
    for range in widest_first {
        if furthest.is_none_or(|end| range.end > end) {
            kept.push(range.at);
            furthest = Some(range.end);
        }
    }
    ranges.into_iter().filter(|range| kept.contains(&range.at)).collect()
}

/// The union of some ranges: sorted, without overlaps, both ends included.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    spans: Vec<(f64, f64)>,
}

impl Coverage {
    pub(crate) fn of(ranges: &[SummaryRange]) -> Self {
        let mut bounds: Vec<(f64, f64)> = ranges
            .iter()
            .filter(|range| range.start <= range.end)
            .map(|range| (range.start, range.end))
            .collect();
        bounds.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut spans: Vec<(f64, f64)> = Vec::new();
        for (start, end) in bounds {
            match spans.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => spans.push((start, end)),
            }
        }
        Self { spans }
    }

    pub(crate) fn contains(&self, timestamp: f64) -> bool {
        let after = self.spans.partition_point(|(start, _)| *start <= timestamp);
        after > 0 && timestamp <= self.spans[after - 1].1
    }
}
