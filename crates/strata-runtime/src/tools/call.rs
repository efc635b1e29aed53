//! One call: hooks, approval, the tool itself, and the event that answers.

use std::sync::Arc;

use strata_engine::turn::tool_calls::{
    ToolConfirmation, error_result, response_part, shown_result, tool_not_found,
};
use strata_model::{Content, Event, FunctionCall, Object, Part, Str};

use super::{BoundTool, SharedTools, ToolKind, confirmation, invoke};
use crate::context::{Context, InvocationContext};
use crate::halt::{Failure, Halt};
use crate::hooks::{self, ToolHooks};
use crate::host::ToolResult;

/// Runs a call; `None`: the answer comes later.
pub(super) async fn run_call(
    invocation: InvocationContext,
    call: FunctionCall,
    tools: SharedTools,
    confirmation: Option<ToolConfirmation>,
) -> Result<Option<Event>, Halt> {
    let context = Context::of_call(&invocation, call.id.clone(), confirmation);
    let mut args = call.args.as_deref().cloned().unwrap_or_default();
    let name: Str = call.name.clone().unwrap_or_else(|| "<unnamed>".into());
    let hooks = ToolHooks { invocation: &invocation, context: &context, tool: &name };
    let answered = hooks.before(&mut args).await?;
    let Some(tool) = call.name.as_deref().and_then(|name| tools.get(name)) else {
        return match answered {
            Some(result) => finish(&hooks, None, &call, &mut args, result).await,
            None => unknown(&hooks, &tools, &call, &mut args).await.map(Some),
        };
    };
    let result = match answered {
        Some(result) => result,
        None => run_tool(&hooks, tool, &mut args).await?,
    };
    finish(&hooks, Some(tool), &call, &mut args, result).await
}

/// The answer to a call of a tool that is not there.
async fn unknown(
    hooks: &ToolHooks<'_>,
    tools: &SharedTools,
    call: &FunctionCall,
    args: &mut Object,
) -> Result<Event, Halt> {
    let failure = Failure::value_error(format!("Tool '{}' not found.", hooks.tool));
    let recovered = hooks.on_error(args, &failure).await?;
    let result = recovered.unwrap_or_else(|| ToolResult::new(tool_not_found(hooks.tool, &tools.names())));
    Ok(answer(hooks, None, call, result))
}

async fn run_tool(hooks: &ToolHooks<'_>, tool: &BoundTool, args: &mut Object) -> Result<ToolResult, Halt> {
    let ran = match confirmation::gate(hooks.context, tool, args) {
        Some(refusal) => {
            if hooks.context.confirmation().is_none() {
                hooks.context.edit_actions(|actions| actions.skip_summarization = Some(true));
            }
            Ok(ToolResult::new(error_result(refusal)))
        }
        None => invoke(hooks.context, tool, args).await,
    };
    match ran {
        Err(Halt::Failed(failure)) => {
            let recovered = hooks.on_error(args, &failure).await?;
            recovered.ok_or(Halt::Failed(failure))
        }
        Err(Halt::Cancelled) => {
            hooks.cancelled(args).await;
            Err(Halt::Cancelled)
        }
        ran => ran,
    }
}

/// What hooks make of a result, and the event that tells it.
async fn finish(
    hooks: &ToolHooks<'_>,
    tool: Option<&BoundTool>,
    call: &FunctionCall,
    args: &mut Object,
    result: ToolResult,
) -> Result<Option<Event>, Halt> {
    let result = hooks.after(args, &result).await?.unwrap_or(result);
    if tool.is_some_and(BoundTool::may_answer_later) && !result.is_truthy() {
        return Ok(None);
    }
    Ok(Some(answer(hooks, tool, call, result)))
}

fn answer(hooks: &ToolHooks<'_>, tool: Option<&BoundTool>, call: &FunctionCall, result: ToolResult) -> Event {
    let actions = hooks.context.actions();
    let speaks = tool.is_some_and(|tool| {
        matches!(
            tool.kind,
            ToolKind::Agent { .. }
                | ToolKind::SingleTurn { .. }
                | ToolKind::Task { .. }
                | ToolKind::Node { .. }
        )
    });
    let shown = speaks.then(|| shown_result(&result.value, &actions)).flatten();
    let response = response_part(call.id.clone(), hooks.tool, result.value, &result.media);
    let parts = std::iter::once(response).chain(shown.map(Part::from_text));
    Event {
        content: Some(Arc::new(Content::new("user", parts))),
        actions,
        ..hooks::own_event(hooks.invocation)
    }
}
