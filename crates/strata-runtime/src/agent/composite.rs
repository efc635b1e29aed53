//! Agents that run others one after the other.

use std::sync::Arc;

use strata_engine::AgentId;
use strata_model::{Agent, Event, Json, Object, Str};

use crate::agent_mark::{AgentMark, reset_below};
use crate::context::InvocationContext;
use crate::event_rules::pauses;
use crate::events::Outlet;
use crate::halt::Halt;

/// What a member's events say about going on.
#[derive(Default)]
struct Seen {
    escalates: bool,
    pauses: bool,
}

/// Runs a member and passes on its events.
async fn member(
    invocation: &InvocationContext,
    agent: AgentId,
    outlet: &Outlet,
    seen: &mut Seen,
) -> Result<(), Halt> {
    let mut events = invocation.events_of(agent);
    while let Some(event) = events.next().await? {
        let watched: Event = event.clone();
        outlet.emit(event).await;
        seen.escalates |= watched.actions.escalate == Some(true);
        seen.pauses |= pauses(&invocation.run.session.lock(), &watched);
    }
    Ok(())
}

fn members(invocation: &InvocationContext) -> Result<Vec<(AgentId, Str)>, Halt> {
    let index = invocation.index();
    let ids = index.sub_agents(invocation.agent_id()?);
    Ok(ids.iter().map(|id| (*id, index.agent(*id).name.clone())).collect())
}

fn place_of(members: &[(AgentId, Str)], name: &str) -> Option<usize> {
    members.iter().position(|(_, known)| **known == *name)
}

fn current(state: &Object) -> &str {
    state.get("current_sub_agent").and_then(Json::as_str).unwrap_or_default()
}

/// Runs the members in order.
pub(super) async fn sequence(
    invocation: &InvocationContext,
    agent: &Arc<Agent>,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let members = members(invocation)?;
    if members.is_empty() {
        return Ok(());
    }
    let mark = AgentMark::of(invocation, &agent.name);
    let is_resumable = invocation.run.is_resumable;
    let state = mark.state();
    let first = match &state {
        None => 0,
        Some(state) if current(state).is_empty() => members.len(),
        Some(state) => place_of(&members, current(state)).unwrap_or(0),
    };
    let mut is_resuming = state.is_some();
    for (id, name) in &members[first..] {
        if !is_resuming && is_resumable {
            mark.set_state(Object::from_iter([("current_sub_agent", name.clone())]));
            outlet.emit(mark.event()).await;
        }
        let mut seen = Seen::default();
        member(invocation, *id, outlet, &mut seen).await?;
        if seen.pauses {
            return Ok(());
        }
        is_resuming = false;
    }
    if is_resumable {
        outlet.emit(mark.end_event()).await;
    }
    Ok(())
}

/// Runs the members in order, again and again.
pub(super) async fn repeat(
    invocation: &InvocationContext,
    agent: &Arc<Agent>,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let members = members(invocation)?;
    if members.is_empty() {
        return Ok(());
    }
    let mark = AgentMark::of(invocation, &agent.name);
    let is_resumable = invocation.run.is_resumable;
    let state = mark.state();
    let mut is_resuming = state.is_some();
    let mut n_rounds =
        state.as_ref().and_then(|state| state.get("times_looped")).and_then(Json::as_i64).unwrap_or(0);
    let mut first = state.as_ref().and_then(|state| place_of(&members, current(state))).unwrap_or(0);
    let mut seen = Seen::default();
    while agent.max_iterations.is_none_or(|most| n_rounds < most) && !seen.escalates && !seen.pauses {
        for (id, name) in &members[first..] {
            if is_resumable && !is_resuming {
                let mut state = Object::from_iter([("current_sub_agent", Json::from(name.clone()))]);
                state.push("times_looped", n_rounds);
                mark.set_state(state);
                outlet.emit(mark.event()).await;
            }
            is_resuming = false;
            member(invocation, *id, outlet, &mut seen).await?;
            if seen.escalates || seen.pauses {
                break;
            }
        }
        if !seen.pauses {
            first = 0;
            n_rounds += 1;
            reset_below(invocation, invocation.agent_id()?);
        }
    }
    if seen.pauses {
        return Ok(());
    }
    if is_resumable {
        outlet.emit(mark.end_event()).await;
    }
    Ok(())
}
