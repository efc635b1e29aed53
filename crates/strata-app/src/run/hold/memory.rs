//! What the next look at a call has to know of those before.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_model::{Fingerprint, LlmRequest, Str};
use strata_runtime::HeldCall;

use super::condition::HoldCondition;
use super::decision::Step;

/// Who is about to ask a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Speaker {
    pub agent: Str,
    /// Calls of an agent on other branches, or in other sessions, do not go on with one another.
    pub branch: Option<Str>,
    /// The node of a run that makes the call; empty outside of nodes.
    pub node_path: String,
}

impl From<&HeldCall> for Speaker {
    fn from(held: &HeldCall) -> Self {
        let invocation = &held.invocation;
        Self {
            agent: invocation.agent.clone(),
            branch: invocation.branch.clone(),
            node_path: invocation.node_path.as_str().to_owned(),
        }
    }
}

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
