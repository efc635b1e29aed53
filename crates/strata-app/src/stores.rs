//! What a session's stores hold, for the window and the command line.

mod agents;
mod artifacts;
mod carried;
mod contexts;
mod hand_off;
mod key;
mod memory;
mod nodes;
mod retention_loss;
mod seen;
mod state;

use strata_engine::{Experiment, FlowKind};
use strata_measure::analysis::{CacheAnalysis, CallAnalysis, Counting, Scale, SessionAnalysis};
use strata_model::{Json, python};

pub(crate) use agents::{agent_rows, hand_off_rows, in_order_of};
pub(crate) use artifacts::artifacts_page;
pub(crate) use contexts::{archive_context, context_detail, contexts_page, end_context, expiry_loss};
pub(crate) use hand_off::{hand_off, hand_off_text};
pub(crate) use key::key_detail;
pub(crate) use memory::memory_page;
pub(crate) use nodes::nodes_page;
pub(crate) use retention_loss::retention_loss;
pub(crate) use seen::{SIGNS, Sightings, seen_contexts, seen_gap};
pub(crate) use state::{StateQuestion, state_page};

use crate::error::AppError;

/// A session that is compiled, with what its prompts come to.
#[derive(Clone, Copy)]
pub(crate) struct CompiledSession<'s> {
    pub experiment: &'s Experiment,
    pub analysis: &'s SessionAnalysis,
    pub caches: &'s CacheAnalysis,
    pub counting: &'s Counting,
}

impl<'s> CompiledSession<'s> {
    fn call(&self, number: u32) -> Result<&'s CallAnalysis, AppError> {
        let not_there = || AppError::not_found(format!("C{number} is not compiled, or not in this session."));
        self.analysis.call(number).ok_or_else(not_there)
    }

    fn scale(&self, call: &CallAnalysis) -> Result<Scale<'s>, AppError> {
        let scale = self.analysis.scale(self.experiment, self.counting, &call.model);
        scale.ok_or_else(|| AppError::internal("A call's model has no tokenizer."))
    }

    fn has_state(&self) -> bool {
        self.experiment.kind() == FlowKind::Adk
    }
}

/// A value as an instruction shows it.
fn as_filled(value: &Json) -> String {
    if *value == Json::Null { String::new() } else { python::str(value) }
}
