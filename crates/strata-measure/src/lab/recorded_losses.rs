//! What the summaries of a recording no longer tell.

use strata_engine::{EventLog, LoggedEvent};
use strata_model::EventIndex;

use super::facts::FactReader;
use super::loss::{LossReport, loss};

/// A recorded summary beside the events that it stands for.
#[derive(Debug, Clone)]
pub struct RecordedLoss {
    /// Of the summary.
    pub at: EventIndex,
    /// What it stands for, in order.
    pub events: Vec<EventIndex>,
    pub facts: LossReport,
}

/// What each summary of a log no longer tells, in their order. One whose span of time is not recorded stands for nothing
/// that is known, and is left out.
pub fn recorded_losses(log: &EventLog) -> Vec<RecordedLoss> {
    let reader = FactReader::new();
    let all: Vec<&LoggedEvent> = log.events().iter().collect();
    let summaries = all.iter().enumerate().filter_map(|(place, logged)| {
        let compaction = logged.event.actions.compaction.as_ref()?;
        let span = compaction.start_timestamp?..=compaction.end_timestamp?;
        let is_covered = |other: &&&LoggedEvent| {
            other.is_of_history()
                && other.event.isolation_scope == logged.event.isolation_scope
                && span.contains(&other.event.timestamp)
        };
        let events: Vec<&LoggedEvent> = all[..place].iter().filter(is_covered).copied().collect();
        let parts = compaction.compacted_content.as_ref()?.parts().iter();
        let texts = parts.filter(|part| !part.is_thought()).filter_map(|part| part.text.as_deref());
        let summary = texts.collect::<Vec<_>>().join("\n");
        let facts = loss(&reader, &reader.read(&events, &all), &summary, &reader.uses(&all[place + 1..]));
        let events = events.into_iter().filter_map(|event| event.index).collect();
        Some(RecordedLoss { at: logged.index?, events, facts })
    });
    summaries.collect()
}
