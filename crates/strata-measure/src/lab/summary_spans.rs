//! Recorded summaries with what they stand for.

use strata_engine::EventLog;
use strata_model::{Event, EventIndex, Json, marks};

/// A summary of a recording, with the span of time that it stands for.
pub(super) struct SummarySpan<'l> {
    pub at: EventIndex,
    pub scope: Option<&'l str>,
    /// All that a model reads of it is text.
    pub is_readable: bool,
    /// It stands for no event before this one.
    pub first: EventIndex,
    start: f64,
    end: f64,
}

/// The summaries of a log that no rewind took back, in order. Those whose span of time is not recorded stand for nothing
/// that is known.
pub(super) fn summary_spans(log: &EventLog) -> Vec<SummarySpan<'_>> {
    let mut spans = Vec::new();
    let times = EventTimes::of(log);
    for logged in log.events() {
        let Some(compaction) = logged.event.actions.compaction.as_ref() else { continue };
        let content = compaction.compacted_content.as_ref();
        let (Some(at), Some(start), Some(end), Some(content)) =
            (logged.index, compaction.start_timestamp, compaction.end_timestamp, content)
        else {
            continue;
        };
        let mut parts = content.parts().iter();
        let scope = logged.event.isolation_scope.as_deref();
        let is_readable = !is_kept_apart(&logged.event)
            && !content.parts().is_empty()
            && parts.all(|part| part.text.as_deref().is_some_and(|text| !text.trim().is_empty()));
        spans.push(SummarySpan { at, scope, is_readable, first: times.first_since(start), start, end });
    }
    spans
}

/// Events by their time, which need not be their order.
struct EventTimes {
    /// In order.
    times: Vec<f64>,
    /// For each, the first event of those that happened then or later.
    first: Vec<EventIndex>,
}

impl EventTimes {
    fn of(log: &EventLog) -> Self {
        let indexed = log.events().iter().filter_map(|logged| Some((logged.event.timestamp, logged.index?)));
        let mut events: Vec<(f64, EventIndex)> = indexed.collect();
        events.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut first = EventIndex(u32::MAX);
        for (_, event) in events.iter_mut().rev() {
            first = first.min(*event);
            *event = first;
        }
        let (times, first) = events.into_iter().unzip();
        Self { times, first }
    }

    /// The first event that did not happen before this.
    fn first_since(&self, time: f64) -> EventIndex {
        let at = self.times.partition_point(|other| *other < time);
        self.first.get(at).copied().unwrap_or(EventIndex(u32::MAX))
    }
}

/// Whether a record has the messages that stayed and not the summary beside them, as where a provider wrote it for Codex:
/// it is encrypted then, or gone.
fn is_kept_apart(event: &Event) -> bool {
    let message = marks::of(event, "source").and_then(|source| source.get("message"));
    message.and_then(Json::as_str).is_some_and(str::is_empty)
}

impl SummarySpan<'_> {
    /// Whether it stands for an event.
    pub(super) fn covers(&self, log: &EventLog, event: EventIndex) -> bool {
        log.get(event).is_some_and(|logged| {
            logged.is_of_history()
                && logged.event.isolation_scope.as_deref() == self.scope
                && (self.start..=self.end).contains(&logged.event.timestamp)
        })
    }
}
