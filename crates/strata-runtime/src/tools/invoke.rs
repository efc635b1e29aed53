//! Running a tool: the host's, or one of the runtime's own.

use std::sync::Arc;
use strata_engine::turn::tool_calls::{error_result, loaded_names};
use strata_model::app::Parameter;
use strata_model::{FunctionCall, Json, Object, Str, python};

use super::{BoundTool, ToolKind, agent_tool, node_tool};
use crate::adk_text::{MISSING_PARAMETERS, TASK_COMPLETED, filled};
use crate::context::{Context, ToolCall};
use crate::halt::Halt;
use crate::host::ToolResult;
use crate::structured;

pub(crate) async fn invoke(context: &Context, tool: &BoundTool, args: &Object) -> Result<ToolResult, Halt> {
    if let Some(error) = missing(tool, args) {
        return Ok(ToolResult::new(error));
    }
    let value = match &tool.kind {
        ToolKind::Function { .. } => return run_by_host(context, tool, args).await,
        ToolKind::TypedFunction { params, .. } => {
            return run_by_host(context, tool, &declared(params, args)).await;
        }
        ToolKind::Agent { agent, skips_summarization, has_plugins } => {
            if *skips_summarization {
                context.edit_actions(|actions| actions.skip_summarization = Some(true));
            }
            agent_tool::run(context, *agent, *has_plugins, args).await?
        }
        ToolKind::SingleTurn { agent } => node_tool::run_single_turn(context, *agent, args).await?,
        ToolKind::Task { .. } | ToolKind::RequestInput => Json::Null,
        ToolKind::Node { node } => node_tool::run(context, &tool.name, node, args).await?,
        ToolKind::Transfer => {
            let text = |name: &str| Some(Str::from(python::str(args.get(name)?)));
            let has_reason = args.get("transfer_reason").is_some_and(Json::is_truthy);
            context.edit_actions(|actions| {
                actions.transfer_to_agent = text("agent_name");
                actions.transfer_reason = text("transfer_reason").filter(|_| has_reason);
            });
            Json::Null
        }
        ToolKind::FinishTask => finish_task(context, args)?,
        ToolKind::SetModelResponse => structured::set_model_response(context, args)?,
        ToolKind::ExitLoop => {
            context.edit_actions(|actions| {
                actions.escalate = Some(true);
                actions.skip_summarization = Some(true);
            });
            Json::Null
        }
        ToolKind::LoadMemory => {
            let query = args.get("query").map(python::str).unwrap_or_default();
            let found = context.search_memory(&query).await?;
            let found: Vec<Json> = found.iter().map(|memory| memory.to_json()).collect();
            // The tool returns an object of its own, which ADK wraps like any other value that is no dict.
            Object::from_iter([("result", Object::from_iter([("memories", found)]))]).into()
        }
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
    let call = ToolCall {
        tool: &tool.name,
        own_name: &tool.own_name,
        answers_later: tool.is_long_running(),
        args,
        context,
    };
    Ok(invocation.wait(code.run_tool(call)).await??)
}

/// The arguments a function declares; others are dropped.
fn declared(params: &[Parameter], args: &Object) -> Object {
    let known = params.iter().filter_map(|param| Some((param.name.clone(), args.get(&param.name)?.clone())));
    known.collect()
}

/// What a call is answered with that lacks arguments.
fn missing(tool: &BoundTool, args: &Object) -> Option<Json> {
    let missing: Vec<&str> =
        tool.mandatory.iter().map(|name| &**name).filter(|name| !args.contains_key(name)).collect();
    (!missing.is_empty()).then(|| {
        let places = [("NAME", &*tool.name), ("PARAMETERS", &*missing.join("\n"))];
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
