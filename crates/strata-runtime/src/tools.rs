//! Calls of tools: from what a model asked for to the event that answers.

pub(crate) mod agent_tool;
mod batch;
mod call;
pub(crate) mod confirmation;
pub(crate) mod credentials;
mod invoke;

mod node_tool;
mod parameters;

use std::sync::Arc;

use strata_engine::{AgentId, AppIndex};
use strata_model::app::{AgentMode, Confirmation, Node, Parameter, Tool};
use strata_model::{Json, Str};

pub(crate) use batch::run_calls;
pub(crate) use invoke::invoke;
pub(crate) use parameters::Parameters;

const TRANSFER: &str = "transfer_to_agent";

/// A tool as it is called.
#[derive(Debug, Clone)]
pub(crate) struct BoundTool {
    pub(crate) name: Str,
    /// The host's name for it, without a toolset's prefix.
    pub(crate) own_name: Str,
    pub(crate) kind: ToolKind,
    /// The arguments without which it is not run.
    pub(crate) mandatory: Vec<Str>,
}

#[derive(Debug, Clone)]
pub(crate) enum ToolKind {
    /// The host's.
    Function {
        answers_later: bool,
        confirmation: Confirmation,
    },
    /// The host's, with parameters that are checked before it runs.
    TypedFunction {
        params: Vec<Parameter>,
        confirmation: Confirmation,
    },
    /// An agent in a session of its own.
    Agent {
        agent: AgentId,
        skips_summarization: bool,
        has_plugins: bool,
    },
    /// An agent that answers once, in the session at hand.
    SingleTurn {
        agent: AgentId,
    },
    /// An agent that works on a task; what it gives comes later.
    Task {
        agent: AgentId,
    },
    Node {
        node: Node,
    },
    Transfer,
    FinishTask,
    SetModelResponse,
    ExitLoop,
    LoadMemory,
    LoadArtifacts,
    RequestInput,
}

impl BoundTool {
    /// One that an agent has without naming it.
    fn given(name: &str, kind: ToolKind) -> Self {
        let mandatory =
            if matches!(kind, ToolKind::Transfer) { vec!["agent_name".into()] } else { Vec::new() };
        Self { name: name.into(), own_name: name.into(), kind, mandatory }
    }

    /// Its answer comes from outside, later.
    pub(crate) fn is_long_running(&self) -> bool {
        matches!(self.kind, ToolKind::Function { answers_later: true, .. } | ToolKind::RequestInput)
    }

    /// An empty result is none.
    pub(crate) fn may_answer_later(&self) -> bool {
        self.is_long_running() || matches!(self.kind, ToolKind::Task { .. })
    }

    pub(crate) fn is_task(&self) -> bool {
        matches!(self.kind, ToolKind::Task { .. })
    }
}

/// The tools of an agent's calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tools {
    bound: Vec<BoundTool>,
    /// Those a model may call, in the order they were registered.
    names: Vec<Str>,
}

impl Tools {
    /// The agent's own tools, those that come with its sub-agents, and those the runtime gives it.
    pub(crate) fn of(index: &AppIndex, id: AgentId) -> Self {
        let agent = index.agent(id);
        let mut bound = Vec::new();
        for tool in agent.tools() {
            add(&mut bound, index, tool, None);
        }
        let mut given = |name: &str, kind| bound.push(BoundTool::given(name, kind));
        if agent.mode == Some(AgentMode::Task) {
            given("finish_task", ToolKind::FinishTask);
        }
        for sub_agent in index.sub_agents(id) {
            let config = index.agent(*sub_agent);
            match config.mode {
                Some(AgentMode::Task) => given(&config.name, ToolKind::Task { agent: *sub_agent }),
                Some(AgentMode::SingleTurn) => {
                    given(&config.name, ToolKind::SingleTurn { agent: *sub_agent });
                }
                Some(AgentMode::Chat) | None => {}
            }
        }
        if !index.transfer_targets(id).is_empty() {
            given(TRANSFER, ToolKind::Transfer);
        }
        let names = bound.iter().map(|tool| tool.name.clone()).collect();
        Self { bound, names }
    }

    /// As [`Self::of`], with the names that a request has registered.
    pub(crate) fn registered(index: &AppIndex, id: AgentId, names: &[Str]) -> Self {
        let mut tools = Self::of(index, id);
        let response = "set_model_response";
        if names.iter().any(|name| &**name == response) {
            tools.bound.push(BoundTool::given(response, ToolKind::SetModelResponse));
        }
        tools.names = names.to_vec();
        tools
    }

    pub(crate) fn get(&self, name: &str) -> Option<&BoundTool> {
        if !self.has(name) {
            return None;
        }
        self.bound.iter().rfind(|tool| *tool.name == *name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| **known == *name)
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.names.iter().map(|name| &**name).collect()
    }

    /// A tool that a node runs.
    pub(crate) fn of_node(index: &AppIndex, tool: &Tool) -> Option<BoundTool> {
        let mut bound = Vec::new();
        add(&mut bound, index, tool, None);
        bound.pop()
    }
}

fn add(bound: &mut Vec<BoundTool>, index: &AppIndex, tool: &Tool, prefix: Option<&str>) {
    let kind = match tool {
        Tool::Toolset { tools, prefix, source } => {
            let prefix = prefix.as_deref().filter(|prefix| !prefix.is_empty());
            let first = bound.len();
            for tool in tools {
                add(bound, index, tool, prefix);
            }
            if source.is_some() {
                // What a server is asked with, it checks itself.
                bound[first..].iter_mut().for_each(|tool| tool.mandatory.clear());
            }
            return;
        }
        // An agent may name google-adk's own function itself.
        Tool::Function { .. } if &*tool.name() == TRANSFER => ToolKind::Transfer,
        Tool::Function { is_long_running, confirmation, .. } => {
            ToolKind::Function { answers_later: *is_long_running, confirmation: confirmation.clone() }
        }
        Tool::LongRunningFunction { .. } => {
            ToolKind::Function { answers_later: true, confirmation: Confirmation::Never }
        }
        Tool::TypedFunction { params, confirmation, .. } => {
            ToolKind::TypedFunction { params: params.clone(), confirmation: confirmation.clone() }
        }
        Tool::AgentTool { agent, skip_summarization, include_plugins } => {
            let Some(agent) = index.id_of(agent) else { return };
            ToolKind::Agent { agent, skips_summarization: *skip_summarization, has_plugins: *include_plugins }
        }
        Tool::NodeTool { node, .. } => ToolKind::Node { node: node.clone() },
        Tool::RequestInput => ToolKind::RequestInput,
        Tool::LoadMemory => ToolKind::LoadMemory,
        Tool::LoadArtifacts => ToolKind::LoadArtifacts,
        Tool::ExitLoop => ToolKind::ExitLoop,
        Tool::NoDeclaration { .. }
        | Tool::GoogleSearch { .. }
        | Tool::Examples { .. }
        | Tool::BuiltIn { .. }
        | Tool::PreloadMemory
        | Tool::Code { .. } => ToolKind::Function { answers_later: false, confirmation: Confirmation::Never },
    };
    let own_name = tool.name();
    let name = match prefix {
        Some(prefix) => format!("{prefix}_{own_name}").into(),
        None => own_name.clone(),
    };
    let mandatory = match kind {
        ToolKind::Function { .. }
        | ToolKind::TypedFunction { .. }
        | ToolKind::Transfer
        | ToolKind::LoadMemory
        | ToolKind::RequestInput => Parameters::of(tool).required,
        _ => Vec::new(),
    };
    bound.push(BoundTool { name, own_name, kind, mandatory });
}

/// `{"result": ...}` of `finish_task`, once a task is done.
pub(crate) fn is_task_end(response: &strata_model::FunctionResponse) -> bool {
    let result = response.response.as_deref().and_then(|response| response.get("result"));
    let ends = [crate::adk_text::TASK_COMPLETED, crate::adk_text::TASK_FAILED];
    response.name.as_deref() == Some("finish_task")
        && result.and_then(Json::as_str).is_some_and(|result| ends.contains(&result))
}

/// Shared by the calls of one batch.
pub(crate) type SharedTools = Arc<Tools>;
