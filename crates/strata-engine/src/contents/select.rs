//! What an agent may see of a session at all.

use std::collections::HashSet;
use std::sync::Arc;

use strata_model::{Branch, NodePath, Part};

use super::omission::Omissions;
use super::scope::ContentsScope;
use crate::log::{Facts, LoggedEvent, OmissionReason, live_events};

/// The events the agent may see, in order: rewinds applied, then node, scope, branch and kind.
pub(super) fn select<'e>(
    events: &[&'e LoggedEvent],
    scope: &ContentsScope<'_>,
    omissions: &mut Omissions,
) -> Vec<&'e LoggedEvent> {
    let live = live_events(events.iter().copied(), |logged| omissions.event(logged, OmissionReason::Rewound));
    let near = single_turn_events(live, scope, Ancestors::Seen, omissions);
    let tool_calls = ToolCalls::for_branches(&near);
    let mut kept = Vec::with_capacity(near.len());
    for logged in near {
        match reason_to_leave_out(logged, scope, &tool_calls) {
            None => kept.push(logged),
            Some(reason) => omissions.event(logged, reason),
        }
    }
    kept
}

/// Whether a single-turn node sees the events of the nodes it runs inside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ancestors {
    Seen,
    Unseen,
}

/// For an agent that answers once: only its branch, and only its own place in the workflow (`ADK.md` 3.4).
pub(super) fn single_turn_events<'e>(
    events: Vec<&'e LoggedEvent>,
    scope: &ContentsScope<'_>,
    ancestors: Ancestors,
    omissions: &mut Omissions,
) -> Vec<&'e LoggedEvent> {
    if !scope.is_single_turn {
        return events;
    }
    let own = scope.node_path;
    let mut kept = Vec::with_capacity(events.len());
    for logged in events {
        let path = &logged.event.node_info.path;
        let is_near = own.is_empty()
            || path.is_empty()
            || path == own
            || path.is_below(own)
            || (ancestors == Ancestors::Seen && own.is_below(path));
        if !scope.branch.sees(branch(logged)) {
            omissions.event(logged, OmissionReason::OtherBranch);
        } else if is_near {
            kept.push(logged);
        } else {
            omissions.event(logged, OmissionReason::OtherNode);
        }
    }
    kept
}

/// Why the event is not for this agent, if it is not (`ADK.md` 3.5).
pub(super) fn reason_to_leave_out(
    logged: &LoggedEvent,
    scope: &ContentsScope<'_>,
    tool_calls: &ToolCalls<'_>,
) -> Option<OmissionReason> {
    exclusion(logged, scope)
        .or_else(|| tool_calls.is_progress(logged, scope).then_some(OmissionReason::ToolProgress))
}

/// As [`reason_to_leave_out`], without regard to tool branches.
pub(super) fn exclusion(logged: &LoggedEvent, scope: &ContentsScope<'_>) -> Option<OmissionReason> {
    let event = &*logged.event;
    if event.isolation_scope.as_deref() != scope.isolation_scope {
        return Some(OmissionReason::OtherScope);
    }
    if is_input_of_another_node(logged, scope.node_path) {
        return Some(OmissionReason::OtherNode);
    }
    let shows_thoughts = scope.include_thoughts && is_from_another_agent(logged, scope.agent_name);
    let is_empty = if scope.rules.looks_at_all_parts() {
        logged.is(if shows_thoughts { Facts::EMPTY_WITH_THOUGHTS } else { Facts::EMPTY })
    } else {
        begins_empty(logged)
    };
    if is_empty {
        return Some(OmissionReason::Empty);
    }
    if !scope.branch.sees(branch(logged)) {
        return Some(OmissionReason::OtherBranch);
    }
    if logged.is(Facts::SYSTEM_TEXT) {
        return Some(OmissionReason::SystemText);
    }
    logged.is(Facts::FRAMEWORK).then_some(OmissionReason::Framework)
}

/// Whether there is nothing in the first part of an event, which once decided for all of it.
fn begins_empty(logged: &LoggedEvent) -> bool {
    let event = &logged.event;
    if event.is_compaction() || event.input_transcription.is_some() || event.output_transcription.is_some() {
        return false;
    }
    let has_role = event
        .content
        .as_ref()
        .and_then(|content| content.role.as_deref())
        .is_some_and(|role| !role.is_empty());
    let says = |part: &Arc<Part>| {
        part.text.as_deref().is_some_and(|text| !text.is_empty())
            || part.inline_data.is_some()
            || part.file_data.is_some()
            || part.function_call.is_some()
            || part.function_response.is_some()
    };
    !has_role || !event.parts().first().is_some_and(says)
}

fn is_input_of_another_node(logged: &LoggedEvent, own: &NodePath) -> bool {
    let path = &logged.event.node_info.path;
    logged.is(Facts::FROM_USER) && !logged.is(Facts::HAS_RESPONSES) && !path.is_empty() && path != own
}

/// Whether the event is another agent's. In a live session every agent counts as another, also this one.
pub(super) fn is_from_another_agent(logged: &LoggedEvent, agent_name: &str) -> bool {
    if logged.is(Facts::LIVE) {
        return !logged.is(Facts::FROM_USER);
    }
    !agent_name.is_empty() && !logged.is(Facts::FROM_USER) && *logged.event.author != *agent_name
}

pub(super) fn branch(logged: &LoggedEvent) -> Branch<'_> {
    Branch::of(logged.event.branch.as_ref())
}

/// The ids of all calls in a history, by which branches of tools are told from branches of agents.
pub(super) struct ToolCalls<'e> {
    ids: HashSet<&'e str>,
}

impl<'e> ToolCalls<'e> {
    pub(super) fn all(events: &[&'e LoggedEvent]) -> Self {
        let calls = events.iter().filter(|logged| logged.is(Facts::HAS_CALLS));
        let ids =
            calls.flat_map(|logged| logged.event.function_calls().filter_map(|call| call.id.as_deref()));
        Self { ids: ids.filter(|id| !id.is_empty()).collect() }
    }

    /// As [`Self::all`], but nothing where no event is on a branch: only those can be a tool's progress.
    pub(super) fn for_branches(events: &[&'e LoggedEvent]) -> Self {
        let has_branches = events.iter().any(|logged| !branch(logged).is_none());
        if has_branches { Self::all(events) } else { Self { ids: HashSet::new() } }
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// Whether the event lies on the branch of a tool below this agent: `<tool>@<call id>`.
    pub(super) fn is_progress(&self, logged: &LoggedEvent, scope: &ContentsScope<'_>) -> bool {
        let branch = branch(logged);
        branch.is_below(scope.branch)
            && branch.prefixes_below(scope.branch).any(|prefix| {
                let leaf = prefix.rsplit('.').next().unwrap_or(prefix);
                leaf.rsplit_once('@').is_some_and(|(name, id)| name != scope.agent_name && self.contains(id))
            })
    }
}
