//! The ordered list of processors an agent's requests are compiled by.

use std::sync::Arc;

use strata_model::Str;

use crate::app_index::{AgentId, AppIndex};
use crate::processor::AnyProcessor;
use crate::processors;

/// An ordered list of processors.
#[derive(Clone)]
pub struct Flow {
    processors: Vec<Arc<dyn AnyProcessor>>,
}

/// By whose rules a session's requests were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowKind {
    /// google-adk's.
    Adk,
    /// Another program's: only what the session itself holds can be shown, so nothing ADK would add is added.
    Transcript,
}

impl Flow {
    pub fn new(processors: Vec<Arc<dyn AnyProcessor>>) -> Self {
        Self { processors }
    }

    pub fn of_kind(kind: FlowKind, index: &AppIndex, agent: AgentId) -> Self {
        match kind {
            FlowKind::Adk => Self::of_agent(index, agent),
            FlowKind::Transcript => Self::of_transcript(),
        }
    }

    fn of_transcript() -> Self {
        Self::new(vec![
            Arc::new(processors::Basic),
            Arc::new(processors::ContentsProcessor),
            Arc::new(processors::AgentTools),
            Arc::new(processors::ModelCall),
        ])
    }

    /// google-adk's flow for an agent: its request processors in its order, then plugins and callbacks, then what is
    /// set at the call itself.
    pub fn of_agent(index: &AppIndex, agent: AgentId) -> Self {
        let mut flow: Vec<Arc<dyn AnyProcessor>> = vec![
            Arc::new(processors::Basic),
            Arc::new(processors::Auth),
            Arc::new(processors::RequestConfirmation),
            Arc::new(processors::Instructions),
            Arc::new(processors::Identity),
            Arc::new(processors::Compaction),
            Arc::new(processors::Interactions),
            Arc::new(processors::ContentsProcessor),
            Arc::new(processors::ContextCache),
            Arc::new(processors::NlPlanning),
            Arc::new(processors::CodeExecution),
            Arc::new(processors::OutputSchemaProcessor),
        ];
        if index.can_transfer(agent) {
            flow.push(Arc::new(processors::AgentTransfer));
        }
        flow.push(Arc::new(processors::ToolsetAuth));
        flow.push(Arc::new(processors::AgentTools));
        flow.push(Arc::new(processors::DynamicInstructions));
        for plugin in 0..index.app().plugins().len() {
            flow.push(processors::plugin(index, plugin));
        }
        for (callback, behaviour) in index.agent(agent).before_model_callbacks().iter().enumerate() {
            flow.push(Arc::new(processors::BeforeModelCallback::new(callback, behaviour)));
        }
        flow.push(Arc::new(processors::ModelCall));
        Self::new(flow)
    }

    pub fn processors(&self) -> &[Arc<dyn AnyProcessor>] {
        &self.processors
    }

    /// Processors that stand before one they have to follow.
    pub fn violations(&self) -> Vec<OrderViolation> {
        let mut violations = Vec::new();
        for (at, processor) in self.processors.iter().enumerate() {
            for required in processor.after() {
                if self.processors[at..].iter().skip(1).any(|later| later.name() == *required) {
                    violations.push(OrderViolation {
                        processor: processor.name().into(),
                        required: (*required).into(),
                    });
                }
            }
        }
        violations
    }
}

/// A processor that runs before one it has to follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderViolation {
    pub processor: Str,
    pub required: Str,
}
