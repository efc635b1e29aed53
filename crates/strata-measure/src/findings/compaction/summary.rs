//! Summaries of a session with the time they stand for.

use strata_engine::LoggedEvent;
use strata_model::EventIndex;

use crate::findings::evidence::Evidence;

/// A summary with the span of time it covers.
pub(super) struct Summary<'e> {
    pub at: EventIndex,
    pub start: f64,
    pub end: f64,
    pub scope: Option<&'e str>,
    /// What is shown of it.
    texts: Vec<&'e str>,
}

pub(super) fn summaries<'e>(evidence: &Evidence<'e>) -> Vec<Summary<'e>> {
    let summary = |(at, logged): (EventIndex, &'e LoggedEvent)| {
        let compaction = logged.event.actions.compaction.as_ref()?;
        Some(Summary {
            at,
            start: compaction.start_timestamp?,
            end: compaction.end_timestamp?,
            scope: logged.event.isolation_scope.as_deref(),
            texts: (compaction.compacted_content.iter())
                .flat_map(|content| content.parts())
                .filter_map(|part| part.text.as_deref())
                .collect(),
        })
    };
    evidence.live_events().filter_map(summary).collect()
}

impl Summary<'_> {
    pub(super) fn covers(&self, logged: &LoggedEvent) -> bool {
        let event = &logged.event;
        logged.is_of_history()
            && event.isolation_scope.as_deref() == self.scope
            && self.start <= event.timestamp
            && event.timestamp <= self.end
    }

    /// Whether it has all that was said in an event word for word, as Codex keeps what users say.
    pub(super) fn repeats(&self, logged: &LoggedEvent) -> bool {
        let said = || logged.event.parts().iter().filter_map(|part| part.text.as_deref());
        let is_told = |text: &str| self.texts.iter().any(|told| told.contains(text.trim()));
        said().next().is_some() && said().all(is_told)
    }
}
