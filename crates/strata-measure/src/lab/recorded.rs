//! Summaries that were recorded, for windows that are the recorded ones.

use std::sync::Arc;

use strata_model::{Event, Session};

use super::extractive::Extractive;
use super::plan::{Replayed, Stop, SummaryDue, Writer, WrittenSummary};
use crate::not_models::RECORDED;

/// Takes the summary that was recorded for a window, and extracts one where there is none.
pub(crate) struct RecordedFirst<'r> {
    recorded: Vec<Arc<Event>>,
    n_recorded: usize,
    otherwise: Extractive<'r>,
}

impl<'r> RecordedFirst<'r> {
    pub(crate) fn new(session: &Session, otherwise: Extractive<'r>) -> Self {
        let recorded: Vec<Arc<Event>> =
            session.events.iter().filter(|event| event.is_compaction()).cloned().collect();
        Self { n_recorded: recorded.len(), recorded, otherwise }
    }

    /// Whether a replay has the recorded summaries and no others.
    pub(crate) fn is_as_recorded(&self, replayed: &Replayed) -> bool {
        let is_recorded = |window: &super::WindowPlan| {
            window.is_laid() && window.written.as_ref().is_some_and(|written| &*written.by == RECORDED)
        };
        replayed.windows.len() == self.n_recorded && replayed.windows.iter().all(is_recorded)
    }
}

impl Writer for RecordedFirst<'_> {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        let stored = due.stored();
        let span = |event: &Event| {
            let compaction = event.actions.compaction.as_ref()?;
            Some((compaction.start_timestamp?, compaction.end_timestamp?))
        };
        let is_same = |event: &Arc<Event>| {
            span(event) == span(&stored) && event.isolation_scope == stored.isolation_scope
        };
        let Some(at) = self.recorded.iter().position(is_same) else { return self.otherwise.write(due) };
        // Each stands for one window: another one over the same time is another summary.
        let event = self.recorded.remove(at);
        let content =
            event.actions.compaction.as_ref().and_then(|compaction| compaction.compacted_content.clone());
        Ok(content.map(|content| WrittenSummary {
            content,
            usage: event.usage_metadata.as_deref().cloned(),
            by: RECORDED.into(),
            ..WrittenSummary::default()
        }))
    }
}
