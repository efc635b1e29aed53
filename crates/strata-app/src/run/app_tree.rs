//! Apps as they run: with something other in their agents than their files say.

use std::sync::Arc;

use strata_model::app::{Node, Tool};
use strata_model::{Agent, App};

/// An app with all its agents changed, wherever they stand.
pub(super) fn with_agents(app: &App, change: &mut impl FnMut(&mut Agent)) -> App {
    let mut app = app.clone();
    app.root_agent.iter_mut().for_each(|root| in_agent(root, change));
    app.root_node.iter_mut().for_each(|root| in_node(root, change));
    app
}

fn in_agent(agent: &mut Arc<Agent>, change: &mut impl FnMut(&mut Agent)) {
    let agent = Arc::make_mut(agent);
    change(agent);
    agent.tools.iter_mut().flatten().for_each(|tool| in_tool(tool, change));
    agent.sub_agents.iter_mut().flatten().for_each(|below| in_agent(below, change));
    agent.nodes.iter_mut().flatten().for_each(|below| in_node(below, change));
    agent.library.iter_mut().flatten().for_each(|below| in_node(below, change));
}

fn in_node(node: &mut Node, change: &mut impl FnMut(&mut Agent)) {
    match node {
        Node::Agent(below) => in_agent(below, change),
        Node::Tool(below) => in_tool(&mut Arc::make_mut(below).tool, change),
        Node::Code(_) | Node::Join(_) => {}
    }
}

fn in_tool(tool: &mut Tool, change: &mut impl FnMut(&mut Agent)) {
    match tool {
        Tool::AgentTool { agent, .. } => in_agent(agent, change),
        Tool::NodeTool { node, .. } => in_node(node, change),
        _ => {}
    }
}
