//! An app as it runs: its agents by place, and its nodes as they are built.

mod build;
mod graph;
mod node;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use strata_engine::{AgentId, AppIndex, Flow};
use strata_model::app::{AgentMode, Plugin};
use strata_model::{App, Str};

pub(crate) use graph::START_NAME;
pub use node::Node;
pub(crate) use node::{AgentNode, Graph, NodeKind, Tree};

use crate::adk_text::{PLUGIN_TWICE, ROOT_REQUIRED, filled};
use crate::halt::Failure;

/// An app that can be run.
pub struct Program {
    app: Arc<App>,
    index: AppIndex,
    root: Arc<Node>,
    /// Nodes that code may run, beside those of graphs.
    library: Vec<Arc<Node>>,
    /// Of agents whose requests are not made as google-adk makes them.
    flows: HashMap<AgentId, Flow>,
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
        check_plugins(app.plugins())?;
        Ok(Self {
            app,
            index,
            root,
            library,
            flows: HashMap::new(),
            tool_failures: ToolFailures::default(),
            summarizer: OnceLock::new(),
        })
    }

    /// Has the requests of an agent made by another flow than google-adk's. An agent that is not there has none.
    #[must_use]
    pub fn with_flow(mut self, agent: &str, flow: Flow) -> Self {
        if let Some(id) = self.index.find(agent) {
            self.flows.insert(id, flow);
        }
        self
    }

    /// How requests of an agent are made.
    pub(crate) fn flow(&self, agent: AgentId) -> Flow {
        self.flows.get(&agent).cloned().unwrap_or_else(|| Flow::of_agent(&self.index, agent))
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

fn check_plugins(plugins: &[Plugin]) -> Result<(), Failure> {
    let mut names = HashSet::new();
    match plugins.iter().map(Plugin::name).find(|name| !names.insert(*name)) {
        Some(name) => Err(Failure::value_error(filled(PLUGIN_TWICE, &[("NAME", name)]))),
        None => Ok(()),
    }
}
