//! The policy that keeps the beginning of prompts in the cache.
//!
//! google-adk's triggers compact often, and the token threshold rewrites the one summary at the head of the history
//! each time: every prompt after that is new from there on. Here a prompt may grow to a limit. Then everything but the
//! latest events goes into one new summary *behind* those before it, so that instructions, the first request and the
//! earlier summaries stay where they were. What is pending and what the user asked for first is never summarised.

use std::collections::BTreeSet;

use strata_model::{Event, EventIndex, FunctionResponse, Json, Object, Part, SharedList};

use super::config::Steps;
use super::pins::split_around;
use super::prefix::{longest_self_contained, split_before_retained};
use super::size::WorthCheck;
use super::trigger::in_scope;
use super::window::{Trigger, Window};
use crate::log::{EventView, Facts, LoggedEvent, live_events, surviving_ranges};

/// A result has to be so long before clearing it is worth a break, in characters of JSON.
const MIN_CLEARED: usize = 800;

/// What stands in place of a cleared result.
fn cleared_note(characters: usize) -> String {
    format!("[cleared to save room: {characters} characters; call the tool again to see them]")
}

/// The windows to summarise now; empty where too little can go.
pub fn windows<'e>(
    events: EventView<'e>,
    steps: Steps,
    isolation_scope: Option<&str>,
    pinned: &[EventIndex],
) -> Vec<Window<'e>> {
    let live = live_events(events.iter(), |_| {});
    let scoped = in_scope(&live, isolation_scope);
    let old = old_events(&scoped, steps.keep);
    let events = up_to_another_time(&old, &scoped).to_vec();
    let mut stays: BTreeSet<EventIndex> = pinned.iter().copied().collect();
    stays.extend(first_request(&scoped));
    let window = Window { trigger: Trigger::PromptLimit, seed: None, events };
    let mut windows = split_around(window, &stays);
    windows.retain(|window| {
        let removable = WorthCheck::of(window, &scoped).removable;
        // A step that frees little is due again at once.
        removable > 0 && removable as u64 >= u64::from(steps.limit_tokens)
    });
    windows
}

/// Events that no summary covers, up to those that stay.
fn old_events<'e>(scoped: &[&'e LoggedEvent], keep: u32) -> Vec<&'e LoggedEvent> {
    let covered_until = surviving_ranges(scoped).iter().map(|range| range.end).fold(0.0, f64::max);
    let is_old =
        |logged: &&&LoggedEvent| !logged.is(Facts::COMPACTION) && logged.event.timestamp > covered_until;
    let mut events: Vec<&LoggedEvent> = scoped.iter().filter(is_old).copied().collect();
    let keep = keep as usize;
    let end = match events.len() {
        n if n <= keep => 0,
        n if keep == 0 => n,
        _ => split_before_retained(&events, keep),
    };
    events.truncate(end);
    events
}

/// The longest self-contained start after which another time begins: a summary covers a span of time, and would take
/// what shares the last one.
fn up_to_another_time<'w, 'e>(
    old: &'w [&'e LoggedEvent],
    scoped: &[&'e LoggedEvent],
) -> &'w [&'e LoggedEvent] {
    let mut events = longest_self_contained(old, scoped);
    while let Some(last) = events.last() {
        let time = last.event.timestamp;
        let is_shared = scoped
            .iter()
            .skip_while(|logged| !std::ptr::eq(**logged, *last))
            .skip(1)
            .any(|logged| logged.event.timestamp <= time && !logged.is(Facts::COMPACTION));
        if !is_shared {
            break;
        }
        let until = events.iter().rposition(|logged| logged.event.timestamp < time).map_or(0, |at| at + 1);
        events = longest_self_contained(&events[..until], scoped);
    }
    events
}

fn first_request(events: &[&LoggedEvent]) -> Option<EventIndex> {
    let is_request = |logged: &&&LoggedEvent| {
        logged.is(Facts::FROM_USER) && !logged.is(Facts::COMPACTION) && !logged.is(Facts::EMPTY)
    };
    events.iter().find(is_request)?.index
}

/// Events whose long tool results give way to a note, as `(place in the log, event)`.
pub fn cleared(
    events: &SharedList<LoggedEvent>,
    steps: Steps,
    isolation_scope: Option<&str>,
    pinned: &[EventIndex],
) -> Vec<(usize, Event)> {
    let refs: Vec<&LoggedEvent> = events.iter().collect();
    let scoped = in_scope(&refs, isolation_scope);
    let old = old_events(&scoped, steps.keep);
    let Some(last) = old.last() else { return Vec::new() };
    let last = events.iter().position(|logged| std::ptr::eq(logged, *last)).unwrap_or(0);
    let is_pinned = |logged: &LoggedEvent| logged.index.is_some_and(|index| pinned.contains(&index));
    let goes = |logged: &LoggedEvent| {
        logged.is(Facts::HAS_RESPONSES)
            && !logged.is(Facts::FRAMEWORK)
            && logged.event.isolation_scope.as_deref() == isolation_scope
            && !is_pinned(logged)
    };
    let old = events.range(0..last + 1).enumerate().filter(|(_, logged)| goes(logged));
    old.filter_map(|(at, logged)| Some((at, without_results(&logged.event)?))).collect()
}

/// The event with notes in place of its long results; `None` where it has none.
pub fn without_results(event: &Event) -> Option<Event> {
    let content = event.content.as_ref()?;
    let mut n_cleared = 0;
    let parts: Vec<Part> = content
        .parts()
        .iter()
        .map(|part| match part.function_response.as_deref().and_then(clear) {
            Some(response) => {
                n_cleared += 1;
                Part { function_response: Some(Box::new(response)), ..Part::clone(part) }
            }
            None => Part::clone(part),
        })
        .collect();
    if n_cleared == 0 {
        return None;
    }
    let content = strata_model::Content {
        parts: Some(parts.into_iter().map(Into::into).collect()),
        ..strata_model::Content::clone(content)
    };
    Some(Event { content: Some(content.into()), ..event.clone() })
}

fn clear(response: &FunctionResponse) -> Option<FunctionResponse> {
    let size = response
        .response
        .as_ref()
        .map_or(0, |object| strata_model::json::object_to_compact(object).chars().count());
    (size >= MIN_CLEARED).then(|| {
        let note = Object::from_iter([("result", Json::from(cleared_note(size)))]);
        FunctionResponse { response: Some(note.into()), ..response.clone() }
    })
}
