//! Holding a call before it is sent, on conditions of what was compiled.

mod condition;
mod decision;
mod edit;
mod held;
mod look;
mod memory;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_model::LlmRequest;
use strata_runtime::HeldCall;
use tokio::sync::MutexGuard as TurnGuard;

use crate::tables::Tables;
use look::Look;
use memory::{Memory, Steps};

pub use condition::HoldCondition;
pub use decision::{HoldDecision, Holder, Step};
pub use edit::HeldEdit;
pub(crate) use edit::edited;
pub use held::{Continuation, HeldReport};

/// When calls of a run are held, and who decides about them.
pub(crate) struct Holds {
    pub holder: Arc<dyn Holder>,
    tables: Arc<Tables>,
    /// Agents that run side by side are held one after the other.
    turn: tokio::sync::Mutex<()>,
    memory: Mutex<Memory>,
}

impl Holds {
    pub(crate) fn new(conditions: Vec<HoldCondition>, holder: Arc<dyn Holder>, tables: Arc<Tables>) -> Self {
        let memory = Mutex::new(Memory { conditions, ..Memory::default() });
        Self { holder, tables, turn: tokio::sync::Mutex::default(), memory }
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

    /// A call that is to be held. `None`: it may pass.
    pub(crate) fn look(&self, held: &HeldCall, request: &Arc<LlmRequest>) -> Option<HeldReport> {
        let memory = self.memory();
        if memory.conditions.is_empty() && memory.step.is_none() {
            return None;
        }
        let look = Look::new(&self.tables, &memory, held, request);
        let reasons = look.reasons();
        (!reasons.is_empty()).then(|| look.report(reasons))
    }

    /// The held call as it is with another request; its reasons stay.
    pub(crate) fn look_again(
        &self,
        held: &HeldCall,
        request: &Arc<LlmRequest>,
        reasons: Vec<String>,
    ) -> HeldReport {
        let memory = self.memory();
        HeldReport { is_edited: true, ..Look::new(&self.tables, &memory, held, request).report(reasons) }
    }

    /// Takes in how a call that was held goes on.
    pub(crate) fn goes_on(&self, held: &HeldCall, decision: &HoldDecision) {
        let mut memory = self.memory();
        memory.step = None;
        match decision {
            HoldDecision::Step(step) => {
                memory.step = Some(Steps {
                    step: *step,
                    agent: held.invocation.agent.clone(),
                    node_path: held.invocation.node_path.as_str().to_owned(),
                });
            }
            HoldDecision::GoFreely => memory.conditions.clear(),
            HoldDecision::Go | HoldDecision::Stop | HoldDecision::Edit(_) => {}
        }
    }

    /// Takes in what is sent.
    pub(crate) fn let_through(&self, held: &HeldCall, request: &Arc<LlmRequest>) {
        let agent = &held.invocation.agent;
        let mut memory = self.memory();
        for part in request.contents.iter().flat_map(|content| content.parts.iter()) {
            if part.part.function_response.is_some() {
                memory.results.insert((agent.clone(), part.fingerprint));
            }
        }
        memory.sent.insert((agent.clone(), held.invocation.branch.clone()), request.clone());
    }
}
