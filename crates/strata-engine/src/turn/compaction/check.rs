//! What the token trigger came to before a call.

use std::sync::Arc;

use strata_model::Event;

use super::job::SummaryJob;

/// What the token trigger decided before a call, and what came of it.
#[derive(Debug, Clone)]
pub struct CompactionCheck {
    /// The prompt size it went by. `None`: unknown, so nothing is done.
    pub prompt_tokens: Option<u64>,
    /// The summary that is due.
    pub job: Option<SummaryJob>,
    /// The summary as it is stored, if one was written.
    pub summary: Option<Arc<Event>>,
}
