//! What agents ask of their models, in the spelling of requests.
//!
//! google-genai reads its fields in `snake_case` and in `camelCase`, and writes them in `camelCase`.

use std::sync::Arc;

use strata_model::app::{Node, Planner};
use strata_model::{Agent, App, Json, Object, Tool};

/// Fields whose keys are somebody's own, at whatever depth.
const DATA: [&str; 9] = [
    "asyncClientArgs",
    "clientArgs",
    "extraBody",
    "headers",
    "labels",
    "responseJsonSchema",
    "responseSchema",
    "systemInstruction",
    "tools",
];

/// Spells the settings of all agents of an app, wherever they stand.
pub(super) fn spell(app: &mut App) {
    app.root_agent.iter_mut().for_each(in_agent);
    app.root_node.iter_mut().for_each(in_node);
}

fn in_agent(agent: &mut Arc<Agent>) {
    let agent = Arc::make_mut(agent);
    if let Some(config) = &mut agent.generate_content_config {
        *config = spelled(std::mem::take(config));
    }
    if let Some(Planner::BuiltIn { thinking_config }) = &mut agent.planner {
        *thinking_config = spelled(std::mem::take(thinking_config));
    }
    agent.sub_agents.iter_mut().flatten().for_each(in_agent);
    agent.tools.iter_mut().flatten().for_each(in_tool);
    agent.nodes.iter_mut().flatten().for_each(in_node);
    agent.library.iter_mut().flatten().for_each(in_node);
}

fn in_tool(tool: &mut Tool) {
    match tool {
        Tool::AgentTool { agent, .. } => in_agent(agent),
        Tool::NodeTool { node, .. } => in_node(node),
        Tool::Toolset { tools, .. } => tools.iter_mut().for_each(in_tool),
        _ => {}
    }
}

fn in_node(node: &mut Node) {
    match node {
        Node::Agent(agent) => in_agent(agent),
        Node::Tool(node) => in_tool(&mut Arc::make_mut(node).tool),
        Node::Code(_) | Node::Join(_) => {}
    }
}

fn spelled(config: Object) -> Object {
    let mut out = Object::new();
    for (key, value) in config {
        let name = camel(&key);
        let value = if DATA.contains(&&*name) { value } else { spelled_value(value) };
        out.insert(name, value);
    }
    out
}

fn spelled_value(value: Json) -> Json {
    match value {
        Json::Object(object) => spelled(object).into(),
        Json::Array(items) => items.into_iter().map(spelled_value).collect::<Vec<_>>().into(),
        other => other,
    }
}

/// `maxOutputTokens` of `max_output_tokens`.
fn camel(key: &str) -> String {
    let mut words = key.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        name.push_str(letters.as_str());
    }
    name
}
