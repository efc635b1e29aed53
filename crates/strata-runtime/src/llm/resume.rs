//! What is left over of earlier steps: calls that wait for answers, and calls that were never run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_engine::adk_text::{REQUEST_CREDENTIAL, REQUEST_INPUT};
use strata_engine::branch::run_ids;
use strata_model::{Content, Event, FunctionCall, FunctionResponse, Part, Str};

use crate::context::InvocationContext;
use crate::event_rules::{interrupt_ids, pauses};
use crate::live::LiveSession;
use crate::tools::Tools;

/// How a step goes on from the events so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Resume {
    /// Nothing is left over: the model is called.
    Continue,
    /// Something waits for an answer.
    Pause,
    /// The calls of this event have not been run.
    Replay(Arc<Event>),
}

/// Decides by the events of the invocation on the agent's branch, oldest first.
pub(super) fn decide(
    invocation: &InvocationContext,
    live: &LiveSession,
    events: &[Arc<Event>],
    tools: &Tools,
) -> Resume {
    let agent = invocation.agent_name();
    let is_resumable = invocation.run.is_resumable;
    let Some(last) = events.last() else { return Resume::Continue };
    if events.len() > 1 {
        let is_paused = is_resumable && pauses(live, last);
        if is_resumable && !is_paused && has_open_pause(live, events) {
            return Resume::Pause;
        }
        match of_latest_calls(events, tools, &agent, is_resumable) {
            Some(Resume::Continue) => {}
            Some(decision) => return decision,
            None if is_paused => return Resume::Pause,
            None => {}
        }
    }
    let is_own_call =
        last.author == agent && last.partial != Some(true) && last.function_calls().next().is_some();
    if is_resumable && is_own_call { Resume::Replay(last.clone()) } else { Resume::Continue }
}

fn responses_of(events: &[Arc<Event>]) -> impl Iterator<Item = &FunctionResponse> {
    events.iter().flat_map(|event| event.function_responses())
}

/// Whether an event before the last still waits for one of its answers.
fn has_open_pause(live: &LiveSession, events: &[Arc<Event>]) -> bool {
    let mut awaited: HashSet<Str> = HashSet::new();
    for event in events[..events.len() - 1].iter().filter(|event| pauses(live, event)) {
        awaited.extend(event.function_calls().filter_map(|call| call.id.clone()));
        awaited.extend(interrupt_ids(event));
    }
    let answered: HashSet<&Str> = responses_of(events).filter_map(|response| response.id.as_ref()).collect();
    awaited.iter().any(|id| !id.is_empty() && !answered.contains(id))
}

/// What the latest calls of the agent ask for; `None`: there are none.
fn of_latest_calls(events: &[Arc<Event>], tools: &Tools, agent: &str, is_resumable: bool) -> Option<Resume> {
    let owns = |event: &&Arc<Event>| {
        *event.author == *agent
            && event.function_calls().any(|call| call.name.as_deref().is_some_and(|name| tools.has(name)))
    };
    let at = events[..events.len() - 1].iter().rposition(|event| owns(&event))?;
    let (call_event, later) = (&events[at], &events[at + 1..]);
    let calls: Vec<&FunctionCall> = call_event.function_calls().collect();
    let names: HashSet<Option<&str>> = calls.iter().map(|call| call.name.as_deref()).collect();
    let interrupts: HashSet<Str> = events[at..].iter().flat_map(|event| interrupt_ids(event)).collect();
    let mut ids: HashSet<Str> = calls.iter().filter_map(|call| call.id.clone()).collect();
    ids.extend(interrupts.iter().cloned());
    let answer = answer_event(events.last()?, later, &calls, &ids, &names);
    let answers: Vec<&FunctionResponse> = answer.function_responses().collect();
    let answered: HashSet<&Str> = responses_of(later).filter_map(|response| response.id.as_ref()).collect();
    let is_below = answer.is_from_user() && opened_by(answer, &calls);
    let is_named = |response: &&FunctionResponse| names.contains(&response.name.as_deref());
    let no_interrupt_answered = !interrupts.is_empty() && !interrupts.iter().any(|id| answered.contains(id));
    let no_call_answered =
        !ids.is_empty() && !ids.iter().any(|id| answered.contains(id)) && !answers.iter().any(is_named);
    if !is_below && (no_interrupt_answered || no_call_answered) {
        return Some(if is_resumable { Resume::Pause } else { Resume::Continue });
    }
    let needs_replay = !names.is_empty() && (answers.is_empty() || !answers.iter().all(is_named) || is_below);
    let open = if needs_replay {
        unexecuted(call_event, later, true)
    } else if interrupts.iter().all(|id| answered.contains(id)) {
        unexecuted(call_event, later, false)
    } else {
        None
    };
    open.map(Resume::Replay)
}

/// Whether one of the calls opened the event's branch.
fn opened_by(event: &Event, calls: &[&FunctionCall]) -> bool {
    let branch = event.branch.as_deref().unwrap_or_default();
    run_ids(branch).any(|run| calls.iter().any(|call| call.id.as_deref() == Some(run)))
}

/// The event that answers the calls: by id, by name, or on a branch that one of them opened; else the last one.
fn answer_event<'e>(
    last: &'e Arc<Event>,
    later: &'e [Arc<Event>],
    calls: &[&FunctionCall],
    ids: &HashSet<Str>,
    names: &HashSet<Option<&str>>,
) -> &'e Event {
    let answers = |event: &&Arc<Event>| {
        event.function_responses().any(|response| {
            let asks = matches!(response.name.as_deref(), Some(REQUEST_INPUT | REQUEST_CREDENTIAL));
            let by_id = match &response.id {
                Some(id) => ids.contains(id),
                None => names.contains(&response.name.as_deref()),
            };
            by_id || ((asks || event.is_from_user()) && opened_by(event, calls))
        })
    };
    later.iter().rev().find(answers).unwrap_or(last)
}

/// The event with only those of its calls that were not run. `with_interrupted`: those that waited count, too.
fn unexecuted(event: &Arc<Event>, later: &[Arc<Event>], with_interrupted: bool) -> Option<Arc<Event>> {
    let has_spoken = |known: &Arc<Event>| {
        known.author == event.author && known.branch == event.branch && known.content.is_some()
    };
    if !with_interrupted && later.iter().any(has_spoken) {
        return None;
    }
    let answered: HashSet<(&Str, Option<&Str>)> = responses_of(later)
        .filter_map(|response| Some((response.id.as_ref()?, response.name.as_ref())))
        .collect();
    let mut by_name: HashMap<Option<&str>, usize> = HashMap::new();
    for response in responses_of(later).filter(|response| response.id.is_none()) {
        *by_name.entry(response.name.as_deref()).or_default() += 1;
    }
    let waits = if with_interrupted { Vec::new() } else { interrupt_ids(event) };
    let mut kept: Vec<Arc<Part>> = Vec::new();
    let mut has_open = false;
    for part in event.parts() {
        let Some(call) = &part.function_call else {
            kept.push(part.clone());
            continue;
        };
        let is_answered = call
            .id
            .as_ref()
            .is_some_and(|id| answered.contains(&(id, call.name.as_ref())) || waits.contains(id));
        if is_answered {
            continue;
        }
        match by_name.get_mut(&call.name.as_deref()).filter(|n_left| **n_left > 0) {
            Some(n_left) => *n_left -= 1,
            None => {
                kept.push(part.clone());
                has_open = true;
            }
        }
    }
    if !has_open {
        return None;
    }
    if kept.len() == event.parts().len() {
        return Some(event.clone());
    }
    let content = event.content.as_deref().cloned().unwrap_or_default();
    let content = Content { parts: Some(kept), ..content };
    Some(Arc::new(Event { content: Some(Arc::new(content)), ..Event::clone(event) }))
}
