//! Plugins of google-adk that act while an app runs.

use std::sync::Arc;

use strata_model::{Content, Json, Object, Part, json};

use crate::adk_text::{REFLECT, REFLECT_EXCEEDED, REFLECT_TYPE, UPLOADED_ARTIFACT, filled};
use crate::context::{Context, InvocationContext};
use crate::halt::{Failure, Halt};
use crate::host::ToolResult;

/// Advice in place of a tool's failure; the failure itself, once it has failed too often in a row.
pub(super) fn reflect(
    invocation: &InvocationContext,
    tool: &str,
    args: &Object,
    failure: &Failure,
    max_retries: i64,
    throws: bool,
) -> Result<Json, Failure> {
    let n_failures =
        if max_retries == 0 { 1 } else { invocation.run.program.tool_failures.count(&invocation.id, tool) };
    let is_exceeded = n_failures > max_retries;
    if is_exceeded && throws {
        return Err(failure.clone());
    }
    let details = format!("{}: {}", failure.kind, failure.text());
    let args = json::to_pretty(&args.clone().into());
    let count = if is_exceeded { max_retries } else { n_failures };
    let places = [
        ("TOOL", tool),
        ("ERROR", &*details),
        ("ARGS", &*args),
        ("N", &*count.to_string()),
        ("MOST", &*max_retries.to_string()),
    ];
    let guidance = filled(if is_exceeded { REFLECT_EXCEEDED } else { REFLECT }, &places);
    let mut advice = Object::from_iter([("response_type", Json::from(REFLECT_TYPE))]);
    advice.push("error_type", failure.kind.clone());
    advice.push("error_details", failure.text());
    advice.push("retry_count", count);
    advice.push("reflection_guidance", guidance);
    Ok(advice.into())
}

/// A tool that works has not failed in a row any more.
pub(super) fn tool_worked(invocation: &InvocationContext, tool: &str, result: &ToolResult) {
    let is_advice = result.value.get("response_type").and_then(Json::as_str) == Some(REFLECT_TYPE);
    if !is_advice {
        invocation.run.program.tool_failures.forget(&invocation.id, tool);
    }
}

/// Where saved files wait for an event to tell of them.
pub(super) const PENDING_DELTA: &str = "save_files_as_artifacts_plugin:pending_delta";

/// The message with its files saved as artifacts, and their names in their place. `None`: there are none.
pub(super) async fn save_files(context: &Context, message: &Content) -> Result<Option<Content>, Halt> {
    let invocation = context.invocation();
    let Some(artifacts) = invocation.run.services.artifacts.clone() else { return Ok(Some(message.clone())) };
    let mut parts: Vec<Arc<Part>> = Vec::new();
    let mut saved = Object::new();
    for (at, part) in message.parts().iter().enumerate() {
        let Some(blob) = &part.inline_data else {
            parts.push(part.clone());
            continue;
        };
        let given = blob.display_name.as_deref().filter(|name| !name.is_empty());
        let name = given.map_or_else(|| format!("artifact_{}_{at}", invocation.id), str::to_owned);
        // A file that cannot be saved stays where it is.
        match artifacts.save(&invocation.run.key, &name, Some(part.clone())).await {
            Ok(version) => {
                let text = filled(UPLOADED_ARTIFACT, &[("NAME", &name)]);
                parts.push(Arc::new(Part::from_text(text)));
                saved.insert(name, version);
            }
            Err(_) => parts.push(part.clone()),
        }
    }
    if saved.is_empty() {
        return Ok(None);
    }
    let mut session = invocation.run.session.lock();
    let mut pending = session.state.get(PENDING_DELTA).and_then(Json::as_object).cloned().unwrap_or_default();
    pending.update(&saved);
    session.state.insert(PENDING_DELTA, pending);
    drop(session);
    Ok(Some(Content { parts: Some(parts), ..message.clone() }))
}

/// Tells of the files that were saved when the user spoke.
pub(super) fn tell_saved(context: &Context) -> Result<(), Failure> {
    let pending = context.state_value(PENDING_DELTA);
    let Some(Json::Object(pending)) = pending.filter(Json::is_truthy) else { return Ok(()) };
    context.edit_actions(|actions| actions.artifact_delta.update(&pending));
    context.set_state(PENDING_DELTA, Object::new())
}
