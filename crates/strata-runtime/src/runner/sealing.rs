//! Closing what an aborted run has left open: calls without answers are answered by saying so.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use strata_model::{Content, Event, FunctionCall, FunctionResponse, Object, Part, Str};

use super::root::Root;
use super::telling::keep;
use crate::adk_text::{ABORTED, ABORTED_CODE};
use crate::context::InvocationContext;
use crate::event_rules::is_final_response;
use crate::halt::Halt;

/// Stores the events that close an aborted run, once.
pub(super) async fn seal(root: &Root, invocation: &InvocationContext) -> Result<Vec<Arc<Event>>, Halt> {
    if invocation.run.is_sealed.swap(true, Ordering::Relaxed) {
        return Ok(Vec::new());
    }
    let mut sealed = Vec::new();
    for event in closing_events(root, invocation) {
        sealed.push(keep(invocation, event).await?);
    }
    Ok(sealed)
}

/// Calls that one event answers: by who made them, and where.
struct Open {
    author: Str,
    branch: Option<Str>,
    isolation_scope: Option<Str>,
    calls: Vec<FunctionCall>,
}

fn closing_events(root: &Root, invocation: &InvocationContext) -> Vec<Event> {
    let events = invocation.run.session.lock().events_of(&invocation.id);
    if events.last().is_some_and(|last| waits_as_task(last)) {
        return Vec::new();
    }
    let open = open_calls(&events, invocation.branch.as_ref());
    let aborted = |author: Str| Event {
        error_code: Some(ABORTED_CODE.into()),
        error_message: Some(ABORTED.into()),
        ..invocation.event(author)
    };
    if open.is_empty() {
        return vec![aborted(root.name())];
    }
    let closed = open.into_iter().map(|open| {
        let parts = open.calls.into_iter().map(|call| {
            Part::from_response(FunctionResponse {
                id: call.id,
                name: call.name,
                response: Some(Arc::new(Object::from_iter([("error", ABORTED)]))),
                ..FunctionResponse::default()
            })
        });
        Event {
            branch: open.branch,
            isolation_scope: open.isolation_scope,
            content: Some(Arc::new(Content::new("user", parts))),
            ..aborted(open.author)
        }
    });
    closed.collect()
}

/// An agent that works on a task has said something and waits for the user.
fn waits_as_task(event: &Event) -> bool {
    event.isolation_scope.as_deref().is_some_and(|scope| !scope.is_empty())
        && !event.is_from_user()
        && is_final_response(event)
}

fn open_calls(events: &[Arc<Event>], branch: Option<&Str>) -> Vec<Open> {
    let responses = events.iter().flat_map(|event| event.function_responses());
    let answered: HashSet<&Str> = responses.filter_map(|response| response.id.as_ref()).collect();
    let mut open: Vec<Open> = Vec::new();
    for event in events {
        let own = event.branch.as_ref().filter(|branch| !branch.is_empty()).or(branch);
        for call in event.function_calls() {
            let is_open = call.id.as_ref().is_some_and(|id| !id.is_empty() && !answered.contains(id));
            if !is_open {
                continue;
            }
            let same = |known: &&mut Open| {
                known.author == event.author
                    && known.branch.as_ref() == own
                    && known.isolation_scope == event.isolation_scope
            };
            match open.iter_mut().find(same) {
                Some(known) => known.calls.push(call.clone()),
                None => open.push(Open {
                    author: event.author.clone(),
                    branch: own.cloned(),
                    isolation_scope: event.isolation_scope.clone(),
                    calls: vec![call.clone()],
                }),
            }
        }
    }
    open
}
