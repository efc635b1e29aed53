//! When the events of a draft happened.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::{Event, Str};

/// Seconds between events that must not share a time.
pub(crate) const STEP: f64 = 1e-6;

/// When events happened, kept beside them so that a compaction need not look at all of them.
#[derive(Debug, Clone)]
pub(super) struct Times {
    /// Of every event, in their order.
    of_events: Vec<f64>,
    /// First and last time of what is no compaction, by branch.
    spans: HashMap<Option<Str>, (f64, f64)>,
    /// When what compactions cover ends, by branch, from the earliest to the latest.
    ends: HashMap<Option<Str>, Vec<f64>>,
    /// No event is earlier than the one before it.
    are_in_order: bool,
}

impl Default for Times {
    fn default() -> Self {
        Self { of_events: Vec::new(), spans: HashMap::new(), ends: HashMap::new(), are_in_order: true }
    }
}

impl Times {
    /// Takes note of the next event.
    pub(super) fn note(&mut self, event: &Event) {
        let time = event.timestamp;
        self.are_in_order &= self.of_events.last().is_none_or(|last| *last <= time);
        self.of_events.push(time);
        match event.actions.compaction.as_ref() {
            Some(compaction) => self.note_end(event.branch.as_ref(), None, compaction.end_timestamp),
            None => self.note_span(event),
        }
    }

    fn note_span(&mut self, event: &Event) {
        let time = event.timestamp;
        match self.spans.get_mut(&event.branch) {
            Some(span) => *span = joined(*span, (time, time)),
            None => _ = self.spans.insert(event.branch.clone(), (time, time)),
        }
    }

    /// First and last time of what is no compaction on a branch.
    pub(super) fn span(&self, branch: Option<&Str>) -> Option<(f64, f64)> {
        self.spans.get(&branch.cloned()).copied()
    }

    /// Takes note of the end of what a compaction covers, and of what it was before.
    pub(super) fn note_end(&mut self, branch: Option<&Str>, before: Option<f64>, end: Option<f64>) {
        let ends = self.ends.entry(branch.cloned()).or_default();
        let place = |ends: &[f64], end: f64| ends.partition_point(|it| it.total_cmp(&end).is_lt());
        if let Some(before) = before {
            let at = place(ends, before);
            if ends.get(at).is_some_and(|it| it.total_cmp(&before).is_eq()) {
                ends.remove(at);
            }
        }
        if let Some(end) = end {
            ends.insert(place(ends, end), end);
        }
    }

    /// A time, or the next one at which no compaction on this branch ends.
    pub(super) fn behind_ends(&self, branch: Option<&Str>, time: f64) -> f64 {
        if self.ends.is_empty() {
            return time;
        }
        let ends = self.ends.get(&branch.cloned()).map_or(&[][..], |ends| ends);
        let first = ends.partition_point(|end| *end < time - STEP);
        let mut time = time;
        for end in &ends[first..] {
            if is_same(time, *end) {
                time = end + STEP;
            } else if *end > time {
                break;
            }
        }
        time
    }

    /// The latest time of the events before `first`, but for the one at `left_out`.
    pub(super) fn latest_before(&self, first: usize, left_out: usize) -> Option<f64> {
        let before = self.of_events.get(..first)?;
        if self.are_in_order && left_out >= first {
            return before.last().copied();
        }
        let others = before.iter().enumerate().filter(|(at, _)| *at != left_out);
        others.map(|(_, time)| *time).reduce(f64::max)
    }

    /// The events from `first` on that happened at a time.
    pub(super) fn events_at(&self, first: usize, time: f64) -> Vec<usize> {
        let later = self.of_events.get(first..).unwrap_or_default().iter().zip(first..);
        let is_over = |other: f64| self.are_in_order && other > time && !is_same(other, time);
        let near = later.take_while(|(other, _)| !is_over(**other));
        near.filter(|(other, _)| is_same(**other, time)).map(|(_, at)| at).collect()
    }

    /// Events that happened at a time were moved behind it.
    pub(super) fn note_moved(&mut self, moved: &[usize], time: f64, events: &[Arc<Event>]) {
        let mut begins_later = false;
        for at in moved {
            let event = &events[*at];
            self.of_events[*at] = event.timestamp;
            if let Some(span) = self.spans.get_mut(&event.branch) {
                begins_later |= span.0 >= time - STEP;
                span.1 = span.1.max(event.timestamp);
            }
        }
        self.are_in_order = self.of_events.is_sorted();
        if begins_later {
            self.spans.clear();
            events.iter().filter(|event| !event.is_compaction()).for_each(|event| self.note_span(event));
        }
    }
}

/// Whether two times, in seconds, are one to a clock that counts in steps.
pub(crate) fn is_same(time: f64, other: f64) -> bool {
    (time - other).abs() < STEP / 2.0
}

/// The time from the earlier beginning to the later end.
pub(super) fn joined(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0.min(b.0), a.1.max(b.1))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "times are taken over, not computed")]
mod tests {
    use strata_model::EventCompaction;

    use super::*;

    fn event(time: f64, end: Option<f64>) -> Arc<Event> {
        let mut event = Event { timestamp: time, ..Event::default() };
        event.actions.compaction =
            end.map(|end| EventCompaction { end_timestamp: Some(end), ..EventCompaction::default() });
        Arc::new(event)
    }

    fn times(events: &[Arc<Event>]) -> Times {
        let mut times = Times::default();
        for event in events {
            times.note(event);
        }
        times
    }

    #[test]
    fn a_time_is_put_behind_every_compaction_that_ends_there() {
        let events = [event(5.0, Some(3.0)), event(5.0, Some(3.0 + STEP)), event(5.0, Some(4.0))];
        let mut times = times(&events);
        assert_eq!(times.behind_ends(None, 3.0), 3.0 + STEP + STEP);
        assert_eq!(times.behind_ends(None, 4.0), 4.0 + STEP);
        for free in [1.0, 3.5, 9.0] {
            assert_eq!(times.behind_ends(None, free), free);
        }
        assert_eq!(times.behind_ends(Some(&"agent.a".into()), 4.0), 4.0, "another branch");
        times.note_end(None, Some(4.0), Some(2.0));
        assert_eq!((times.behind_ends(None, 4.0), times.behind_ends(None, 2.0)), (4.0, 2.0 + STEP));
    }

    /// What is known of moved events is what is known of events that were there from the beginning.
    #[test]
    fn moved_events_are_as_if_they_had_come_later() {
        for (stamps, first) in [
            (vec![1.0, 1.0, 2.0, 2.0, 3.0], 0),
            (vec![1.0, 1.0, 2.0, 2.0, 3.0], 1),
            (vec![3.0, 1.0, 2.0, 1.0], 1),
            (vec![2.0, 2.0, 2.0], 2),
        ] {
            for time in [1.0, 2.0, 3.0, 4.0] {
                let mut events: Vec<_> = stamps.iter().map(|stamp| event(*stamp, None)).collect();
                let mut kept = times(&events);
                let moved = kept.events_at(first, time);
                let wanted = (first..stamps.len()).filter(|at| stamps[*at] == time);
                assert_eq!(moved, wanted.collect::<Vec<_>>(), "{stamps:?} from {first} at {time}");
                for at in &moved {
                    events[*at] = event(time + STEP, None);
                }
                kept.note_moved(&moved, time, &events);
                let anew = times(&events);
                assert_eq!(
                    (&kept.of_events, kept.span(None), kept.are_in_order),
                    (&anew.of_events, anew.span(None), anew.are_in_order),
                    "{stamps:?} from {first} at {time}"
                );
            }
        }
    }
}
