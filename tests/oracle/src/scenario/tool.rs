//! Runs of scripted tools.

use strata_model::{EventActions, FromJson as _, Json, Object, Part};
use strata_runtime::{Context, Failure, Halt, ToolCall, ToolResult};

use super::behaviour::{Editing, perform};
use super::script::failure;
use super::scripted::Scripted;
use super::value::{flag, items, number, object, text};
use crate::vector::given::read;

pub(super) async fn run(host: &Scripted, call: ToolCall<'_>) -> Result<ToolResult, Failure> {
    host.journal.tool_call(call.tool, call.args, call.context);
    let step = host.script.tool_run(call.tool);
    if !flag(Some(&step), "$step") {
        return Ok(ToolResult::new(step));
    }
    let mut args = call.args.clone();
    let result = perform_step(&step, call.context, &mut args).await?;
    let media = object(&step, "media");
    Ok(ToolResult { value: result, media: media.values().map(read::<Part>).collect() })
}

async fn perform_step(step: &Json, context: &Context, args: &mut Object) -> Result<Json, Failure> {
    if let Some(seconds) = number(step, "delay")
        && let Err(Halt::Failed(failure)) = context.sleep(seconds).await
    {
        return Err(failure);
    }
    for (key, value) in object(step, "state") {
        context.set_state(key, value)?;
    }
    perform(items(step, "do"), context, &mut Editing::Args(args)).await?;
    for (name, part) in object(step, "artifacts").iter() {
        context.save_artifact(name, read(part)).await?;
    }
    if let Some(actions) = step.get("actions") {
        let set: EventActions = read(actions);
        context.edit_actions(|actions| set_actions(actions, &set));
    }
    if let Some(refusal) = confirm(step, context)? {
        return Ok(refusal);
    }
    if let Some(config) = step.get("auth").and_then(Json::as_object) {
        return match context.credential(config) {
            Some(credential) => Ok(Object::from_iter([("credential", credential)]).into()),
            None => {
                context.request_credential(config.clone())?;
                Ok(step.get("pending").cloned().unwrap_or_default())
            }
        };
    }
    if let Some(raised) = step.get("raise").filter(|raised| !raised.is_null()) {
        return Err(failure(raised));
    }
    answer(step, context, args).await
}

fn set_actions(actions: &mut EventActions, set: &EventActions) {
    let fill = |slot: &mut Option<bool>, value: Option<bool>| *slot = value.or(*slot);
    fill(&mut actions.escalate, set.escalate);
    fill(&mut actions.skip_summarization, set.skip_summarization);
    if set.transfer_to_agent.is_some() {
        actions.transfer_to_agent.clone_from(&set.transfer_to_agent);
    }
    if set.route.is_some() {
        actions.route.clone_from(&set.route);
    }
}

/// What is answered while a call waits for approval, or was refused.
fn confirm(step: &Json, context: &Context) -> Result<Option<Json>, Failure> {
    use strata_engine::adk_text::{CONFIRMATION_REJECTED, CONFIRMATION_REQUIRED};
    let Some(hint) = text(step, "confirm") else { return Ok(None) };
    let refusal = match context.confirmation() {
        None => {
            context.request_confirmation(&hint, step.get("confirm_payload").cloned())?;
            if !flag(Some(step), "keep_summarization") {
                context.edit_actions(|actions| actions.skip_summarization = Some(true));
            }
            CONFIRMATION_REQUIRED
        }
        Some(said) if !said.is_confirmed => CONFIRMATION_REJECTED,
        Some(_) => return Ok(None),
    };
    Ok(Some(strata_engine::turn::tool_calls::error_result(refusal)))
}

async fn answer(step: &Json, context: &Context, args: &Object) -> Result<Json, Failure> {
    let one = |key: &str, value: Json| Json::from(Object::from_iter([(key, value)]));
    let set = |key: &str| step.get(key).filter(|value| value.is_truthy());
    if set("echo").is_some() {
        return Ok(one("echo", args.clone().into()));
    }
    if let Some(key) = set("read_state").and_then(Json::as_str) {
        return Ok(one("value", context.state_value(key).unwrap_or_default()));
    }
    if let Some(name) = set("load_artifact").and_then(Json::as_str) {
        let version = step.get("version").and_then(Json::as_i64);
        let part = context.load_artifact(name, version).await?;
        return Ok(one("artifact", part.map_or(Json::Null, |part| part.to_json())));
    }
    if set("list_artifacts").is_some() {
        let names = context.list_artifacts().await?.into_iter().map(Json::String);
        return Ok(one("files", names.collect::<Vec<_>>().into()));
    }
    if let Some(query) = set("search_memory").and_then(Json::as_str) {
        let found = context.search_memory(query).await?;
        let texts: Vec<Json> = found.iter().map(|memory| memory.text().into()).collect();
        return Ok(one("found", texts.into()));
    }
    if set("confirmation_payload").is_some() {
        let payload = context.confirmation().map(|said| said.payload.clone());
        return Ok(one("payload", payload.unwrap_or_default()));
    }
    Ok(step.get("result").cloned().unwrap_or_default())
}
