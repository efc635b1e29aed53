//! Steps until the agent has nothing to add: each makes a request, calls the model, and runs the tools it asks for.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::{Content, Event, FunctionCall, Part};

use super::resume::{Resume, decide};
use super::{call, compile};
use crate::agent;
use crate::event_rules::is_final_response;
use crate::events::{Events, Outlet};
use crate::halt::Halt;
use crate::hooks::own_event;
use crate::invocation::InvocationContext;
use crate::structured;
use crate::tools::{Tools, confirmation, credentials, run_calls};

/// Runs steps until one of them is the last.
pub(super) async fn run(invocation: &InvocationContext, outlet: &Outlet) -> Result<(), Halt> {
    let run = &invocation.run;
    while !run.is_aborted() {
        let mut is_last = true;
        let mut events = Events::new(|outlet| async move { step(invocation, &outlet).await });
        while let Some(event) = events.next().await? {
            is_last = is_final_response(&event) || event.partial == Some(true);
            outlet.emit(event).await;
            if run.is_aborted() {
                return Ok(());
            }
        }
        if is_last {
            return Ok(());
        }
    }
    Ok(())
}

/// One step.
async fn step(invocation: &InvocationContext, outlet: &Outlet) -> Result<(), Halt> {
    let mut compiling = compile::Compiling::new(invocation)?;
    let mut has_answered = false;
    let mut events = Events::new(|outlet| compiling.assemble(outlet));
    while let Some(event) = events.next().await? {
        has_answered |= event.function_responses().next().is_some() && is_final_response(&event);
        outlet.emit(event).await;
    }
    drop(events);
    if invocation.is_ended() || has_answered {
        return Ok(());
    }
    let tools = compiling.tools()?;
    let decision = {
        let live = invocation.run.session.lock();
        let events = compile::branch_events(invocation, &live, Some(&invocation.id));
        decide(invocation, &live, &events, &tools)
    };
    match decision {
        Resume::Pause => Ok(()),
        Resume::Replay(event) => {
            let calls = calls_of(&event);
            let mut events =
                Events::new(|outlet| async move { answer(invocation, &calls, tools, &outlet).await });
            while let Some(mut event) = events.next().await? {
                event.id = invocation.run.new_id();
                outlet.emit(event).await;
            }
            Ok(())
        }
        Resume::Continue => call::run(invocation, compiling, tools, outlet).await,
    }
}

pub(super) fn calls_of(event: &Event) -> Vec<FunctionCall> {
    event.function_calls().cloned().collect()
}

/// Runs calls, and tells what came of them and what they ask for.
pub(super) async fn answer(
    invocation: &InvocationContext,
    calls: &[FunctionCall],
    tools: Tools,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let answers = match run_calls(invocation, calls, tools, &HashMap::new()).await {
        Ok(answers) => answers,
        Err(stopped) => {
            if let Some(kept) = stopped.kept {
                outlet.emit(kept).await;
            }
            return Err(stopped.halt);
        }
    };
    let Some(mut answers) = answers else { return Ok(()) };
    if let Some(request) = credentials::request_event(invocation, &answers) {
        outlet.emit(request).await;
        invocation.end();
    }
    let target = answers.actions.transfer_to_agent.clone();
    let response = structured::model_response(&answers);
    match confirmation::request_event(invocation, calls, &answers) {
        None => outlet.emit(answers).await,
        Some(request) if confirmation::has_settled_answers(&answers) => {
            answers.actions.skip_summarization = None;
            outlet.emit(answers).await;
            outlet.emit(request).await;
        }
        Some(request) => {
            outlet.emit(request).await;
            outlet.emit(answers).await;
        }
    }
    if let Some(text) = response {
        let content = Content::new("model", [Part::from_text(text)]);
        outlet.emit(Event { content: Some(Arc::new(content)), ..own_event(invocation) }).await;
    }
    if let Some(target) = target {
        // Nodes have let go of this agent by now; outside of nodes the other one runs inside of it.
        let target = call::transfer_target(invocation, &target)?;
        agent::events_of(invocation, target).forward(outlet).await?;
    }
    Ok(())
}
