//! Steps until the agent has nothing to add: each makes a request, calls the model, and runs the tools it asks for.

use super::answers::{answer, calls_of};
use super::resume::{Resume, decide};
use super::{call, compile};
use crate::context::InvocationContext;
use crate::event_rules::is_final_response;
use crate::events::{Events, Outlet};
use crate::halt::Halt;

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
