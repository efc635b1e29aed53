//! Where one agent goes on after another.

use std::collections::BTreeMap;

use strata_engine::{Call, Experiment};
use strata_model::{EventIndex, Str};

/// How it came to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// The agent before it, or a tool of it, transferred to this one.
    Transfer,
    /// The agent before it called this one as a tool, or started it as a sub-agent.
    Started,
    /// The agent had called or started the one before it, which is done.
    Returned,
    /// The flow of the app: a sequence, a loop, a workflow.
    Flow,
}

/// The first call of an agent after a call of another in the same turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HandOff {
    /// The last call of the agent before, and the first one of this agent.
    pub from: u32,
    pub to: u32,
    pub via: Via,
    /// The event that transferred or called.
    pub event: Option<EventIndex>,
}

/// A call with what tells whose it is.
struct Lane<'e> {
    agent: &'e Str,
    branch: &'e str,
    call: &'e Call,
}

/// Every hand-off of a session among its first so many calls, in order. Branches that run at the same time hand nothing to one another.
pub fn hand_offs(experiment: &Experiment, n_calls: usize) -> Vec<HandOff> {
    let mut found = Vec::new();
    let mut turn = 0;
    // The last call on each branch of the turn.
    let mut latest: BTreeMap<&str, Lane<'_>> = BTreeMap::new();
    for call in experiment.calls().iter().take(n_calls) {
        if call.turn != turn {
            latest.clear();
            turn = call.turn;
        }
        let branch = call.invocation.branch.as_deref().unwrap_or_default();
        let lane = Lane { agent: &call.invocation.agent, branch, call };
        let related = latest.values().filter(|other| is_related(other.branch, branch));
        if let Some(before) = related.max_by_key(|other| other.call.number)
            && (before.agent != lane.agent || before.branch != lane.branch)
        {
            found.push(between(experiment, before, &lane));
        }
        latest.insert(branch, lane);
    }
    found
}

fn is_related(a: &str, b: &str) -> bool {
    a == b || is_below(a, b) || is_below(b, a)
}

fn is_below(a: &str, b: &str) -> bool {
    b.is_empty() || a.strip_prefix(b).is_some_and(|rest| rest.starts_with('.'))
}

fn between(experiment: &Experiment, before: &Lane<'_>, after: &Lane<'_>) -> HandOff {
    let hand_off = |via, event| HandOff { from: before.call.number, to: after.call.number, via, event };
    let events = &experiment.session().events;
    let (first, last) = (before.call.answer.as_usize(), after.call.answer.as_usize());
    let mut since = (first..last.min(events.len())).filter_map(|at| Some((at, events.get(at)?)));
    if let Some((at, _)) =
        since.clone().find(|(_, event)| event.actions.transfer_to_agent.as_ref() == Some(after.agent))
    {
        return hand_off(Via::Transfer, Some(EventIndex(at as u32)));
    }
    if before.branch != after.branch && is_below(before.branch, after.branch) {
        return hand_off(Via::Returned, None);
    }
    let called =
        since.find(|(_, event)| event.function_calls().any(|call| call.name.as_ref() == Some(after.agent)));
    match called {
        Some((at, _)) => hand_off(Via::Started, Some(EventIndex(at as u32))),
        None if before.branch != after.branch => hand_off(Via::Started, None),
        None => hand_off(Via::Flow, None),
    }
}
