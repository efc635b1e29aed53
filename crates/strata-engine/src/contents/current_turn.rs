//! The turn an agent is in, for agents that want no history, and for models whose provider keeps it (`ADK.md` 3.10).

use std::collections::HashSet;
use std::sync::Arc;

use strata_model::RequestContent;

use super::build::build_contents;
use super::item::truthy;
use super::omission::Omissions;
use super::scope::ContentsScope;
use super::select::{Ancestors, ToolCalls, is_from_another_agent, reason_to_leave_out, single_turn_events};
use crate::log::{EventView, Facts, LoggedEvent, OmissionReason};

/// The contents from where the current turn starts. Nothing, when no turn is found.
pub(crate) fn build(
    events: EventView<'_>,
    scope: &ContentsScope<'_>,
    omissions: &mut Omissions,
) -> Vec<Arc<RequestContent>> {
    let events = single_turn_events(events.iter().collect(), scope, Ancestors::Unseen, omissions);
    let start = start_of_turn(&events, scope).unwrap_or(events.len());
    for logged in &events[..start] {
        omissions.event(logged, OmissionReason::EarlierTurn);
    }
    if start == events.len() { Vec::new() } else { build_contents(&events[start..], scope, omissions) }
}

/// The newest event of a user or of another agent that is neither a hand-over nor a result someone posted; and far
/// enough back that every posted result has its call.
fn start_of_turn(events: &[&LoggedEvent], scope: &ContentsScope<'_>) -> Option<usize> {
    let tool_calls = ToolCalls::all(events);
    let mut awaited: HashSet<&str> = HashSet::new();
    for (at, logged) in events.iter().enumerate().rev() {
        for call in logged.event.function_calls() {
            if let Some(id) = truthy(call.id.as_deref()) {
                awaited.remove(id);
            }
        }
        let is_posted_result = logged.is(Facts::FROM_USER) && logged.is(Facts::HAS_RESPONSES);
        if is_posted_result {
            let ids = logged.event.function_responses().filter_map(|response| truthy(response.id.as_deref()));
            awaited.extend(ids.filter(|id| tool_calls.contains(id)));
        }
        let speaks = logged.is(Facts::FROM_USER) || is_from_another_agent(logged, scope.agent_name);
        if awaited.is_empty()
            && speaks
            && !is_posted_result
            && !logged.is(Facts::TRANSFER)
            && reason_to_leave_out(logged, scope, &tool_calls).is_none()
        {
            return Some(at);
        }
    }
    None
}
