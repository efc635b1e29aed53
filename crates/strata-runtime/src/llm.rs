//! An agent that calls a model: its turn is a flow of steps, each of which calls the model once.

mod answers;
mod call;
mod compile;
mod flow;
mod planning;
mod response;
mod resume;

use strata_engine::AgentId;
use strata_model::app::AgentMode;
use strata_model::{Agent, Event, Json, Str};

use crate::adk_text::{NOBODY_TO_RESUME, filled};
use crate::agent_mark::AgentMark;
use crate::context::InvocationContext;
use crate::event_rules::{is_final_response, pauses, text_of};
use crate::events::{Events, Outlet};
use crate::halt::{Failure, Halt};
use crate::schema;

/// The turn of an agent that calls a model.
pub(crate) async fn work(invocation: &InvocationContext, outlet: &Outlet) -> Result<(), Halt> {
    let config = invocation.agent_config()?;
    let mark = AgentMark::of(invocation, &config.name);
    if mark.state().is_some()
        && let Some(sub_agent) = agent_to_resume(invocation, &config.name)?
    {
        let mut has_paused = false;
        let mut events = invocation.events_of(sub_agent);
        while let Some(event) = events.next().await? {
            let watched = event.clone();
            outlet.emit(event).await;
            has_paused |= pauses(&invocation.run.session.lock(), &watched);
        }
        if !has_paused {
            outlet.emit(mark.end_event()).await;
        }
        return Ok(());
    }
    let mut has_paused = false;
    let mut said = String::new();
    let mut events = Events::new(|outlet| async move { flow::run(invocation, &outlet).await });
    while let Some(mut event) = events.next().await? {
        keep_output(invocation, &mut event)?;
        keep_said(&config, invocation, &mut event, &mut said);
        let watched = event.clone();
        outlet.emit(event).await;
        has_paused |= pauses(&invocation.run.session.lock(), &watched);
    }
    if has_paused || !invocation.run.is_resumable {
        return Ok(());
    }
    let waits = {
        let live = invocation.run.session.lock();
        let events = compile::branch_events(invocation, &live, Some(&invocation.id));
        events.iter().rev().take(2).any(|event| pauses(&live, event))
    };
    if !waits {
        outlet.emit(mark.end_event()).await;
    }
    Ok(())
}

/// Whether the words of this agent go to the state.
fn output_key<'a>(config: &'a Agent, invocation: &InvocationContext, event: &Event) -> Option<&'a Str> {
    let is_own = event.author == config.name && invocation.mode() != Some(AgentMode::Task);
    config.output_key.as_ref().filter(|key| is_own && !key.is_empty())
}

/// Writes the agent's last words to the state, by its schema if it has one.
pub(crate) fn keep_output(invocation: &InvocationContext, event: &mut Event) -> Result<(), Halt> {
    let config = invocation.agent_config()?;
    if !config.is_llm() {
        return Ok(());
    }
    let Some(key) = output_key(&config, invocation, event) else { return Ok(()) };
    let has_text = event.parts().iter().any(|part| part.text.is_some() && !part.is_thought());
    if !has_text || !is_final_response(event) {
        return Ok(());
    }
    let text = event.content.as_ref().map(|content| text_of(content)).unwrap_or_default();
    let value = match &config.output_schema {
        None => Json::from(text),
        Some(_) if strata_model::python::strip(&text).is_empty() => return Ok(()),
        Some(schema) => schema::validate_text(schema, &text)?,
    };
    event.actions.state_delta.insert(key.clone(), value);
    Ok(())
}

/// Writes all the agent has said in its turn to the state, so that words beside calls are kept, too.
fn keep_said(config: &Agent, invocation: &InvocationContext, event: &mut Event, said: &mut String) {
    let Some(key) = output_key(config, invocation, event) else { return };
    if config.output_schema.is_some() || event.partial == Some(true) {
        return;
    }
    let text = event.content.as_ref().map(|content| text_of(content)).unwrap_or_default();
    if text.is_empty() {
        return;
    }
    said.push_str(&text);
    event.actions.state_delta.insert(key.clone(), said.clone());
}

/// The agent whose turn goes on inside this one's: the one it handed over to.
fn agent_to_resume(invocation: &InvocationContext, name: &Str) -> Result<Option<AgentId>, Halt> {
    let live = invocation.run.session.lock();
    let events = compile::branch_events(invocation, &live, Some(&invocation.id));
    let Some(last) = events.last() else { return Ok(None) };
    let target = |event: &Event| -> Option<AgentId> {
        let target = event.actions.transfer_to_agent.as_deref()?;
        let answers =
            event.function_responses().any(|response| response.name.as_deref() == Some("transfer_to_agent"));
        let index = invocation.index();
        let root = index.root(invocation.agent?);
        (event.author == *name && answers).then(|| index.find_below(root, target)).flatten()
    };
    if last.author == *name {
        return Ok(target(last));
    }
    if last.is_from_user() {
        let id = last.function_responses().next().and_then(|response| response.id.clone());
        let of_run = live.events_of(&invocation.id);
        let makes =
            |event: &&std::sync::Arc<Event>| id.is_some() && event.function_calls().any(|call| call.id == id);
        let Some(call) = of_run.iter().rev().filter(|event| event.id != last.id).find(makes) else {
            return Err(Failure::value_error(filled(NOBODY_TO_RESUME, &[("NAME", name)])).into());
        };
        if call.author == *name {
            return Ok(None);
        }
    }
    Ok(events.iter().rev().find_map(|event| target(event)))
}
