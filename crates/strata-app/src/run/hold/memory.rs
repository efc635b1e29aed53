//! What the next look at a call has to know of those before.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_model::{Fingerprint, LlmRequest, Str};

use super::condition::HoldCondition;
use super::decision::Step;

/// What was decided, and what was let through.
#[derive(Default)]
pub(super) struct Memory {
    pub conditions: Vec<HoldCondition>,
    pub step: Option<Steps>,
    /// By agent and branch.
    pub sent: HashMap<(Str, Option<Str>), Arc<LlmRequest>>,
    /// Results that were sent, by agent. Ids are not sent with every one.
    pub results: HashSet<(Str, Fingerprint)>,
}

/// A step that is being taken, and from where.
pub(super) struct Steps {
    pub step: Step,
    pub agent: Str,
    pub node_path: String,
}
