//! The ordered list of processors an agent's requests are compiled by.

use std::sync::Arc;

use strata_model::app::Instruction;
use strata_model::{InstructionKind, Object, Str};

use crate::app_index::{AgentId, AppIndex};
use crate::flow_kind::FlowKind;
use crate::processor::AnyProcessor;
use crate::processors;

/// An ordered list of processors.
#[derive(Clone)]
pub struct Flow {
    steps: Vec<Step>,
}

/// A processor in its place.
#[derive(Clone)]
pub struct Step {
    pub processor: Arc<dyn AnyProcessor>,
    /// One that is switched off keeps its place and leaves requests as they are.
    pub is_enabled: bool,
    /// What an experiment put here; `None` for what the agent's own flow has.
    pub inserted: Option<Arc<Inserted>>,
    /// Whose place this is: a plugin or a callback.
    pub hook: Option<Hook>,
}

/// Code that is asked before a model is called, by its place in the app's or the agent's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hook {
    Plugin(usize),
    Callback(usize),
}

/// A processor that an experiment put into a flow.
#[derive(Debug, Clone, PartialEq)]
pub struct Inserted {
    /// Its kind, as the catalogue calls it.
    pub kind: Str,
    /// As given; what is left out has its default.
    pub params: Object,
}

impl Flow {
    pub fn new(processors: Vec<Arc<dyn AnyProcessor>>) -> Self {
        let step = |processor| Step { processor, is_enabled: true, inserted: None, hook: None };
        Self { steps: processors.into_iter().map(step).collect() }
    }

    fn push_hook(&mut self, processor: Arc<dyn AnyProcessor>, hook: Hook) {
        self.steps.push(Step { processor, is_enabled: true, inserted: None, hook: Some(hook) });
    }

    pub fn of_kind(kind: FlowKind, index: &AppIndex, agent: AgentId) -> Self {
        match kind {
            FlowKind::Adk => Self::of_agent(index, agent),
            FlowKind::Transcript => Self::of_transcript(index, agent),
        }
    }

    /// Only where an agent's instruction is known is there anything to say of it.
    fn of_transcript(index: &AppIndex, agent: AgentId) -> Self {
        let own = index.agent(agent);
        let root = index.agent(index.root(agent));
        let is_told = own.instruction.is_some()
            || own.static_instruction.is_some()
            || root.global_instruction.is_some();
        let mut flow: Vec<Arc<dyn AnyProcessor>> = vec![Arc::new(processors::Basic)];
        if is_told {
            flow.push(Arc::new(processors::Instructions));
        }
        let rest: [Arc<dyn AnyProcessor>; 3] = [
            Arc::new(processors::ContentsProcessor),
            Arc::new(processors::AgentTools),
            Arc::new(processors::ModelCall { names_agent: false }),
        ];
        flow.extend(rest);
        Self::new(flow)
    }

    /// google-adk's flow for an agent: its request processors in its order, then plugins and callbacks, then what is
    /// set at the call itself.
    pub fn of_agent(index: &AppIndex, agent: AgentId) -> Self {
        let mut flow: Vec<Arc<dyn AnyProcessor>> = vec![
            Arc::new(processors::Basic),
            Arc::new(processors::Auth),
            Arc::new(processors::RequestConfirmation),
        ];
        let add_provider =
            |flow: &mut Vec<Arc<dyn AnyProcessor>>, instruction: &Option<Instruction>, kind| {
                if let Some(provider) = processors::InstructionProvider::of(instruction.as_ref(), kind) {
                    flow.push(Arc::new(provider));
                }
            };
        let root = index.agent(index.root(agent));
        add_provider(&mut flow, &root.global_instruction, InstructionKind::Global);
        flow.push(Arc::new(processors::Instructions));
        add_provider(&mut flow, &index.agent(agent).instruction, InstructionKind::Dynamic);
        let rest: [Arc<dyn AnyProcessor>; 8] = [
            Arc::new(processors::Identity),
            Arc::new(processors::Compaction),
            Arc::new(processors::Interactions),
            Arc::new(processors::ContentsProcessor),
            Arc::new(processors::ContextCache),
            Arc::new(processors::NlPlanning),
            Arc::new(processors::CodeExecution),
            Arc::new(processors::OutputSchemaProcessor),
        ];
        flow.extend(rest);
        if index.can_transfer(agent) {
            flow.push(Arc::new(processors::AgentTransfer));
        }
        flow.push(Arc::new(processors::ToolsetAuth));
        flow.push(Arc::new(processors::AgentTools));
        flow.push(Arc::new(processors::DynamicInstructions));
        let mut flow = Self::new(flow);
        for at in 0..index.app().plugins().len() {
            if let Some(plugin) = processors::plugin(index, at) {
                flow.push_hook(plugin, Hook::Plugin(at));
            }
        }
        for (at, callback) in index.agent(agent).before_model_callbacks().iter().enumerate() {
            flow.push_hook(processors::before_model_callback(at, callback), Hook::Callback(at));
        }
        flow.steps.extend(Self::new(vec![Arc::new(processors::ModelCall { names_agent: true })]).steps);
        flow
    }

    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(crate) fn steps_mut(&mut self) -> &mut Vec<Step> {
        &mut self.steps
    }

    /// The place of the processor called so.
    pub fn position(&self, processor: &str) -> Option<usize> {
        self.steps.iter().position(|step| step.processor.name() == processor)
    }

    /// Processors that stand before one they have to follow. Those that are switched off have no order.
    pub fn violations(&self) -> Vec<OrderViolation> {
        let mut violations = Vec::new();
        let enabled: Vec<_> =
            self.steps.iter().filter(|step| step.is_enabled).map(|step| &step.processor).collect();
        for (at, processor) in enabled.iter().enumerate() {
            for required in processor.after() {
                if enabled[at..].iter().skip(1).any(|later| later.name() == *required) {
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
