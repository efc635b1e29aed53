//! What a recorded session has grown by.

use std::sync::Arc;

use strata_model::{Event, EventIndex, LlmRequest, Object, RecordedCall};

/// How a recorded session has grown.
#[derive(Debug, Default)]
pub struct Growth {
    /// Of the events so far, the first so many stay as they are.
    pub kept: usize,
    /// What stands behind them now.
    pub events: Vec<Arc<Event>>,
    /// State as it is now.
    pub state: Object,
    /// Epoch seconds.
    pub last_update_time: f64,
    /// Requests that were really sent, each with the event that answers it, as far as they are new. Those that were
    /// answered by events that do not stay are new.
    pub requests: Vec<(EventIndex, LlmRequest)>,
    /// What a recorder saw of calls, each with the event that answers it, as far as it is new.
    pub calls: Vec<(EventIndex, RecordedCall)>,
}
