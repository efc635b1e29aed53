//! Holding a call before it is sent, on conditions of what was compiled.

mod condition;
mod decision;
mod edit;
mod held;
mod look;
mod memory;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_model::LlmRequest;
use tokio::sync::MutexGuard as TurnGuard;

use crate::tables::Tables;
use look::Look;
use memory::{Memory, Steps};

pub use condition::HoldCondition;
pub(crate) use decision::Nobody;
pub use decision::{HoldDecision, Holder, Step};
pub use edit::HeldEdit;
pub(crate) use edit::edited;
pub use held::{Continuation, HeldReport};
pub(crate) use memory::Speaker;

/// When calls are held, and what was let through.
pub(crate) struct Holds {
    tables: Arc<Tables>,
    /// Agents that run side by side are held one after the other.
    turn: tokio::sync::Mutex<()>,
    memory: Mutex<Memory>,
}

impl Holds {
    pub(crate) fn new(conditions: Vec<HoldCondition>, tables: Arc<Tables>) -> Self {
        let memory = Mutex::new(Memory { conditions, ..Memory::default() });
        Self { tables, turn: tokio::sync::Mutex::default(), memory }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn conditions(&self) -> Vec<HoldCondition> {
        self.memory().conditions.clone()
    }

    /// For calls that come; one that is held stays so.
    pub(crate) fn set_conditions(&self, conditions: Vec<HoldCondition>) {
        self.memory().conditions = conditions;
    }

    /// Waits until no other call is held.
    pub(crate) async fn turn(&self) -> TurnGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Whether any call may be held.
    pub(crate) fn is_watching(&self) -> bool {
        let memory = self.memory();
        !memory.conditions.is_empty() || memory.step.is_some()
    }

    /// A call that is to be held. `None`: it may pass.
    pub(crate) fn look(&self, speaker: &Speaker, request: &Arc<LlmRequest>) -> Option<HeldReport> {
        if !self.is_watching() {
            return None;
        }
        let memory = self.memory();
        let look = Look::new(&self.tables, &memory, speaker, request);
        let reasons = look.reasons();
        (!reasons.is_empty()).then(|| look.report(reasons))
    }

    /// The held call as it is with another request; its reasons stay.
    pub(crate) fn look_again(
        &self,
        speaker: &Speaker,
        request: &Arc<LlmRequest>,
        reasons: Vec<String>,
    ) -> HeldReport {
        let memory = self.memory();
        HeldReport { is_edited: true, ..Look::new(&self.tables, &memory, speaker, request).report(reasons) }
    }

    /// Takes in how a call that was held goes on.
    pub(crate) fn goes_on(&self, speaker: &Speaker, decision: &HoldDecision) {
        let mut memory = self.memory();
        memory.step = None;
        match decision {
            HoldDecision::Step(step) => {
                memory.step = Some(Steps {
                    step: *step,
                    agent: speaker.agent.clone(),
                    node_path: speaker.node_path.clone(),
                });
            }
            HoldDecision::GoFreely => memory.conditions.clear(),
            HoldDecision::Go | HoldDecision::Stop | HoldDecision::Edit(_) => {}
        }
    }

    /// Takes in what is sent.
    pub(crate) fn let_through(&self, speaker: &Speaker, request: &Arc<LlmRequest>) {
        let Speaker { agent, branch, .. } = speaker;
        let mut memory = self.memory();
        for part in request.contents.iter().flat_map(|content| content.parts.iter()) {
            if part.part.function_response.is_some() {
                memory.results.insert((agent.clone(), part.fingerprint));
            }
        }
        memory.sent.insert((agent.clone(), branch.clone()), request.clone());
    }
}
