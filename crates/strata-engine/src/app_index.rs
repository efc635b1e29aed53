//! An app's agents by name, with what a compile asks about them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use strata_model::app::{AgentMode, ModelFamily, ModelSpec, Node as WorkflowNode};
use strata_model::{Agent, App, Str, Tool};

use crate::backend::Backend;
use crate::tool_plan::{ToolPlan, ToolPlanInputs};

/// The model ADK falls back to when no agent up the tree names one.
const DEFAULT_MODEL: &str = "gemini-3.5-flash";

/// An agent's place in an [`AppIndex`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AgentId(usize);

impl AgentId {
    /// Counted from 0 in the order of [`AppIndex::ids`].
    pub fn position(self) -> usize {
        self.0
    }
}

/// All agents of an app, those inside agent tools included.
#[derive(Debug)]
pub struct AppIndex {
    app: Arc<App>,
    nodes: Vec<Node>,
    by_name: HashMap<Str, AgentId>,
    /// By where the agent lies in memory: names may repeat.
    by_address: HashMap<usize, AgentId>,
}

/// What the agent at the top of a tree is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Top {
    /// It is the app's root, an agent tool's, or below another agent.
    Root,
    /// A node that code or a tool runs.
    Node,
    /// A node of this workflow.
    NodeOf(AgentId),
}

#[derive(Debug)]
struct Node {
    agent: Arc<Agent>,
    /// None for the root and for the root of an agent tool's own tree.
    parent: Option<AgentId>,
    /// As what it stands at the top of its tree.
    top: Top,
    sub_agents: Vec<AgentId>,
    model: ModelSpec,
    /// For AI Studio and for Vertex.
    tool_plans: [OnceLock<Arc<ToolPlan>>; 2],
}

impl AppIndex {
    pub fn new(app: Arc<App>) -> Self {
        let root = app.root_agent.clone();
        let mut index = Self { app, nodes: Vec::new(), by_name: HashMap::new(), by_address: HashMap::new() };
        if let Some(root) = root {
            index.add_tree(&root, None, Top::Root);
        }
        index
    }

    fn add_tree(&mut self, agent: &Arc<Agent>, parent: Option<AgentId>, top: Top) -> AgentId {
        let id = AgentId(self.nodes.len());
        let model = self.resolve_model(agent, parent);
        let tool_plans = [OnceLock::new(), OnceLock::new()];
        self.nodes.push(Node {
            agent: agent.clone(),
            parent,
            top,
            sub_agents: Vec::new(),
            model,
            tool_plans,
        });
        self.by_name.entry(agent.name.clone()).or_insert(id);
        self.by_address.entry(Arc::as_ptr(agent) as usize).or_insert(id);
        for sub_agent in agent.sub_agents() {
            let sub_agent = self.add_tree(sub_agent, Some(id), Top::Root);
            self.nodes[id.0].sub_agents.push(sub_agent);
        }
        for tool in agent.tools() {
            self.add_tool(tool);
        }
        for node in agent.nodes() {
            self.add_node(node, Top::NodeOf(id));
        }
        for node in agent.library() {
            self.add_node(node, Top::Node);
        }
        id
    }

    /// Agents among the nodes of a workflow stand at the top of trees of their own.
    fn add_node(&mut self, node: &WorkflowNode, top: Top) {
        match node {
            WorkflowNode::Agent(agent) => {
                self.add_tree(agent, None, top);
            }
            WorkflowNode::Tool(node) => self.add_tool(&node.tool),
            WorkflowNode::Code(_) | WorkflowNode::Join(_) => {}
        }
    }

    /// Adds the agents of a node that is not part of the app, such as one that code made while it ran.
    pub fn with_node(mut self, node: &WorkflowNode) -> Self {
        self.add_node(node, Top::Node);
        self
    }

    fn add_tool(&mut self, tool: &Tool) {
        match tool {
            Tool::AgentTool { agent, .. } => {
                self.add_tree(agent, None, Top::Root);
            }
            Tool::Toolset { tools, .. } => tools.iter().for_each(|tool| self.add_tool(tool)),
            Tool::NodeTool { node, .. } => self.add_node(node, Top::Node),
            _ => {}
        }
    }

    /// The agent's own model, else that of the nearest ancestor that calls a model, else ADK's default.
    fn resolve_model(&self, agent: &Agent, parent: Option<AgentId>) -> ModelSpec {
        if let Some(model) = agent.model.as_ref().filter(|model| model.is_set()) {
            return model.clone();
        }
        let ancestors = std::iter::successors(parent, |id| self.parent(*id));
        let inherited =
            ancestors.filter(|id| self.agent(*id).is_llm()).find_map(|id| self.agent(id).model.clone());
        inherited.unwrap_or_else(|| ModelSpec::gemini(DEFAULT_MODEL))
    }

    pub fn app(&self) -> &App {
        &self.app
    }

    pub fn find(&self, name: &str) -> Option<AgentId> {
        self.by_name.get(name).copied()
    }

    /// The agent that this very configuration is of.
    pub fn id_of(&self, agent: &Arc<Agent>) -> Option<AgentId> {
        self.by_address.get(&(Arc::as_ptr(agent) as usize)).copied()
    }

    /// The agent of that name in the tree of `top`, which may be `top` itself.
    pub fn find_below(&self, top: AgentId, name: &str) -> Option<AgentId> {
        if *self.agent(top).name == *name {
            return Some(top);
        }
        self.sub_agents(top).iter().find_map(|sub_agent| self.find_below(*sub_agent, name))
    }

    /// Agents in the order of the tree, parents first.
    pub fn ids(&self) -> impl Iterator<Item = AgentId> + use<> {
        (0..self.nodes.len()).map(AgentId)
    }

    pub fn agent(&self, id: AgentId) -> &Arc<Agent> {
        &self.nodes[id.0].agent
    }

    pub fn parent(&self, id: AgentId) -> Option<AgentId> {
        self.nodes[id.0].parent
    }

    /// The workflow that the agent is a node of.
    pub fn workflow(&self, id: AgentId) -> Option<AgentId> {
        match self.nodes[id.0].top {
            Top::NodeOf(workflow) => Some(workflow),
            Top::Root | Top::Node => None,
        }
    }

    /// How the agent works: as it is configured; else a node without agents around it answers once.
    pub fn mode(&self, id: AgentId) -> Option<AgentMode> {
        let is_bare_node =
            self.nodes[id.0].top != Top::Root && self.sub_agents(id).is_empty() && self.agent(id).is_llm();
        self.agent(id).mode.or(is_bare_node.then_some(AgentMode::SingleTurn))
    }

    pub fn sub_agents(&self, id: AgentId) -> &[AgentId] {
        &self.nodes[id.0].sub_agents
    }

    /// The top of the agent's own tree.
    pub fn root(&self, id: AgentId) -> AgentId {
        std::iter::successors(Some(id), |id| self.parent(*id)).last().unwrap_or(id)
    }

    pub fn model(&self, id: AgentId) -> &ModelSpec {
        &self.nodes[id.0].model
    }

    /// What the agent's tools do to its requests; those at the places `left_out` do nothing.
    pub fn tool_plan(&self, id: AgentId, backend: Backend, left_out: &[usize]) -> Arc<ToolPlan> {
        let plan = || {
            let inputs = ToolPlanInputs {
                agent: self.agent(id),
                delegates: self.delegates(id).map(|(agent, mode)| (&**agent, mode)).collect(),
                has_transfer_targets: !self.transfer_targets(id).is_empty(),
                backend,
                left_out,
            };
            Arc::new(inputs.plan())
        };
        if !left_out.is_empty() {
            return plan();
        }
        self.nodes[id.0].tool_plans[usize::from(backend == Backend::Vertex)].get_or_init(plan).clone()
    }

    /// Agents this one may hand over to: sub-agents, the parent, then peers (`ADK.md` 2.13).
    pub fn transfer_targets(&self, id: AgentId) -> Vec<AgentId> {
        let agent = self.agent(id);
        let can_receive = |target: &AgentId| !self.agent(*target).is_delegated();
        let mut targets: Vec<AgentId> = self.sub_agents(id).iter().copied().filter(can_receive).collect();
        // Only an agent that calls a model can be handed over to as a parent, and only its children are peers.
        let Some(parent) = self.parent(id).filter(|parent| self.agent(*parent).is_llm()) else {
            return targets;
        };
        if agent.allows_transfer_to_parent() {
            targets.push(parent);
        }
        if agent.allows_transfer_to_peers() {
            targets.extend(
                self.sub_agents(parent).iter().copied().filter(|peer| *peer != id && can_receive(peer)),
            );
        }
        targets
    }

    /// Whether the agent runs with the flow that can hand over at all.
    pub fn can_transfer(&self, id: AgentId) -> bool {
        let agent = self.agent(id);
        agent.allows_transfer_to_parent()
            || agent.allows_transfer_to_peers()
            || !self.sub_agents(id).is_empty()
    }

    /// Sub-agents that run as tools of this agent, in order.
    pub fn delegates(&self, id: AgentId) -> impl Iterator<Item = (&Arc<Agent>, AgentMode)> {
        self.sub_agents(id).iter().filter_map(|sub_agent| {
            let agent = self.agent(*sub_agent);
            agent.mode.filter(|mode| *mode != AgentMode::Chat).map(|mode| (agent, mode))
        })
    }

    /// Whether the agent has any tool of its own; delegated sub-agents and a task's `finish_task` count.
    pub fn has_tools(&self, id: AgentId) -> bool {
        let agent = self.agent(id);
        !agent.tools().is_empty()
            || agent.mode == Some(AgentMode::Task)
            || self.delegates(id).next().is_some()
    }
}

/// Whether the model class pairs calls with results by id, so that made-up ids must survive.
pub(crate) fn keeps_client_ids(model: &ModelSpec) -> bool {
    match model.family {
        ModelFamily::Gemini | ModelFamily::GeminiWire => model.use_interactions_api,
        ModelFamily::LiteLlm => true,
        ModelFamily::Other | ModelFamily::Unknown => false,
    }
}
