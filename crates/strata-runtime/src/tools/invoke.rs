//! Running a tool: the host's, or one of the runtime's own.

use std::sync::Arc;
use strata_engine::turn::tool_calls::{error_result, loaded_names};
use strata_model::app::Parameter;
use strata_model::{FunctionCall, Json, Object};

use super::{BoundTool, ToolKind, agent_tool, node_tool};
use crate::adk_text::{MISSING_PARAMETERS, TASK_COMPLETED, filled};
use crate::context::{Context, ToolCall};
use crate::halt::Halt;
use crate::host::ToolResult;
use crate::structured;

pub(crate) async fn invoke(context: &Context, tool: &BoundTool, args: &Object) -> Result<ToolResult, Halt> {
    let value = match &tool.kind {
        ToolKind::Function { .. } => return run_by_host(context, tool, args).await,
        ToolKind::TypedFunction { params, .. } => {
            let mandatory = params.iter().filter(|param| param.default.is_none());
            if let Some(error) = missing(&tool.name, mandatory.map(|param| &*param.name), args) {
                return Ok(ToolResult::new(error));
            }
            return run_by_host(context, tool, &declared(params, args)).await;
        }
        ToolKind::Agent { agent, skips_summarization, has_plugins } => {
            if *skips_summarization {
                context.edit_actions(|actions| actions.skip_summarization = Some(true));
            }
            agent_tool::run(context, *agent, *has_plugins, args).await?
        }
        ToolKind::SingleTurn { agent } => node_tool::run_single_turn(context, *agent, args).await?,
        ToolKind::Task { .. } | ToolKind::RequestInput => match missing_of(tool, args) {
            Some(error) => error,
            None => Json::Null,
        },
        ToolKind::Node { node } => node_tool::run(context, &tool.name, node, args).await?,
        ToolKind::Transfer => match missing_of(tool, args) {
            Some(error) => error,
            None => {
                let target = args.get("agent_name").map(strata_model::python::str);
                context.edit_actions(|actions| actions.transfer_to_agent = target.map(Into::into));
                Json::Null
            }
        },
        ToolKind::FinishTask => finish_task(context, args)?,
        ToolKind::SetModelResponse => structured::set_model_response(context, args)?,
        ToolKind::ExitLoop => {
            context.edit_actions(|actions| {
                actions.escalate = Some(true);
                actions.skip_summarization = Some(true);
            });
            Json::Null
        }
        ToolKind::LoadMemory => match missing_of(tool, args) {
            Some(error) => error,
            None => {
                let query = args.get("query").map(strata_model::python::str).unwrap_or_default();
                let found = context.search_memory(&query).await?;
                let found: Vec<Json> = found.iter().map(|memory| memory.to_json()).collect();
                // The tool returns an object of its own, which ADK wraps like any other value that is no dict.
                Object::from_iter([("result", Object::from_iter([("memories", found)]))]).into()
            }
        },
        ToolKind::LoadArtifacts => {
            let call = FunctionCall { args: Some(Arc::new(args.clone())), ..FunctionCall::default() };
            loaded_names(&call)
        }
    };
    Ok(ToolResult::new(value))
}

async fn run_by_host(context: &Context, tool: &BoundTool, args: &Object) -> Result<ToolResult, Halt> {
    let invocation = context.invocation();
    let code = invocation.run.host.code.clone();
    let call = ToolCall { tool: &tool.name, own_name: &tool.own_name, args, context };
    Ok(invocation.wait(code.run_tool(call)).await??)
}

/// The arguments a function declares; others are dropped.
fn declared(params: &[Parameter], args: &Object) -> Object {
    let known = params.iter().filter_map(|param| Some((param.name.clone(), args.get(&param.name)?.clone())));
    known.collect()
}

/// The mandatory arguments of the runtime's own functions.
fn missing_of(tool: &BoundTool, args: &Object) -> Option<Json> {
    let mandatory: &[&str] = match tool.kind {
        ToolKind::Transfer => &["agent_name"],
        ToolKind::LoadMemory => &["query"],
        ToolKind::RequestInput => &["message"],
        _ => &[],
    };
    missing(&tool.name, mandatory.iter().copied(), args)
}

fn missing<'m>(name: &str, mandatory: impl Iterator<Item = &'m str>, args: &Object) -> Option<Json> {
    let missing: Vec<&str> = mandatory.filter(|param| !args.contains_key(param)).collect();
    (!missing.is_empty()).then(|| {
        let places = [("NAME", name), ("PARAMETERS", &*missing.join("\n"))];
        error_result(&filled(MISSING_PARAMETERS, &places))
    })
}

/// A task is done when what it gives is as it should be.
fn finish_task(context: &Context, args: &Object) -> Result<Json, Halt> {
    let agent = context.invocation().agent_config()?;
    Ok(match structured::task_result_problem(&agent, args) {
        Some(error) => error_result(&error),
        None => Object::from_iter([("result", TASK_COMPLETED)]).into(),
    })
}
