//! Windows never cut a call from its response.

use std::collections::HashSet;

use strata_model::Event;

use crate::adk_text::{REQUEST_CONFIRMATION, REQUEST_CREDENTIAL, REQUEST_INPUT};
use crate::log::{Facts, LoggedEvent};

/// Calls the runtime itself makes to ask people for something.
const REQUESTS_TO_PEOPLE: [&str; 3] = [REQUEST_CREDENTIAL, REQUEST_CONFIRMATION, REQUEST_INPUT];

type Ids<'e> = HashSet<&'e str>;

/// The longest start of `window` after which nothing is open: no call without response, no pending permission. A
/// call of an older invocation that can never be answered does not hold the window back. `all` is the whole history.
pub(crate) fn longest_self_contained<'w, 'e>(
    window: &'w [&'e LoggedEvent],
    all: &[&'e LoggedEvent],
) -> &'w [&'e LoggedEvent] {
    let safe = safe_length(window, &Ids::new());
    if safe == window.len() {
        return window;
    }
    if safe > 0 && window[safe - 1].event.invocation_id != window[safe].event.invocation_id {
        return &window[..safe];
    }
    let dead = dead_calls(window, all);
    if dead.is_empty() { &window[..safe] } else { &window[..safe.max(safe_length(window, &dead))] }
}

fn safe_length(window: &[&LoggedEvent], dead: &Ids<'_>) -> usize {
    let mut open = Ids::new();
    let mut safe = 0;
    for (at, logged) in window.iter().enumerate() {
        for id in response_ids(&logged.event) {
            open.remove(id);
        }
        open.extend(
            call_ids(&logged.event).chain(permission_ids(&logged.event)).filter(|id| !dead.contains(id)),
        );
        if open.is_empty() {
            safe = at + 1;
        }
    }
    safe
}

/// Calls in the window that nothing will ever answer.
fn dead_calls<'e>(window: &[&'e LoggedEvent], all: &[&'e LoggedEvent]) -> Ids<'e> {
    let newest = all
        .iter()
        .rev()
        .find(|logged| !logged.is(Facts::COMPACTION) && !logged.event.invocation_id.is_empty())
        .map(|logged| &*logged.event.invocation_id);
    let is_newest = |event: &Event| event.invocation_id.is_empty() || Some(&*event.invocation_id) == newest;
    let mut spared = Ids::new();
    for logged in all {
        let event: &'e Event = &logged.event;
        spared.extend(long_running_ids(event, is_newest(event)));
        if is_newest(event) {
            spared.extend(permission_ids(event));
        }
        let pending: Ids<'_> = permission_ids(event).collect();
        spared.extend(response_ids(event).filter(|id| !pending.contains(id)));
    }
    window
        .iter()
        .filter(|logged| newest.is_none() || Some(&*logged.event.invocation_id) != newest)
        .flat_map(|logged| call_ids(&logged.event))
        .filter(|id| !spared.contains(id))
        .collect()
}

/// Calls that may take as long as they like. In an older invocation, requests to people no longer count.
fn long_running_ids(event: &Event, is_newest: bool) -> impl Iterator<Item = &str> {
    let asked: Ids<'_> = event
        .function_calls()
        .filter(|call| call.name.as_deref().is_some_and(|name| REQUESTS_TO_PEOPLE.contains(&name)))
        .filter_map(|call| call.id.as_deref())
        .collect();
    let ids = event.long_running_tool_ids.iter().flatten().map(|id| &**id);
    ids.filter(move |id| is_newest || !asked.contains(id))
}

fn call_ids(event: &Event) -> impl Iterator<Item = &str> {
    event.function_calls().filter_map(|call| call.id.as_deref()).filter(|id| !id.is_empty())
}

fn response_ids(event: &Event) -> impl Iterator<Item = &str> {
    event.function_responses().filter_map(|response| response.id.as_deref()).filter(|id| !id.is_empty())
}

fn permission_ids(event: &Event) -> impl Iterator<Item = &str> {
    let actions = &event.actions;
    actions.requested_tool_confirmations.keys().chain(actions.requested_auth_configs.keys()).map(|id| &**id)
}

/// Where to cut so that at least `retention` events stay and none of them answers a call that goes.
pub(crate) fn split_before_retained(candidates: &[&LoggedEvent], retention: usize) -> usize {
    let latest = candidates.len().saturating_sub(retention);
    let mut awaited = Ids::new();
    for (at, logged) in candidates.iter().enumerate().rev() {
        awaited.extend(response_ids(&logged.event));
        for id in call_ids(&logged.event) {
            awaited.remove(id);
        }
        if awaited.is_empty() && at <= latest {
            return at;
        }
    }
    0
}
