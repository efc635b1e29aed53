//! When the events of a draft happened.

use std::collections::HashMap;

use strata_model::{Event, Str};

/// When events happened, kept so that a compaction need not look at all of them.
#[derive(Debug, Clone)]
pub(super) struct Times {
    /// First and last time of what is no compaction, by branch.
    spans: HashMap<Option<Str>, (f64, f64)>,
    /// No compaction ends later, on any branch.
    pub(super) last_end: f64,
    last_time: f64,
    /// No event is earlier than the one before it.
    pub(super) are_in_order: bool,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            spans: HashMap::new(),
            last_end: f64::NEG_INFINITY,
            last_time: f64::NEG_INFINITY,
            are_in_order: true,
        }
    }
}

impl Times {
    /// Takes note of the next event.
    pub(super) fn note(&mut self, event: &Event) {
        let time = event.timestamp;
        self.are_in_order &= self.last_time <= time;
        self.last_time = time;
        match event.actions.compaction.as_ref() {
            Some(compaction) => self.note_end(compaction.end_timestamp),
            None => match self.spans.get_mut(&event.branch) {
                Some(span) => *span = joined(*span, (time, time)),
                None => _ = self.spans.insert(event.branch.clone(), (time, time)),
            },
        }
    }

    /// First and last time of what is no compaction on a branch.
    pub(super) fn span(&self, branch: Option<&Str>) -> Option<(f64, f64)> {
        self.spans.get(&branch.cloned()).copied()
    }

    /// Takes note of the end of what a compaction covers.
    pub(super) fn note_end(&mut self, end: Option<f64>) {
        self.last_end = end.map_or(self.last_end, |end| self.last_end.max(end));
    }
}

/// The time from the earlier beginning to the later end.
pub(super) fn joined(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}
