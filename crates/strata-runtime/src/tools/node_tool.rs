//! Nodes and agents that are called like functions, and run in the session at hand.

use strata_engine::turn::tool_calls::error_result;
use strata_engine::{AgentId, NodeInput, branch, tool_input};
use strata_model::app::{self, OutputSchema, SchemaKind};
use strata_model::{Json, Object, Str};

use crate::adk_text::{
    BAD_AGENT_INPUT, BAD_TOOL_ARGUMENTS, REQUEST_ARGUMENT_MISSING, SUB_AGENT_FAILED, filled,
};
use crate::context::Context;
use crate::halt::{Failure, Halt};
use crate::host::Value;
use crate::program::Tree;
use crate::run_node::RunNode;
use crate::schema;

/// Runs a node on a branch of the call, and gives its output.
pub(super) async fn run(
    context: &Context,
    name: &Str,
    node: &app::Node,
    args: &Object,
) -> Result<Json, Halt> {
    let input = match taken(name, node, args) {
        Ok(input) => input,
        Err(error) => return Ok(error),
    };
    let built = context.invocation().run.program.build_node(node)?;
    let call_id = context.function_call_id();
    let segment = call_id.as_ref().map_or_else(|| name.to_string(), |id| format!("{name}@{id}"));
    let base = context.branch();
    let run = RunNode {
        run_id: call_id,
        branch: Some(branch::sub_branch(base.as_deref(), &segment).into()),
        stops_on_wait: true,
        ..RunNode::new(built, input.into())
    };
    match context.run_node(run).await {
        Ok(output) => {
            let output = output.to_json();
            Ok(if output.is_null() { Object::from_iter([("result", Json::Null)]).into() } else { output })
        }
        Err(Halt::Failed(Failure { child: Some(child), .. })) => Err(Halt::Failed(child.failure.clone())),
        Err(halt) => Err(halt),
    }
}

/// The arguments as the node takes them, or what is answered where they do not fit.
fn taken(name: &str, node: &app::Node, args: &Object) -> Result<Json, Json> {
    let refused =
        |error: &str| error_result(&filled(BAD_TOOL_ARGUMENTS, &[("NAME", name), ("ERROR", error)]));
    let NodeInput::Schema(schema) = tool_input(node) else { return Ok(args.clone().into()) };
    let is_object = schema.get("type").and_then(Json::as_str) == Some("object");
    let value = if is_object {
        args.clone().into()
    } else {
        args.get("request").cloned().ok_or_else(|| refused(REQUEST_ARGUMENT_MISSING))?
    };
    let checked = match declared_schema(node) {
        Some(schema) => schema::validate(&schema, &value),
        None => Ok(value),
    };
    checked.map_err(|failure| refused(&failure.text()))
}

fn declared_schema(node: &app::Node) -> Option<OutputSchema> {
    let own = match node {
        app::Node::Agent(agent) => agent.input_schema.clone(),
        app::Node::Code(code) => code.input_schema.clone(),
        app::Node::Join(join) => join.input_schema.clone(),
        app::Node::Tool(_) => None,
    };
    let NodeInput::Schema(schema) = tool_input(node) else { return own };
    let inferred = OutputSchema {
        kind: SchemaKind::Primitive,
        class: None,
        annotation: None,
        json_schema: schema.into(),
    };
    Some(own.unwrap_or(inferred)).filter(|schema| schema.kind != SchemaKind::JsonSchema)
}

/// Runs an agent that answers once. What goes wrong is told to the model that asked.
pub(super) async fn run_single_turn(context: &Context, agent: AgentId, args: &Object) -> Result<Json, Halt> {
    let program = context.invocation().run.program.clone();
    let config = program.index().agent(agent).clone();
    let input = match &config.input_schema {
        None => args.get("request").cloned().unwrap_or_default(),
        Some(schema) => match schema::validate(schema, &args.clone().into()) {
            Ok(input) => input,
            Err(failure) => {
                return Ok(filled(BAD_AGENT_INPUT, &[("ERROR", &failure.text())]).into());
            }
        },
    };
    let call_id = context.function_call_id();
    let segment = call_id.map_or_else(|| config.name.to_string(), |id| format!("{}@{id}", config.name));
    let run = RunNode {
        branch: Some(branch::sub_branch(context.branch().as_deref(), &segment).into()),
        ..RunNode::new(program.agent_node(agent, &Tree::default()), Value::Json(input))
    };
    match context.run_node(run).await {
        Ok(output) => Ok(output.to_json()),
        Err(Halt::Failed(failure)) => Ok(filled(SUB_AGENT_FAILED, &[("ERROR", &failure.text())]).into()),
        Err(halt) => Err(halt),
    }
}
