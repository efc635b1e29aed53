//! From an app's configuration to its nodes.

use std::sync::Arc;

use strata_engine::{AgentId, AppIndex, NodeInput, tool_input};
use strata_model::app::{
    self, AgentKind, AgentMode, CodeNode, CodeNodeKind, IncludeContents, OutputSchema, SchemaKind, Tool,
};
use strata_model::{Agent, python};

use super::node::{AgentNode, Graph, Node, NodeKind, Tree};
use crate::adk_text::{
    AGENT_NAME, AGENT_NAMED_USER, CONFIRMATION_NEEDS_RERUN, FUNCTION_NAME, NODE_NAME, NODE_TOOL_AGENT,
    NODE_TOOL_INPUT, WORKER_COUNT, WORKER_COUNT_ALONE, filled,
};
use crate::halt::Failure;

pub(super) struct Build<'b> {
    pub(super) index: &'b AppIndex,
}

/// A raw JSON Schema checks nothing.
fn checking(schema: Option<&OutputSchema>) -> Option<Arc<OutputSchema>> {
    schema.filter(|schema| schema.kind != SchemaKind::JsonSchema).cloned().map(Arc::new)
}

fn declared(message: String) -> Failure {
    Failure::new("WorkflowConfigurationError", message)
}

impl Build<'_> {
    pub(super) fn root(&self, root: &Arc<Agent>) -> Result<Arc<Node>, Failure> {
        self.check_agent(root)?;
        if root.kind == AgentKind::Workflow {
            return self.workflow(root);
        }
        Ok(self.agent(self.id_of(root)?, AgentMode::Chat, &Tree::default()))
    }

    fn id_of(&self, agent: &Arc<Agent>) -> Result<AgentId, Failure> {
        // The index was made from the same configuration.
        let id = self.index.id_of(agent);
        id.ok_or_else(|| Failure::value_error(format!("agent {} is not part of the app", agent.name)))
    }

    /// What google-adk checks of an agent and all below it.
    fn check_agent(&self, agent: &Arc<Agent>) -> Result<(), Failure> {
        if agent.kind == AgentKind::Workflow {
            return Ok(());
        }
        if !python::is_identifier(&agent.name) {
            return Err(Failure::value_error(filled(AGENT_NAME, &[("NAME", &agent.name)])));
        }
        if &*agent.name == "user" {
            return Err(Failure::value_error(AGENT_NAMED_USER));
        }
        agent.sub_agents().iter().try_for_each(|agent| self.check_agent(agent))?;
        agent.tools().iter().try_for_each(|tool| self.check_tool(tool))
    }

    fn check_tool(&self, tool: &Tool) -> Result<(), Failure> {
        match tool {
            Tool::AgentTool { agent, .. } => self.check_agent(agent),
            Tool::Toolset { tools, .. } => tools.iter().try_for_each(|tool| self.check_tool(tool)),
            Tool::NodeTool { node, .. } => {
                if let app::Node::Agent(agent) = node
                    && agent.kind != AgentKind::Workflow
                {
                    let message = filled(NODE_TOOL_AGENT, &[("NAME", &agent.name)]);
                    return Err(Failure::value_error(message));
                }
                self.node(node)?;
                // A function says by its parameters what it takes.
                let is_function =
                    matches!(node, app::Node::Code(code) if code.kind == CodeNodeKind::Function);
                if !is_function && tool_input(node) == NodeInput::Unknown {
                    let message = filled(NODE_TOOL_INPUT, &[("NAME", &node.name())]);
                    return Err(Failure::value_error(message));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn node(&self, node: &app::Node) -> Result<Arc<Node>, Failure> {
        match node {
            app::Node::Agent(agent) if agent.kind == AgentKind::Workflow => self.workflow(agent),
            app::Node::Agent(agent) => {
                self.check_agent(agent)?;
                Ok(self.agent(self.id_of(agent)?, AgentMode::SingleTurn, &Tree::default()))
            }
            app::Node::Code(code) => code_node(code),
            app::Node::Join(join) => {
                check_name(&join.name)?;
                Ok(Arc::new(Node {
                    input_schema: checking(join.input_schema.as_ref()),
                    output_schema: checking(join.output_schema.as_ref()),
                    wait_for_output: join.wait_for_output.unwrap_or(false),
                    ..plain(join.name.clone(), NodeKind::Join)
                }))
            }
            app::Node::Tool(tool) => {
                self.check_tool(&tool.tool)?;
                let name = tool.name.clone().unwrap_or_else(|| tool.tool.name());
                // A node that was made a tool of is a node again.
                if let Tool::NodeTool { node, .. } = &tool.tool {
                    return self.node(node);
                }
                check_name(&name)?;
                Ok(Arc::new(Node {
                    rerun_on_resume: true,
                    timeout: tool.timeout,
                    retry: tool.retry.clone(),
                    ..plain(name, NodeKind::Tool(tool.clone()))
                }))
            }
        }
    }

    fn workflow(&self, workflow: &Arc<Agent>) -> Result<Arc<Node>, Failure> {
        check_name(&workflow.name)?;
        let nodes = workflow.nodes().iter().map(|node| self.node(node)).collect::<Result<Vec<_>, _>>()?;
        let library = workflow.library().iter().map(|node| self.node(node)).collect::<Result<Vec<_>, _>>()?;
        let graph = Graph::build(workflow, &nodes, library)?;
        Ok(Arc::new(Node {
            rerun_on_resume: workflow.rerun_on_resume.unwrap_or(true),
            wait_for_output: workflow.wait_for_output.unwrap_or(false),
            timeout: workflow.timeout,
            retry: workflow.retry.clone(),
            input_schema: checking(workflow.input_schema.as_ref()),
            output_schema: checking(workflow.output_schema.as_ref()),
            state_schema: checking(workflow.state_schema.as_ref()),
            ..plain(workflow.name.clone(), NodeKind::Workflow(graph))
        }))
    }

    /// An agent as a node: with a model, it runs again after an answer and has a mode.
    pub(super) fn agent(&self, id: AgentId, default_mode: AgentMode, tree: &Tree) -> Arc<Node> {
        let config = self.index.agent(id).clone();
        if !config.is_llm() {
            return self.bare_agent(id, tree.clone());
        }
        let inherited = if self.index.parent(id).is_some() { AgentMode::Chat } else { default_mode };
        let mode = config.mode.unwrap_or(inherited);
        let is_bare_single_turn = mode == AgentMode::SingleTurn && config.include_contents.is_none();
        let node = AgentNode {
            id,
            mode: Some(mode),
            include_contents: is_bare_single_turn.then_some(IncludeContents::None),
            config: config.clone(),
            tree: tree.with_node(id),
        };
        let node = Arc::new(Node {
            rerun_on_resume: config.rerun_on_resume.unwrap_or(true),
            wait_for_output: mode != AgentMode::SingleTurn || config.wait_for_output == Some(true),
            ..node_of(node)
        });
        let most_at_once = config.max_parallel_workers.and_then(|most| usize::try_from(most).ok());
        if config.parallel_worker == Some(true) { worker(node, most_at_once) } else { node }
    }

    /// An agent as it is configured. A model's agent chats where it has others around it.
    pub(super) fn bare_agent(&self, id: AgentId, tree: Tree) -> Arc<Node> {
        let config = self.index.agent(id).clone();
        let has_others = self.index.parent(id).is_some() || !config.sub_agents().is_empty();
        let default = if has_others { AgentMode::Chat } else { AgentMode::SingleTurn };
        let mode = config.is_llm().then(|| config.mode.unwrap_or(default));
        Arc::new(node_of(AgentNode { id, mode, include_contents: None, config, tree }))
    }
}

fn plain(name: strata_model::Str, kind: NodeKind) -> Node {
    Node {
        name,
        kind,
        rerun_on_resume: false,
        wait_for_output: false,
        timeout: None,
        retry: None,
        input_schema: None,
        output_schema: None,
        state_schema: None,
    }
}

fn worker(node: Arc<Node>, most_at_once: Option<usize>) -> Arc<Node> {
    let name = node.name.clone();
    Arc::new(Node { rerun_on_resume: true, ..plain(name, NodeKind::Worker { node, most_at_once }) })
}

fn check_name(name: &str) -> Result<(), Failure> {
    if python::is_identifier(name) { Ok(()) } else { Err(declared(filled(NODE_NAME, &[("NAME", name)]))) }
}

fn code_node(code: &Arc<CodeNode>) -> Result<Arc<Node>, Failure> {
    if code.kind == CodeNodeKind::Function && code.name.is_empty() {
        return Err(declared(FUNCTION_NAME.into()));
    }
    check_name(&code.name)?;
    let is_worker = code.parallel_worker == Some(true);
    let most_at_once = match code.max_parallel_workers {
        Some(_) if !is_worker => return Err(declared(WORKER_COUNT_ALONE.into())),
        Some(most) if most < 1 => return Err(declared(WORKER_COUNT.into())),
        most => most.map(|most| most as usize),
    };
    let asks = code.require_confirmation == Some(true);
    if asks && code.rerun_on_resume == Some(false) {
        return Err(declared(CONFIRMATION_NEEDS_RERUN.into()));
    }
    let node = Arc::new(Node {
        rerun_on_resume: code.rerun_on_resume.unwrap_or(asks),
        wait_for_output: code.wait_for_output.unwrap_or(false),
        timeout: code.timeout,
        retry: code.retry.clone(),
        input_schema: checking(code.input_schema.as_ref()),
        output_schema: checking(code.output_schema.as_ref()),
        state_schema: checking(code.state_schema.as_ref()),
        ..plain(code.name.clone(), NodeKind::Code(code.clone()))
    });
    Ok(if is_worker { worker(node, most_at_once) } else { node })
}

fn node_of(agent: AgentNode) -> Node {
    let config = agent.config.clone();
    Node {
        rerun_on_resume: config.rerun_on_resume.unwrap_or(false),
        wait_for_output: config.wait_for_output.unwrap_or(false),
        timeout: config.timeout,
        retry: config.retry.clone(),
        input_schema: checking(config.input_schema.as_ref()),
        output_schema: checking(config.output_schema.as_ref()),
        state_schema: checking(config.state_schema.as_ref()),
        ..plain(config.name.clone(), NodeKind::Agent(agent))
    }
}
