//! Whether a compaction can pay for itself.

use super::window::Window;
use crate::log::{Coverage, Facts, LoggedEvent, SummaryRange, summary_ranges, surviving, surviving_ranges};

/// What a window could remove from the prompt against what the last summary took, in characters of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorthCheck {
    /// Characters an empty summary of the window would remove.
    pub removable: i64,
    /// Characters of the latest summary; 0 before there is one.
    pub previous_summary: i64,
}

impl WorthCheck {
    pub(crate) fn of(window: &Window<'_>, events: &[&LoggedEvent]) -> Self {
        let ranges = surviving_ranges(events);
        let timestamps = || {
            window
                .seed_timestamp()
                .into_iter()
                .chain(window.events.iter().map(|logged| logged.event.timestamp))
        };
        let empty_summary = SummaryRange {
            at: events.len(),
            start: timestamps().fold(f64::INFINITY, f64::min),
            end: timestamps().fold(f64::NEG_INFINITY, f64::max),
        };
        let with_summary = surviving(summary_ranges(events).chain([empty_summary]));
        let before = prompt_size(events, &ranges);
        let after = prompt_size(events, &with_summary)
            + if with_summary.iter().any(|range| range.at == events.len()) { EMPTY_SUMMARY_SIZE } else { 0 };
        let previous_summary = ranges.last().map_or(0, |range| events[range.at].content_size() as i64);
        Self { removable: before - after, previous_summary }
    }

    pub fn is_worth(self) -> bool {
        self.removable > self.previous_summary
    }
}

/// `{"parts":[],"role":"model"}`.
const EMPTY_SUMMARY_SIZE: i64 = 27;

impl Window<'_> {
    fn seed_timestamp(&self) -> Option<f64> {
        self.seed.and_then(|seed| seed.event.actions.compaction.as_ref()?.start_timestamp)
    }
}

/// Characters of everything that is shown when `ranges` are the summaries: they and what they do not cover.
fn prompt_size(events: &[&LoggedEvent], ranges: &[SummaryRange]) -> i64 {
    let coverage = Coverage::of(ranges);
    let is_shown = |at: usize, logged: &LoggedEvent| {
        if logged.is(Facts::COMPACTION) {
            ranges.iter().any(|range| range.at == at)
        } else {
            !coverage.contains(logged.event.timestamp)
        }
    };
    let shown = events.iter().enumerate().filter(|(at, logged)| is_shown(*at, logged));
    shown.map(|(_, logged)| logged.content_size() as i64).sum()
}
