//! The declaration of a node that is called like a function.

use strata_model::app::{AgentKind, CodeNodeKind, Node, START};
use strata_model::{Agent, Json, Object};

use super::signature::{annotation_schema, function, object_schema};

/// What a node takes, as far as its configuration tells.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeInput {
    Schema(Object),
    /// It takes nothing.
    Nothing,
    /// It has to be said, and is not.
    Unknown,
}

pub(super) fn declaration(name: &str, node: &Node, description: Option<&str>) -> Object {
    let own = match node {
        Node::Agent(agent) => agent.description.as_deref(),
        Node::Code(node) => node.description.as_deref(),
        Node::Join(_) | Node::Tool(_) => None,
    };
    let description = description.or(own).filter(|text| !text.is_empty());
    let description =
        description.map_or_else(|| format!("Executes the node: {}", node.name()), str::to_owned);
    let parameters = match tool_input(node) {
        NodeInput::Schema(schema) if is_object(&schema) => Some(schema),
        NodeInput::Schema(schema) => {
            Some(object_schema(Object::from_iter([("request", schema)]), &["request"]))
        }
        NodeInput::Nothing | NodeInput::Unknown => None,
    };
    let mut declaration = function(name, &description, parameters);
    declaration.push_some("responseJsonSchema", output_schema(node));
    declaration
}

fn is_object(schema: &Object) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("object")
}

fn output_schema(node: &Node) -> Option<Json> {
    let schema = match node {
        Node::Agent(agent) => agent.output_schema.as_ref(),
        Node::Code(node) => node.output_schema.as_ref(),
        Node::Join(node) => node.output_schema.as_ref(),
        Node::Tool(_) => None,
    };
    schema.map(|schema| schema.json_schema.clone())
}

/// What a node takes that is called as a tool. A workflow without a schema of its own takes what its first nodes take.
pub fn tool_input(node: &Node) -> NodeInput {
    let given = |schema: &strata_model::app::OutputSchema| {
        NodeInput::Schema(schema.json_schema.as_object().cloned().unwrap_or_default())
    };
    match node {
        Node::Agent(agent) => match (&agent.input_schema, agent.kind) {
            (Some(schema), _) => given(schema),
            (None, AgentKind::Workflow) => entry_input(agent),
            (None, AgentKind::Llm) => NodeInput::Schema(annotation_schema("str")),
            (None, _) => NodeInput::Unknown,
        },
        Node::Code(code) => match &code.input_schema {
            Some(schema) => given(schema),
            None if code.no_input == Some(true) => NodeInput::Nothing,
            None if code.kind == CodeNodeKind::Base => NodeInput::Unknown,
            None => match code.input_type.as_deref().map(annotation_schema) {
                Some(schema) if !schema.is_empty() => NodeInput::Schema(schema),
                _ => NodeInput::Unknown,
            },
        },
        Node::Join(join) => join.input_schema.as_ref().map_or(NodeInput::Unknown, given),
        Node::Tool(_) => NodeInput::Unknown,
    }
}

/// What all nodes take that a workflow begins with; joins aside, which only wait.
fn entry_input(workflow: &Agent) -> NodeInput {
    let begins = |node: &&Node| {
        let name = node.name();
        !matches!(node, Node::Join(_))
            && workflow.edges().iter().any(|edge| *edge.from == *START && edge.to == name)
    };
    let mut inputs = workflow.nodes().iter().filter(begins).map(tool_input).peekable();
    if inputs.peek().is_none() {
        return NodeInput::Unknown;
    }
    let mut common = NodeInput::Nothing;
    for input in inputs {
        match (&common, input) {
            (_, NodeInput::Unknown) => return NodeInput::Unknown,
            (NodeInput::Nothing, input) => common = input,
            (_, NodeInput::Nothing) => {}
            (known, input) if *known != input => return NodeInput::Unknown,
            _ => {}
        }
    }
    common
}
