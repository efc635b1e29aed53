//! The turn of an agent: what is asked around it, and what it does.

mod composite;
mod parallel;

use futures_util::future::BoxFuture;
use strata_engine::AgentId;
use strata_model::app::AgentKind;

use crate::context::{AgentCall, Context, InvocationContext};
use crate::events::{Events, Outlet};
use crate::halt::Halt;
use crate::hooks;
use crate::llm;

/// Runs an agent's turn in the invocation of whoever runs it.
pub(crate) fn run(
    parent: &InvocationContext,
    agent: AgentId,
    outlet: Outlet,
) -> BoxFuture<'static, Result<(), Halt>> {
    let invocation = parent.for_agent(agent);
    Box::pin(async move {
        match turn(&invocation, &outlet).await {
            Err(Halt::Failed(failure)) => {
                hooks::agent_failed(&invocation, &failure).await;
                Err(Halt::Failed(failure))
            }
            ended => ended,
        }
    })
}

async fn turn(invocation: &InvocationContext, outlet: &Outlet) -> Result<(), Halt> {
    if let Some(mut event) = hooks::before_agent(invocation).await? {
        llm::keep_output(invocation, &mut event)?;
        outlet.emit(event).await;
    }
    if invocation.is_ended() {
        return Ok(());
    }
    let worked = work(invocation, outlet).await;
    if worked == Err(Halt::Cancelled) && !invocation.is_ended() {
        // What was opened before is closed; nobody hears of it any more.
        let _ = hooks::after_agent(&invocation.shielded()).await;
    }
    worked?;
    if invocation.is_ended() {
        return Ok(());
    }
    if let Some(event) = hooks::after_agent(invocation).await? {
        outlet.emit(event).await;
    }
    Ok(())
}

async fn work(invocation: &InvocationContext, outlet: &Outlet) -> Result<(), Halt> {
    let config = invocation.agent_config()?;
    match config.kind {
        AgentKind::Llm => llm::work(invocation, outlet).await,
        AgentKind::Sequential => composite::sequence(invocation, &config, outlet).await,
        AgentKind::Loop => composite::repeat(invocation, &config, outlet).await,
        AgentKind::Parallel => parallel::work(invocation, &config, outlet).await,
        AgentKind::Custom => {
            let context = Context::of_callback(invocation);
            let host = invocation.run.host.code.clone();
            let own = invocation.clone();
            let agent = config.clone();
            let events = Events::new(|outlet| async move {
                let call = AgentCall { agent: &agent, context: &context, outlet };
                own.wait(host.run_agent(call)).await?
            });
            forward_completed(invocation, events, outlet).await
        }
        AgentKind::Workflow => Ok(()),
    }
}

/// Passes on the events of the app's own code, with what every event has.
async fn forward_completed(
    invocation: &InvocationContext,
    mut events: Events<'_>,
    outlet: &Outlet,
) -> Result<(), Halt> {
    while let Some(mut event) = events.next().await? {
        let made = hooks::own_event(invocation);
        if event.id.is_empty() {
            event.id = made.id;
            event.timestamp = made.timestamp;
        }
        if event.author.is_empty() {
            event.author = made.author;
        }
        if event.invocation_id.is_empty() {
            event.invocation_id = made.invocation_id;
        }
        if event.branch.is_none() {
            event.branch = made.branch;
        }
        outlet.emit(event).await;
    }
    Ok(())
}
