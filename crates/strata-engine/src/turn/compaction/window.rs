//! The events that one summary would replace.

use std::sync::Arc;

use strata_model::{Event, EventActions, EventCompaction, Str};

use crate::log::LoggedEvent;

/// What made a compaction due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    TokenThreshold,
    SlidingWindow,
    /// No trigger of google-adk's: a prompt grew to a limit that was set for it.
    PromptLimit,
}

/// The events one summary would replace.
#[derive(Debug, Clone)]
pub struct Window<'e> {
    pub trigger: Trigger,
    /// The summary that stands for everything before: it is summarised again, first.
    pub seed: Option<&'e LoggedEvent>,
    pub events: Vec<&'e LoggedEvent>,
}

impl Window<'_> {
    /// Epoch seconds the summary covers, both ends included: from the first event to the last *in order*.
    pub fn span(&self) -> (f64, f64) {
        let end = self.events.last().map_or(0.0, |logged| logged.event.timestamp);
        let first = self.events.first().map_or(0.0, |logged| logged.event.timestamp);
        let seeded = self.seed.and_then(|seed| seed.event.actions.compaction.as_ref()?.start_timestamp);
        (seeded.unwrap_or(first), end)
    }

    /// The event ADK stores for a summary of this window, before the summary is written.
    pub fn summary_event(&self, isolation_scope: Option<&str>) -> Event {
        let (start, end) = self.span();
        let compaction = EventCompaction {
            start_timestamp: Some(start),
            end_timestamp: Some(end),
            ..EventCompaction::default()
        };
        Event {
            author: "user".into(),
            actions: EventActions { compaction: Some(compaction), ..EventActions::default() },
            isolation_scope: isolation_scope
                .filter(|_| self.trigger != Trigger::SlidingWindow)
                .map(Str::from),
            ..Event::default()
        }
    }

    /// The previous summary as the summariser reads it: words of the model's at the time where it starts.
    pub(super) fn seed_event(&self) -> Option<Event> {
        let seed = &self.seed?.event;
        let compaction = seed.actions.compaction.as_ref()?;
        Some(Event {
            author: "model".into(),
            content: compaction.compacted_content.clone().map(Arc::new),
            branch: seed.branch.clone(),
            isolation_scope: seed.isolation_scope.clone(),
            timestamp: compaction.start_timestamp?,
            ..Event::default()
        })
    }
}
