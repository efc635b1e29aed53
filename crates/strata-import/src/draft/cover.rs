//! Which events a compaction stands for. ADK knows them by their times alone.

use std::sync::Arc;

use strata_model::Str;

use super::Draft;
use super::times::{STEP, is_same, joined};

impl Draft {
    /// First and last time of the events that a compaction on this branch covers when nothing was kept.
    pub(super) fn span(&self, branch: Option<&Str>) -> (f64, f64) {
        self.times.span(branch).unwrap_or((self.clock, self.clock))
    }

    /// Sets the first and the last time that a compaction covers.
    pub(crate) fn set_span(&mut self, at: usize, (start, end): (f64, f64)) {
        let Some(event) = self.events.get_mut(at).map(Arc::make_mut) else { return };
        let Some(compaction) = event.actions.compaction.as_mut() else { return };
        let before = compaction.end_timestamp.replace(end);
        compaction.start_timestamp = Some(start);
        self.times.note_end(event.branch.as_ref(), before, Some(end));
    }

    /// Narrows a compaction to the events it stands for, so that what it left stays in the conversation. Where covered
    /// events do not follow each other, it stands for the longest run of them.
    ///
    /// Events that share a time with one on the other side of the border are moved apart by a microsecond.
    pub(crate) fn cover(&mut self, at: usize, covered: &[usize]) {
        let Some(run) = self.longest_run(at, covered) else { return };
        let (first, last) = (run[0], run[run.len() - 1]);
        if let Some(latest) = self.times.latest_before(first, at) {
            self.move_after(first, latest);
        }
        let spans = run.iter().map(|place| self.span_of(*place));
        let Some((start, end)) = spans.reduce(joined) else { return };
        self.move_after(last + 1, end);
        self.set_span(at, (start, end));
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
        let mut moved = self.times.events_at(first, time);
        moved.retain(|at| !self.events[*at].is_compaction());
        for at in &moved {
            Arc::make_mut(&mut self.events[*at]).timestamp = time + STEP;
        }
        if !moved.is_empty() {
            self.times.note_moved(&moved, time, &self.events);
        }
        if is_same(self.clock, time) {
            self.clock = time + STEP;
        }
    }
}
