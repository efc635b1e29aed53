//! Calls that a person has to approve.

use std::sync::Arc;

use strata_engine::adk_text::{CONFIRMATION_REJECTED, CONFIRMATION_REQUIRED, REQUEST_CONFIRMATION};
use strata_model::app::Confirmation;
use strata_model::{Content, Event, FromJson as _, FunctionCall, Object, Part};

use super::{BoundTool, ToolKind};
use crate::adk_text::{CONFIRMATION_HINT, filled};
use crate::context::{Context, InvocationContext};
use crate::hooks::own_event;

/// What a call is answered with in place of being run; `None`: it may run.
pub(crate) fn gate(context: &Context, tool: &BoundTool, args: &Object) -> Option<&'static str> {
    if !is_required(context, tool, args) {
        return None;
    }
    match context.confirmation() {
        None => {
            let hint = filled(CONFIRMATION_HINT, &[("NAME", &tool.name)]);
            // A call always has an id by the time it runs.
            let _ = context.request_confirmation(&hint, None);
            Some(CONFIRMATION_REQUIRED)
        }
        Some(confirmation) if !confirmation.is_confirmed => Some(CONFIRMATION_REJECTED),
        Some(_) => None,
    }
}

fn is_required(context: &Context, tool: &BoundTool, args: &Object) -> bool {
    let (ToolKind::Function { confirmation, .. } | ToolKind::TypedFunction { confirmation, .. }) = &tool.kind
    else {
        return false;
    };
    match confirmation {
        Confirmation::Never => false,
        Confirmation::Always => true,
        Confirmation::Depends { rule } => {
            context.invocation().run.host.code.requires_confirmation(&tool.name, rule, args)
        }
    }
}

/// The event that asks for approval of the calls that need it.
pub(crate) fn request_event(
    invocation: &InvocationContext,
    calls: &[FunctionCall],
    answers: &Event,
) -> Option<Event> {
    let requested = &answers.actions.requested_tool_confirmations;
    if requested.is_empty() {
        return None;
    }
    let mut ids = Vec::new();
    let mut parts = Vec::new();
    for (call_id, request) in requested.iter() {
        let Some(call) = calls.iter().find(|call| call.id.as_ref() == Some(call_id)) else { continue };
        let mut args = Object::from_iter([("originalFunctionCall", call.to_json())]);
        args.push("toolConfirmation", request.clone());
        let id = invocation.run.new_call_id();
        ids.push(id.clone());
        parts.push(Part::from_call(FunctionCall {
            id: Some(id),
            name: Some(REQUEST_CONFIRMATION.into()),
            args: Some(Arc::new(args)),
            ..FunctionCall::default()
        }));
    }
    Some(Event {
        content: Some(Arc::new(Content::new("model", parts))),
        long_running_tool_ids: Some(ids),
        ..own_event(invocation)
    })
}

/// Whether some answer of an event does not wait for approval.
pub(crate) fn has_settled_answers(answers: &Event) -> bool {
    let requested = &answers.actions.requested_tool_confirmations;
    answers
        .function_responses()
        .any(|response| response.id.as_deref().is_none_or(|id| !requested.contains_key(id)))
}
