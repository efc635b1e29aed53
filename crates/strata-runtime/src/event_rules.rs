//! What an event says, and what it means for whoever goes on after it.

use strata_engine::branch::run_ids;
use strata_engine::turn;
pub(crate) use strata_engine::turn::is_final_response;
use strata_model::{Content, Event, Str};

use crate::live::LiveSession;

/// Whether the run pauses after the event: one of its calls waits for an answer, and none came on a branch it opened.
pub(crate) fn pauses(live: &LiveSession, event: &Event) -> bool {
    let waiting = interrupt_ids(event);
    let mut calls = event
        .function_calls()
        .filter_map(|call| call.id.as_ref())
        .filter(|id| waiting.contains(id))
        .peekable();
    if calls.peek().is_none() {
        return false;
    }
    let is_answered_below = |id: &Str| {
        let later = live.events().rev().take_while(|known| known.id != event.id);
        let is_stored = live.events().rev().any(|known| known.id == event.id);
        is_stored
            && later.filter(|later| later.is_from_user()).any(|later| {
                later.branch.as_deref().is_some_and(|branch| run_ids(branch).any(|run| *run == **id))
            })
    };
    calls.any(|id| !is_answered_below(id))
}

/// Ids by which an event waits for answers, each once.
pub(crate) fn interrupt_ids(event: &Event) -> Vec<Str> {
    let mut ids: Vec<Str> = Vec::new();
    for id in turn::interrupt_ids(event) {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    ids
}

/// The words of a content, thoughts left out.
pub(crate) fn text_of(content: &Content) -> String {
    turn::text_of(content.parts())
}
