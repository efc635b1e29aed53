//! What the user says: which invocation it belongs to, and the event that keeps it.

use std::collections::HashSet;
use std::sync::Arc;

use strata_engine::turn::{RouteError, RoutingState, invocation_of_answers};
use strata_engine::{AgentId, LoggedEvent};
use strata_model::{Content, Event, EventActions, FunctionResponse, Object, Str};

use crate::adk_text::{ABORTED_CODE, CALLS_IN_MESSAGE, MIXED_MESSAGE, RESPONSE_ID_REQUIRED};
use crate::context::InvocationContext;
use crate::halt::Failure;
use crate::hooks;
use crate::tools::is_task_end;

/// The answers in a message, by the ids of their calls; later ones go before.
pub(super) fn answers_in(message: Option<&Content>) -> Object {
    let parts = message.into_iter().flat_map(Content::parts);
    let responses = parts.filter_map(|part| part.function_response.as_deref());
    let answer = |response: &FunctionResponse| {
        let id = response.id.clone().filter(|id| !id.is_empty())?;
        Some((id, response.response.as_deref().cloned().unwrap_or_default().into()))
    };
    let mut answers = Object::new();
    for (id, response) in responses.filter_map(answer) {
        let response: strata_model::Json = response;
        answers.insert(id, response);
    }
    answers
}

pub(super) fn has_responses(message: &Content) -> bool {
    message.parts().iter().any(|part| part.function_response.is_some())
}

/// Answers go on with an invocation, and words begin one: a message does one of them.
pub(super) fn check(message: Option<&Content>, answers: &Object) -> Result<(), Failure> {
    let mut parts = message.into_iter().flat_map(Content::parts);
    if !answers.is_empty() && parts.any(|part| part.text.as_deref().is_some_and(|text| !text.is_empty())) {
        return Err(Failure::value_error(MIXED_MESSAGE));
    }
    Ok(())
}

pub(super) fn check_calls(message: &Content) -> Result<(), Failure> {
    if message.parts().iter().any(|part| part.function_call.is_some()) {
        return Err(Failure::value_error(CALLS_IN_MESSAGE));
    }
    Ok(())
}

/// The invocation whose calls a message answers.
pub(super) fn answered_invocation(
    invocation: &InvocationContext,
    message: &Content,
) -> Result<Option<Str>, Failure> {
    let live = invocation.run.session.lock();
    let refused = |error: RouteError| Failure::value_error(error.message);
    invocation_of_answers(&live.live_events(), message).map_err(refused)
}

/// The invocation that a message with answers goes on with; its first answer has to name its call.
pub(super) fn resumed_by(invocation: &InvocationContext, message: &Content) -> Result<Option<Str>, Failure> {
    let first = message.parts().iter().find_map(|part| part.function_response.as_deref());
    if first.is_some_and(|response| response.id.as_deref().is_none_or(str::is_empty)) {
        return Err(Failure::value_error(RESPONSE_ID_REQUIRED));
    }
    answered_invocation(invocation, message)
}

/// What the user said at the beginning of an invocation.
pub(super) fn first_message(invocation: &InvocationContext, id: &str) -> Option<Arc<Content>> {
    let live = invocation.run.session.lock();
    let said = live.live_events_of(id).into_iter().filter(|event| event.is_from_user());
    let mut contents = said.filter_map(|event| event.content.clone());
    contents.find(|content| !content.parts().is_empty() && !has_responses(content))
}

/// A task that waits for the user to go on.
pub(super) struct OpenTask {
    pub(super) isolation_scope: Str,
    pub(super) invocation_id: Str,
}

/// The task that was last at work, if it has not been finished or aborted.
pub(super) fn open_task(live: &[&LoggedEvent]) -> Option<OpenTask> {
    let events = || live.iter().map(|logged| &logged.event);
    let is_aborted = |event: &&Arc<Event>| event.error_code.as_deref() == Some(ABORTED_CODE);
    let aborted: HashSet<&Str> = events().filter(is_aborted).map(|event| &event.invocation_id).collect();
    let scope = |event: &Arc<Event>| event.isolation_scope.clone().filter(|scope| !scope.is_empty());
    // Of several ends in one event only the first counts.
    let ends = |event: &&Arc<Event>| {
        let mut finishes =
            event.function_responses().filter(|response| response.name.as_deref() == Some("finish_task"));
        finishes.next().is_some_and(is_task_end)
    };
    let finished: HashSet<Str> = events().filter(ends).filter_map(scope).collect();
    events().rev().filter(|event| event.actions.compaction.is_none()).find_map(|event| {
        let isolation_scope = scope(event)?;
        let is_open = !finished.contains(&isolation_scope) && !aborted.contains(&event.invocation_id);
        is_open.then(|| OpenTask { isolation_scope, invocation_id: event.invocation_id.clone() })
    })
}

/// Stores what the user said, or changes of the state alone, where the answered call stands.
pub(super) async fn store(
    invocation: &InvocationContext,
    content: Option<Content>,
    state_delta: &Object,
) -> Result<Arc<Event>, Failure> {
    let mut event = Event {
        content: content.map(Arc::new),
        actions: EventActions { state_delta: state_delta.clone(), ..EventActions::default() },
        branch: None,
        ..invocation.event("user".into())
    };
    {
        let live = invocation.run.session.lock();
        event.isolation_scope = open_task(&live.live_events()).map(|task| task.isolation_scope);
        let answered = event.function_responses().next().and_then(|response| response.id.clone());
        let calls = |known: &&Arc<Event>| {
            answered.is_some() && known.function_calls().any(|call| call.id == answered)
        };
        if let Some(call) = live.events_of(&invocation.id).iter().rev().find(calls) {
            event.branch.clone_from(&call.branch);
            if event.isolation_scope.is_none() {
                event.isolation_scope.clone_from(&call.isolation_scope);
            }
        }
    }
    hooks::add_metadata(&mut event, &invocation.run.config.custom_metadata);
    invocation.run.append(event).await
}

/// Chooses who goes on, and takes up the branch it was on. `message` is one that is not stored yet.
pub(super) fn choose_agent(
    invocation: &mut InvocationContext,
    root: AgentId,
    message: Option<&Content>,
    of_invocation: Option<&str>,
) {
    let run = invocation.run.clone();
    let session = run.session.lock();
    let live = session.live_events();
    let scene =
        RoutingState { index: run.program.index(), root, live: &live, is_resumable: run.is_resumable };
    let agent = match message {
        Some(message) => scene.agent_for(message),
        None => scene.next_agent(),
    };
    invocation.agent = Some(agent);
    invocation.branch = (agent != root).then(|| scene.branch_of(agent, of_invocation)).flatten();
}

/// The branch on which an agent went on last; the root has none.
pub(super) fn branch_of(
    invocation: &InvocationContext,
    root: AgentId,
    agent: AgentId,
    of_invocation: Option<&str>,
) -> Option<Str> {
    let run = &invocation.run;
    let session = run.session.lock();
    let live = session.live_events();
    let scene =
        RoutingState { index: run.program.index(), root, live: &live, is_resumable: run.is_resumable };
    (agent != root).then(|| scene.branch_of(agent, of_invocation)).flatten()
}
