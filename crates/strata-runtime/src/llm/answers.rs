//! What follows from the calls of a model: they are run, and what came of them is told.

use std::collections::HashMap;
use std::sync::Arc;

use strata_engine::AgentId;
use strata_model::{Content, Event, FunctionCall, Part};

use crate::adk_text::{AGENT_NOT_FOUND, TRANSFER_NOT_ALLOWED, filled};
use crate::context::InvocationContext;
use crate::events::Outlet;
use crate::halt::{Failure, Halt};
use crate::hooks::own_event;
use crate::structured;
use crate::tools::{Tools, confirmation, credentials, run_calls};

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
        let target = transfer_target(invocation, &target)?;
        invocation.events_of(target).forward(outlet).await?;
    }
    Ok(())
}

/// The agent that is handed over to from inside a composite: only one that was declared.
fn transfer_target(invocation: &InvocationContext, target: &str) -> Result<AgentId, Halt> {
    let index = invocation.index();
    let own = invocation.agent_id()?;
    let name = |id: AgentId| &index.agent(id).name;
    if index.find_below(index.root(own), target).is_none() {
        return Err(Failure::value_error(filled(AGENT_NOT_FOUND, &[("NAME", target)])).into());
    }
    if **name(own) == *target {
        return Ok(own);
    }
    let declared = index.transfer_targets(own).into_iter().find(|id| **name(*id) == *target);
    declared.ok_or_else(|| {
        let places = [("FROM", &**name(own)), ("TO", target)];
        Failure::value_error(filled(TRANSFER_NOT_ALLOWED, &places)).into()
    })
}
