//! An app as it runs: its agents by place, and its nodes as they are built.

mod build;
mod graph;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use strata_engine::{AgentId, AppIndex};
use strata_model::app::{AgentMode, CodeNode, IncludeContents, OutputSchema, Retry, ToolNode};
use strata_model::{Agent, App, Str};

pub(crate) use graph::{Graph, START_NAME};

use crate::adk_text::ROOT_REQUIRED;
use crate::halt::Failure;

/// An app that can be run.
pub struct Program {
    app: Arc<App>,
    index: AppIndex,
    root: Arc<Node>,
    /// Nodes that code may run, beside those of graphs.
    library: Vec<Arc<Node>>,
    pub(crate) tool_failures: ToolFailures,
    /// The model that writes summaries, once one was needed.
    pub(crate) summarizer: OnceLock<Str>,
}

/// How often tools have failed in a row, for the plugin that gives advice; kept from run to run.
#[derive(Debug, Default)]
pub(crate) struct ToolFailures(Mutex<HashMap<(Str, Str), i64>>);

impl ToolFailures {
    /// Counts a failure in an invocation.
    pub(crate) fn count(&self, invocation_id: &str, tool: &str) -> i64 {
        let mut counts = self.0.lock();
        let count = counts.entry((invocation_id.into(), tool.into())).or_default();
        *count += 1;
        *count
    }

    pub(crate) fn forget(&self, invocation_id: &str, tool: &str) {
        self.0.lock().remove(&(invocation_id.into(), tool.into()));
    }
}

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
}

impl Program {
    /// Builds an app. What google-adk refuses is refused with its words.
    pub fn new(app: Arc<App>) -> Result<Self, Failure> {
        Self::with_library(app, &[])
    }

    /// As [`Self::new`], with nodes that code may run beside those of the app.
    pub fn with_library(app: Arc<App>, library: &[strata_model::app::Node]) -> Result<Self, Failure> {
        let mut index = AppIndex::new(app.clone());
        for node in app.root_node.iter().chain(library) {
            index = index.with_node(node);
        }
        let build = build::Build { index: &index };
        let library = library.iter().map(|node| build.node(node)).collect::<Result<Vec<_>, _>>()?;
        let root = match (&app.root_agent, &app.root_node) {
            (Some(agent), _) => build.root(agent)?,
            (None, Some(node)) => build.node(node)?,
            (None, None) => return Err(Failure::value_error(ROOT_REQUIRED)),
        };
        Ok(Self {
            app,
            index,
            root,
            library,
            tool_failures: ToolFailures::default(),
            summarizer: OnceLock::new(),
        })
    }

    pub(crate) fn app(&self) -> &Arc<App> {
        &self.app
    }

    pub fn index(&self) -> &AppIndex {
        &self.index
    }

    pub(crate) fn root(&self) -> &Arc<Node> {
        &self.root
    }

    /// A node that code may run: one of the library's, or of a workflow's own.
    pub fn library_node(&self, name: &str) -> Option<Arc<Node>> {
        self.library.iter().find(|node| *node.name == *name).cloned().or_else(|| self.root.library_node(name))
    }

    /// The place of a node among those given to [`Self::with_library`].
    pub fn library_at(&self, at: usize) -> Option<&Arc<Node>> {
        self.library.get(at)
    }

    /// A node of the configuration, built anew.
    pub(crate) fn build_node(&self, node: &strata_model::app::Node) -> Result<Arc<Node>, Failure> {
        build::Build { index: &self.index }.node(node)
    }

    /// The name of a root: an agent, or the workflow.
    pub(crate) fn root_name(&self, agent: Option<AgentId>) -> Str {
        agent.map_or_else(|| self.root.name.clone(), |id| self.index.agent(id).name.clone())
    }

    /// Makes a node of an agent that belongs to a tree.
    pub(crate) fn agent_node(&self, id: AgentId, tree: &Tree) -> Arc<Node> {
        build::Build { index: &self.index }.agent(id, AgentMode::SingleTurn, tree)
    }

    /// An agent as it stands in a tree: one that is handed over to is made no node of.
    pub(crate) fn agent_of(&self, id: AgentId, tree: &Tree) -> Arc<Node> {
        let build = build::Build { index: &self.index };
        if tree.is_node(id) {
            build.agent(id, AgentMode::Chat, &tree.above(id))
        } else {
            build.bare_agent(id, tree.clone())
        }
    }

    /// The agent that begins a run.
    pub(crate) fn root_agent_node(&self, id: AgentId) -> Arc<Node> {
        build::Build { index: &self.index }.agent(id, AgentMode::Chat, &Tree::default())
    }

    /// Whether the agent runs by the node runtime, as a root.
    pub(crate) fn is_llm(&self, id: AgentId) -> bool {
        self.index.agent(id).is_llm()
    }
}

impl Node {
    fn library_node(&self, name: &str) -> Option<Arc<Self>> {
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
