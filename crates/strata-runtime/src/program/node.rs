//! Nodes as they are built: agents, graphs of other nodes, and code.

use std::sync::Arc;

use strata_engine::{AgentId, AppIndex};
use strata_model::app::{AgentMode, CodeNode, Edge, IncludeContents, OutputSchema, Retry, ToolNode};
use strata_model::{Agent, Str};

/// A node, built.
#[derive(Debug)]
pub struct Node {
    pub(crate) name: Str,
    pub(crate) kind: NodeKind,
    /// After an answer it runs again; otherwise the answer is its output.
    pub(crate) rerun_on_resume: bool,
    /// It has not completed before there is an output or a route.
    pub(crate) wait_for_output: bool,
    /// Seconds.
    pub(crate) timeout: Option<f64>,
    pub(crate) retry: Option<Retry>,
    pub(crate) input_schema: Option<Arc<OutputSchema>>,
    pub(crate) output_schema: Option<Arc<OutputSchema>>,
    pub(crate) state_schema: Option<Arc<OutputSchema>>,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Agent(AgentNode),
    Workflow(Graph),
    Code(Arc<CodeNode>),
    Join,
    Tool(Arc<ToolNode>),
    Worker { node: Arc<Node>, most_at_once: Option<usize> },
}

/// The graph of a workflow.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) workflow: Arc<Agent>,
    /// In the order in which edges name them.
    pub(crate) nodes: Vec<Arc<Node>>,
    pub(crate) edges: Vec<Edge>,
    /// Nodes that no edge leaves.
    pub(crate) terminal: Vec<Str>,
    pub(crate) library: Vec<Arc<Node>>,
    /// `None`: any number of nodes run at once.
    pub(crate) most_at_once: Option<usize>,
}

/// An agent as a node.
#[derive(Debug, Clone)]
pub(crate) struct AgentNode {
    pub(crate) id: AgentId,
    pub(crate) config: Arc<Agent>,
    /// As a node runs it; none for agents that call no model.
    pub(crate) mode: Option<AgentMode>,
    pub(crate) include_contents: Option<IncludeContents>,
    pub(crate) tree: Tree,
}

/// The copy of an app's tree that an agent belongs to.
///
/// Whoever runs an agent as a node makes a node of it, and a copy of all below it; what is above stays as it was. So
/// the agents above one that was reached by a handover may be nodes already, or not yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Agents that were made nodes of, from the inside out.
    nodes: Vec<AgentId>,
}

impl Tree {
    /// The copy that is made when an agent of this tree is made a node of.
    pub(crate) fn with_node(&self, agent: AgentId) -> Self {
        let known = self.nodes.iter().copied();
        Self { nodes: std::iter::once(agent).chain(known).collect() }
    }

    /// The tree of the agent above.
    pub(crate) fn above(&self, agent: AgentId) -> Self {
        Self { nodes: self.nodes[usize::from(self.is_node(agent))..].to_vec() }
    }

    /// The tree that is seen from the top above an agent.
    pub(crate) fn at_top(&self, index: &AppIndex, agent: AgentId) -> Self {
        match index.parent(agent) {
            Some(parent) => self.above(agent).at_top(index, parent),
            None => self.clone(),
        }
    }

    pub(crate) fn is_node(&self, agent: AgentId) -> bool {
        self.nodes.first() == Some(&agent)
    }
}

impl Node {
    pub fn name(&self) -> &Str {
        &self.name
    }

    pub(crate) fn agent(&self) -> Option<&AgentNode> {
        match &self.kind {
            NodeKind::Agent(agent) => Some(agent),
            _ => None,
        }
    }

    pub(crate) fn is_workflow(&self) -> bool {
        matches!(self.kind, NodeKind::Workflow(_))
    }

    /// An agent that works on a task until it says that it is done.
    pub(crate) fn is_task(&self) -> bool {
        self.agent().is_some_and(|agent| agent.mode == Some(AgentMode::Task))
    }

    /// A node that code in this one may run.
    pub(super) fn library_node(&self, name: &str) -> Option<Arc<Self>> {
        match &self.kind {
            NodeKind::Workflow(graph) => {
                let own = graph.library.iter().find(|node| *node.name == *name).cloned();
                own.or_else(|| graph.nodes.iter().find_map(|node| node.library_node(name)))
            }
            NodeKind::Worker { node, .. } => node.library_node(name),
            NodeKind::Agent(_) | NodeKind::Code(_) | NodeKind::Join | NodeKind::Tool(_) => None,
        }
    }
}
