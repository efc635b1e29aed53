//! Which events a compaction stands for. ADK knows them by their times alone.

use std::collections::HashSet;
use std::sync::Arc;

use strata_model::Str;

use super::Draft;

/// Seconds between events that must not share a time.
const STEP: f64 = 1e-6;

impl Draft {
    /// First and last time of the events that a compaction on this branch covers when nothing was kept.
    pub(super) fn span(&self, branch: Option<&Str>) -> (f64, f64) {
        let covered = self.events.iter().filter(|event| event.branch.as_ref() == branch);
        let times = covered.filter(|event| !event.is_compaction()).map(|event| event.timestamp);
        let spans = times.map(|time| (time, time));
        spans.reduce(joined).unwrap_or((self.clock, self.clock))
    }

    /// Narrows a compaction to the events it stands for, so that what it left stays in the conversation. Where covered
    /// events do not follow each other, it stands for the longest run of them.
    ///
    /// Events that share a time with one on the other side of the border are moved apart by a microsecond.
    pub(crate) fn cover(&mut self, at: usize, covered: &[usize]) {
        let Some(run) = self.longest_run(at, covered) else { return };
        let (first, last) = (run[0], run[run.len() - 1]);
        let is_before = |other: &usize| *other < first && *other != at;
        let before = (0..self.events.len()).filter(is_before).map(|other| self.events[other].timestamp);
        if let Some(latest) = before.reduce(f64::max) {
            self.move_after(first, latest);
        }
        let spans = run.iter().map(|place| self.span_of(*place));
        let Some((start, end)) = spans.reduce(joined) else { return };
        self.move_after(last + 1, end);
        if let Some(compaction) = &mut Arc::make_mut(&mut self.events[at]).actions.compaction {
            (compaction.start_timestamp, compaction.end_timestamp) = (Some(start), Some(end));
        }
    }

    /// The longest list of covered events between which nothing with words was kept.
    fn longest_run(&self, at: usize, covered: &[usize]) -> Option<Vec<usize>> {
        let branch = self.events.get(at)?.branch.as_ref();
        let covered: HashSet<usize> = covered.iter().copied().collect();
        let mut runs: Vec<Vec<usize>> = vec![Vec::new()];
        for (place, event) in self.events.iter().enumerate() {
            if place == at || event.branch.as_ref() != branch {
                continue;
            }
            if covered.contains(&place) {
                runs.last_mut()?.push(place);
            } else if event.content.is_some() {
                runs.push(Vec::new());
            }
        }
        // The first of equally long ones.
        runs.into_iter().rev().max_by_key(Vec::len).filter(|run| !run.is_empty())
    }

    /// The time of an event; of a summary, the times it stands for.
    fn span_of(&self, at: usize) -> (f64, f64) {
        let event = &self.events[at];
        let compaction = event.actions.compaction.as_ref();
        let span = compaction.and_then(|it| Some((it.start_timestamp?, it.end_timestamp?)));
        span.unwrap_or((event.timestamp, event.timestamp))
    }

    /// Moves the events from `first` on that are at `time` behind it.
    fn move_after(&mut self, first: usize, time: f64) {
        let events = self.events.iter_mut().skip(first).filter(|event| !event.is_compaction());
        for event in events.filter(|event| is_same(event.timestamp, time)) {
            Arc::make_mut(event).timestamp = time + STEP;
        }
        if is_same(self.clock, time) {
            self.clock = time + STEP;
        }
    }

    /// What happens after a compaction is not covered by it, however coarse the clock is.
    pub(super) fn clock_after(&self, branch: Option<&Str>) -> f64 {
        let compactions = self.compactions.iter().filter_map(|at| self.events.get(*at));
        let ends = compactions.filter(|event| event.branch.as_ref() == branch);
        let ends = ends.filter_map(|event| event.actions.compaction.as_ref()?.end_timestamp);
        ends.fold(self.clock, |clock, end| if is_same(clock, end) { end + STEP } else { clock })
    }
}

fn is_same(time: f64, other: f64) -> bool {
    (time - other).abs() < STEP / 2.0
}

fn joined(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}
