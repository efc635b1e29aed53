//! Runs whose root is a composite or an agent of the app's own kind.

use std::sync::Arc;

use strata_engine::AgentId;
use strata_model::{Content, Object, Part, Str};

use super::message;
use super::root::Root;
use super::sealing;
use super::telling::{End, hand_out, keep, may_run};
use crate::adk_text::{
    MESSAGE_REQUIRED, NO_EVENTS_TO_RESUME, NO_PARTS, NO_USER_MESSAGE, NOT_RESUMABLE, NOTHING_TO_RUN,
    UPLOADED_FILE, filled,
};
use crate::compaction;
use crate::context::InvocationContext;
use crate::halt::{Failure, Halt};
use crate::hooks;
use crate::marks::AgentMarks;
use crate::turn::{EventSink, Turn};

pub(super) async fn run(
    root: &Root,
    mut invocation: InvocationContext,
    turn: Turn,
    sink: &dyn EventSink,
) -> Result<(), Halt> {
    let Some(agent) = root.agent else { return Ok(()) };
    if !open(agent, &mut invocation, turn).await? {
        return Ok(());
    }
    let ended = answer(root, &invocation, sink).await;
    let is_unwanted = matches!(ended, Err(End::Unwanted));
    if let Err(End::Halt(Halt::Failed(failure))) = &ended {
        hooks::run_failed(&invocation, failure).await;
    }
    if invocation.run.is_aborted() {
        let _ = sealing::seal(root, &invocation).await;
    }
    if let Err(End::Halt(halt)) = ended {
        return Err(halt);
    }
    if let Err(halt) = hooks::after_run(&invocation).await {
        if let Halt::Failed(failure) = &halt {
            hooks::run_failed(&invocation, failure).await;
        }
        return if is_unwanted { Ok(()) } else { Err(halt) };
    }
    if is_unwanted || invocation.run.is_aborted() {
        return Ok(());
    }
    compaction::after_run(&invocation, root.agent).await
}

/// Finds the invocation and who goes on with it. False: there is nothing left to do.
async fn open(root: AgentId, invocation: &mut InvocationContext, turn: Turn) -> Result<bool, Halt> {
    let run = invocation.run.clone();
    let named = turn.invocation_id.clone().filter(|id| !id.is_empty());
    let refused = |text: &str| {
        let places = [("SESSION", &*run.key.session_id), ("USER", &*run.key.user_id)];
        Halt::from(Failure::value_error(filled(text, &places)))
    };
    if named.is_none() && turn.message.is_none() {
        return Err(refused(NOTHING_TO_RUN));
    }
    if !run.is_resumable {
        let Some(said) = turn.message else { return Err(refused(NOT_RESUMABLE)) };
        let answered = message::answered_invocation(invocation, &said).ok().flatten();
        begin(root, invocation, said, answered.or(named), &turn.state_delta).await?;
        return Ok(true);
    }
    let id = match &turn.message {
        Some(said) if message::has_responses(said) => message::resumed_by(invocation, said)?,
        _ => named,
    };
    match (id, turn.message) {
        (Some(id), said) => go_on(root, invocation, said, id, &turn.state_delta).await,
        (None, Some(said)) => {
            begin(root, invocation, said, None, &turn.state_delta).await?;
            Ok(true)
        }
        (None, None) => Err(refused(MESSAGE_REQUIRED)),
    }
}

async fn begin(
    root: AgentId,
    invocation: &mut InvocationContext,
    said: Content,
    id: Option<Str>,
    state_delta: &Object,
) -> Result<(), Halt> {
    invocation.id = id.unwrap_or_else(|| format!("e-{}", invocation.run.new_id()).into());
    take_message(invocation, said.clone(), state_delta).await?;
    let heard = invocation.user_content.clone();
    let answered = message::answered_invocation(invocation, heard.as_deref().unwrap_or(&said));
    message::choose_agent(invocation, root, None, answered.ok().flatten().as_deref());
    Ok(())
}

async fn go_on(
    root: AgentId,
    invocation: &mut InvocationContext,
    said: Option<Content>,
    id: Str,
    state_delta: &Object,
) -> Result<bool, Halt> {
    let run = invocation.run.clone();
    if run.session.lock().log.is_empty() {
        let message = filled(NO_EVENTS_TO_RESUME, &[("ID", &run.key.session_id)]);
        return Err(Failure::value_error(message).into());
    }
    invocation.id = id.clone();
    match said {
        Some(said) => {
            invocation.user_content = Some(Arc::new(said.clone()));
            take_message(invocation, said, state_delta).await?;
        }
        None => {
            let Some(first) = message::first_message(invocation, &id) else {
                let message = filled(NO_USER_MESSAGE, &[("ID", &id)]);
                return Err(Failure::value_error(message).into());
            };
            invocation.user_content = Some(first);
            if !state_delta.is_empty() {
                message::store(invocation, None, state_delta).await?;
            }
        }
    }
    let marks = AgentMarks::read(run.session.lock().events_of(&id).iter().map(|event| &**event));
    let has_root_ended = marks.has_end_mark(&run.program.index().agent(root).name);
    *run.marks.lock() = marks;
    if !has_root_ended {
        message::choose_agent(invocation, root, None, Some(&id));
    }
    let name = invocation.agent_name();
    let has_ended = run.marks.lock().has_ended(&name);
    Ok(!has_ended)
}

/// Stores what the user said, unless the invocation has its message already.
async fn take_message(
    invocation: &mut InvocationContext,
    said: Content,
    state_delta: &Object,
) -> Result<(), Halt> {
    if !message::has_responses(&said) && message::first_message(invocation, &invocation.id).is_some() {
        return Ok(());
    }
    let replaced = hooks::on_user_message(invocation, &said).await?;
    let is_replaced = replaced.is_some();
    let said = replaced.unwrap_or(said);
    if said.parts().is_empty() {
        return Err(Failure::value_error(NO_PARTS).into());
    }
    message::check_calls(&said)?;
    let kept = if invocation.run.config.save_input_blobs_as_artifacts {
        saved_files(invocation, &said).await?
    } else {
        said.clone()
    };
    if is_replaced || kept != said {
        invocation.user_content = Some(Arc::new(kept.clone()));
    }
    message::store(invocation, Some(kept), state_delta).await?;
    Ok(())
}

/// The message with files in it saved as artifacts, and a note in place of each.
async fn saved_files(invocation: &InvocationContext, said: &Content) -> Result<Content, Failure> {
    let run = &invocation.run;
    let Some(artifacts) = &run.services.artifacts else { return Ok(said.clone()) };
    let mut parts = said.parts().to_vec();
    for (at, part) in parts.iter_mut().enumerate().filter(|(_, part)| part.inline_data.is_some()) {
        let name = format!("artifact_{}_{at}", invocation.id);
        artifacts.save(&run.key, &name, Some(part.clone())).await?;
        *part = Arc::new(Part::from_text(filled(UPLOADED_FILE, &[("NAME", &name)])));
    }
    Ok(Content { parts: Some(parts), ..said.clone() })
}

async fn answer(root: &Root, invocation: &InvocationContext, sink: &dyn EventSink) -> Result<(), End> {
    if !may_run(invocation, sink).await? {
        return Ok(());
    }
    let run = &invocation.run;
    if !run.is_aborted() {
        let mut events = invocation.events_of(invocation.agent_id()?);
        while let Some(event) = invocation.wait(events.next()).await?? {
            let kept = keep(invocation, event).await?;
            hand_out(sink, kept).await?;
            if run.is_aborted() {
                break;
            }
        }
    }
    if run.is_aborted() {
        for event in sealing::seal(root, invocation).await? {
            hand_out(sink, event).await?;
        }
    }
    Ok(())
}
