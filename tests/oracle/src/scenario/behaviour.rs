//! What callbacks, plugins and tools do besides answering.

use strata_model::{Contents, Json, LlmRequest, Object, Origin, RichText};
use strata_runtime::{Context, Failure, Halt};

use super::script::failure;
use super::value::{items, number, object, sum, text};
use crate::vector::given::read;

/// What code may edit besides its context.
pub(super) enum Editing<'e> {
    Nothing,
    Request(&'e mut LlmRequest),
    Args(&'e mut Object),
}

pub(super) async fn perform(
    ops: &[Json],
    context: &Context,
    editing: &mut Editing<'_>,
) -> Result<(), Failure> {
    for op in ops {
        match &*text(op, "op").unwrap_or_default() {
            "sleep" => match context.sleep(number(op, "seconds").unwrap_or_default()).await {
                Err(Halt::Failed(failure)) => return Err(failure),
                // What is stopped here is stopped by whoever waits for it.
                Ok(()) | Err(Halt::Interrupted | Halt::Cancelled) => {}
            },
            "save_artifact" => {
                let part = read(op.get("part").unwrap_or(&Json::Null));
                context.save_artifact(&text(op, "filename").unwrap_or_default(), part).await?;
            }
            "remember" => context.remember_session().await?,
            "raise" => return Err(failure(op)),
            _ => perform_now(op, context, editing)?,
        }
    }
    Ok(())
}

fn perform_now(op: &Json, context: &Context, editing: &mut Editing<'_>) -> Result<(), Failure> {
    let key = || text(op, "key").unwrap_or_default();
    let value = || op.get("value").cloned().unwrap_or_default();
    match &*text(op, "op").unwrap_or_default() {
        "set_state" => {
            for (key, value) in object(op, "values") {
                context.set_state(key, value)?;
            }
        }
        "bump_state" => {
            let by = op.get("by").cloned().unwrap_or(Json::Int(1));
            let before = context.state_value(&key()).unwrap_or(Json::Int(0));
            context.set_state(key(), sum(&[before, by]))?;
        }
        "append_state" => edit(context, &key(), |list| {
            if let Json::Array(items) = list {
                items.push(value());
            }
        })?,
        "put_state" => edit(context, &key(), |dict| {
            if let Json::Object(members) = dict {
                members.insert(text(op, "field").unwrap_or_default(), value());
            }
        })?,
        "end_invocation" => context.end_invocation(),
        "escalate" => context.edit_actions(|actions| actions.escalate = Some(true)),
        "skip_summarization" => context.edit_actions(|actions| actions.skip_summarization = Some(true)),
        "transfer" => context.edit_actions(|actions| actions.transfer_to_agent = text(op, "agent")),
        "append_instruction" => {
            if let Editing::Request(request) = editing {
                let origin = Origin::Extension { name: "append_instruction".into() };
                request.append_system(RichText::from_span(text(op, "text").unwrap_or_default(), origin));
            }
        }
        "keep_last_contents" => {
            if let Editing::Request(request) = editing {
                let count = number(op, "count").unwrap_or_default() as usize;
                let skipped = request.contents.len().saturating_sub(count);
                let kept: Contents = request.contents.iter().skip(skipped).cloned().collect();
                request.contents = kept;
            }
        }
        "set_args" => {
            if let Editing::Args(args) = editing {
                **args = object(op, "args");
            }
        }
        "put_arg" => {
            if let Editing::Args(args) = editing {
                args.insert(key(), value());
            }
        }
        unknown => panic!("no behaviour does {unknown}: {:?}", items(op, "op")),
    }
    Ok(())
}

fn edit(context: &Context, key: &str, edit: impl FnOnce(&mut Json)) -> Result<(), Failure> {
    if context.state_value(key).is_none() {
        return Err(Failure::new("KeyError", key));
    }
    context.edit_state(key, edit);
    Ok(())
}
