//! What a run begins from.

use std::sync::Arc;

use strata_engine::AgentId;
use strata_model::Str;
use strata_model::app::AgentMode;

use crate::program::Program;

/// The root of a run: that of an app, or one of its agents by itself.
#[derive(Clone)]
pub(super) struct Root {
    pub(super) program: Arc<Program>,
    /// `None`: a workflow is the root.
    pub(super) agent: Option<AgentId>,
}

impl Root {
    /// Whether it is an agent that calls a model.
    pub(super) fn is_llm(&self) -> bool {
        self.agent.is_some_and(|agent| self.program.is_llm(agent))
    }

    /// How a root that calls a model takes its turns.
    pub(super) fn mode(&self) -> AgentMode {
        let mode = self.agent.and_then(|agent| self.program.index().agent(agent).mode);
        mode.unwrap_or(AgentMode::Chat)
    }

    pub(super) fn name(&self) -> Str {
        self.program.root_name(self.agent)
    }
}
