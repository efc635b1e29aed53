//! Events that edits have changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::{Event, EventActions};

/// What edits made of an event.
#[derive(Debug, Clone, Default)]
pub struct EventChange {
    /// With another content.
    pub edited: Option<Arc<Event>>,
    pub is_dropped: bool,
    /// The edit that dropped it.
    pub(crate) dropped_at: usize,
    pub is_pinned: bool,
}

/// Events as an experiment has them, by their place.
#[derive(Debug, Default)]
pub(crate) struct ReplacedEvents {
    /// What histories are made of.
    pub shown: BTreeMap<usize, Arc<Event>>,
    /// What calls were started with: a dropped event still happened.
    pub said: BTreeMap<usize, Arc<Event>>,
}

/// The event with nothing a model could read, and without what hides other events.
pub(crate) fn silent(event: &Event) -> Event {
    Event {
        content: None,
        input_transcription: None,
        output_transcription: None,
        actions: EventActions {
            compaction: None,
            rewind_before_invocation_id: None,
            ..event.actions.clone()
        },
        ..event.clone()
    }
}
