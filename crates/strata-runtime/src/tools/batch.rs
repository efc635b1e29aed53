//! Several calls of one answer: started in their order, run side by side, answered by one event.

use std::collections::HashMap;
use std::sync::Arc;

use strata_engine::turn::tool_calls::{ToolConfirmation, deep_merge, merged_actions};
use strata_model::{Content, Event, EventActions, FunctionCall, Json, Object, Part, Str};

use super::call::run_call;
use super::{SharedTools, Tools};
use crate::context::InvocationContext;
use crate::halt::Halt;
use crate::tasks::{GATHERING, Group, WAITING_FOR_SEVERAL, step_back};

/// Why calls were not all answered, and what the others came to.
pub(crate) struct BatchHalt {
    pub(crate) halt: Halt,
    /// Results of calls that had ended by then, where they are results and nothing more.
    pub(crate) kept: Option<Event>,
}

impl From<Halt> for BatchHalt {
    fn from(halt: Halt) -> Self {
        Self { halt, kept: None }
    }
}

/// Runs calls and gives the event that answers them; `None`: all answers come later.
pub(crate) async fn run_calls(
    invocation: &InvocationContext,
    calls: &[FunctionCall],
    tools: Tools,
    confirmations: &HashMap<Str, ToolConfirmation>,
) -> Result<Option<Event>, BatchHalt> {
    let tools: SharedTools = Arc::new(tools);
    step_back(GATHERING).await;
    let mut group = Group::new();
    for call in calls {
        let confirmation = call.id.as_ref().and_then(|id| confirmations.get(id)).cloned();
        let (call, tools) = (call.clone(), tools.clone());
        group.push(invocation.spawn(|own| run_call(own, call, tools, confirmation)));
    }
    let mut events: Vec<(usize, Event)> = Vec::new();
    let mut halt = None;
    while halt.is_none() && !group.is_empty() {
        for (at, ended) in group.ended().await {
            match ended {
                Ok(event) => events.extend(event.map(|event| (at, event))),
                Err(stopped) => halt = halt.or(Some(stopped)),
            }
        }
    }
    for (at, ended) in group.stop().await {
        if let Ok(Some(event)) = ended {
            events.push((at, event));
        }
    }
    step_back(WAITING_FOR_SEVERAL).await;
    events.sort_by_key(|(at, _)| *at);
    let events = events.into_iter().map(|(_, event)| event);
    match halt {
        None => Ok(merged(invocation, events.collect())),
        Some(halt @ Halt::Cancelled) => Err(halt.into()),
        Some(halt) => {
            let kept = events.filter(is_plain).collect();
            let kept = if invocation.run.is_aborted() { None } else { merged(invocation, kept) };
            Err(BatchHalt { halt, kept })
        }
    }
}

/// Whether an event answers and does nothing else that the run would have to follow.
fn is_plain(event: &Event) -> bool {
    let control = EventActions {
        state_delta: Object::new(),
        artifact_delta: Object::new(),
        skip_summarization: None,
        ..event.actions.clone()
    };
    let finishes = event.function_responses().any(|response| response.name.as_deref() == Some("finish_task"));
    control == EventActions::default() && !finishes
}

/// The answers in one event, in the order of the calls.
fn merged(invocation: &InvocationContext, mut events: Vec<Event>) -> Option<Event> {
    let first = events.first()?.clone();
    if events.len() == 1 {
        return events.pop();
    }
    let mut actions = merged_actions(events.iter().map(|event| &event.actions));
    keep_latest(&mut actions.state_delta, &events, &invocation.run.session.lock().state);
    let parts = events.iter().flat_map(|event| event.parts()).map(|part| Part::clone(part));
    Some(Event {
        id: invocation.run.new_id(),
        invocation_id: first.invocation_id,
        author: first.author,
        branch: first.branch,
        content: Some(Arc::new(Content::new("user", parts))),
        actions,
        timestamp: first.timestamp,
        ..Event::default()
    })
}

/// Calls share the state, so a list or an object that several wrote is as the last of them left it.
fn keep_latest(delta: &mut Object, events: &[Event], state: &Object) {
    let mut latest = Object::new();
    for key in delta.keys() {
        let Some(live @ (Json::Array(_) | Json::Object(_))) = state.get(key) else { continue };
        let writes: Vec<&Json> =
            events.iter().filter_map(|event| event.actions.state_delta.get(key)).collect();
        if writes.len() > 1 && writes.contains(&live) {
            latest.push(key.clone(), live.clone());
        }
    }
    deep_merge(delta, &latest);
}
