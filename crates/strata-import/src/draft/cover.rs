//! Which events a compaction stands for. ADK knows them by their times alone.

use std::sync::Arc;

use strata_model::Str;

use super::Draft;
use super::times::{Times, joined};

/// Seconds between events that must not share a time.
const STEP: f64 = 1e-6;

impl Draft {
    /// First and last time of the events that a compaction on this branch covers when nothing was kept.
    pub(super) fn span(&self, branch: Option<&Str>) -> (f64, f64) {
        self.times.span(branch).unwrap_or((self.clock, self.clock))
    }

    /// Sets the first and the last time that a compaction covers.
    pub(crate) fn set_span(&mut self, at: usize, (start, end): (f64, f64)) {
        let compaction = self.event_mut(at).and_then(|event| event.actions.compaction.as_mut());
        if let Some(compaction) = compaction {
            (compaction.start_timestamp, compaction.end_timestamp) = (Some(start), Some(end));
            self.times.note_end(Some(end));
        }
    }

    /// Narrows a compaction to the events it stands for, so that what it left stays in the conversation. Where covered
    /// events do not follow each other, it stands for the longest run of them.
    ///
    /// Events that share a time with one on the other side of the border are moved apart by a microsecond.
    pub(crate) fn cover(&mut self, at: usize, covered: &[usize]) {
        let Some(run) = self.longest_run(at, covered) else { return };
        let (first, last) = (run[0], run[run.len() - 1]);
        if let Some(latest) = self.latest_before(first, at) {
            self.move_after(first, latest);
        }
        let spans = run.iter().map(|place| self.span_of(*place));
        let Some((start, end)) = spans.reduce(joined) else { return };
        self.move_after(last + 1, end);
        self.set_span(at, (start, end));
    }

    /// The latest time of the events before `first`, but for the one at `left_out`.
    fn latest_before(&self, first: usize, left_out: usize) -> Option<f64> {
        if self.times.are_in_order && left_out >= first {
            return Some(self.events[first.checked_sub(1)?].timestamp);
        }
        let before = (0..first).filter(|at| *at != left_out).map(|at| self.events[at].timestamp);
        before.reduce(f64::max)
    }

    /// The longest list of covered events between which nothing with words was kept.
    fn longest_run(&self, at: usize, covered: &[usize]) -> Option<Vec<usize>> {
        let branch = self.events.get(at)?.branch.as_ref();
        let first = *covered.iter().min()?;
        let last = (*covered.iter().max()?).min(self.events.len() - 1);
        let mut is_covered = vec![false; (last + 1).saturating_sub(first)];
        for place in covered.iter().filter(|place| **place <= last) {
            is_covered[*place - first] = true;
        }
        let mut runs: Vec<Vec<usize>> = vec![Vec::new()];
        for (place, is_covered) in (first..).zip(is_covered) {
            let event = &self.events[place];
            if place == at || event.branch.as_ref() != branch {
                continue;
            }
            if is_covered {
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
        let mut has_moved = false;
        for event in self.events.iter_mut().skip(first) {
            if !is_same(event.timestamp, time) {
                if self.times.are_in_order && event.timestamp > time {
                    break;
                }
            } else if !event.is_compaction() {
                Arc::make_mut(event).timestamp = time + STEP;
                has_moved = true;
            }
        }
        if has_moved {
            self.times = Times::default();
            self.events.iter().for_each(|event| self.times.note(event));
        }
        if is_same(self.clock, time) {
            self.clock = time + STEP;
        }
    }

    /// What happens after a compaction is not covered by it, however coarse the clock is.
    pub(super) fn clock_after(&self, branch: Option<&Str>) -> f64 {
        if self.clock > self.times.last_end && !is_same(self.clock, self.times.last_end) {
            return self.clock;
        }
        let compactions = self.compactions.iter().filter_map(|at| self.events.get(*at));
        let ends = compactions.filter(|event| event.branch.as_ref() == branch);
        let ends = ends.filter_map(|event| event.actions.compaction.as_ref()?.end_timestamp);
        ends.fold(self.clock, |clock, end| if is_same(clock, end) { end + STEP } else { clock })
    }
}

fn is_same(time: f64, other: f64) -> bool {
    (time - other).abs() < STEP / 2.0
}
