//! Windows cut around events that stay.

use std::collections::{BTreeSet, HashMap, HashSet};

use strata_model::{Event, EventIndex};

use super::window::Window;
use crate::log::LoggedEvent;

/// The windows that remain of one when some events stay as they are, each a run of neighbours. With an event stay the
/// calls it answers, the answers to its calls, what bears its time, since a summary covers a span of time, what would be
/// alone in its run, and calls that are answered in another run. The previous summary goes with the first run.
pub fn split_around<'e>(window: Window<'e>, stays: &BTreeSet<EventIndex>) -> Vec<Window<'e>> {
    let is_pinned = |logged: &LoggedEvent| logged.index.is_some_and(|index| stays.contains(&index));
    if !window.events.iter().any(|logged| is_pinned(logged)) {
        return vec![window];
    }
    let stays = with_partners(&window.events, &is_pinned);
    let mut seed = window.seed;
    let mut windows = Vec::new();
    for run in runs(&window.events, &stays) {
        windows.push(Window { trigger: window.trigger, seed: seed.take(), events: run });
    }
    windows
}

fn with_partners(events: &[&LoggedEvent], is_pinned: &dyn Fn(&LoggedEvent) -> bool) -> Vec<bool> {
    let mut stays: Vec<bool> = events.iter().map(|logged| is_pinned(logged)).collect();
    loop {
        let kept: Vec<&Event> = events
            .iter()
            .zip(&stays)
            .filter(|(_, stays)| **stays)
            .map(|(logged, _)| &*logged.event)
            .collect();
        let ids: HashSet<&str> = kept.iter().flat_map(|event| ids(event)).collect();
        let times: HashSet<u64> = kept.iter().map(|event| event.timestamp.to_bits()).collect();
        let mut has_grown = false;
        for (logged, stays) in events.iter().zip(&mut stays).filter(|(_, stays)| !**stays) {
            let event = &logged.event;
            if times.contains(&event.timestamp.to_bits()) || self::ids(event).any(|id| ids.contains(id)) {
                (*stays, has_grown) = (true, true);
            }
        }
        for at in 0..stays.len() {
            let is_alone = (at == 0 || stays[at - 1]) && stays.get(at + 1).is_none_or(|stays| *stays);
            if is_alone && !stays[at] {
                (stays[at], has_grown) = (true, true);
            }
        }
        has_grown |= keep_answered_elsewhere(events, &mut stays);
        if !has_grown {
            return stays;
        }
    }
}

/// Each run has a summary of its own, which would part a call from an answer in another.
fn keep_answered_elsewhere(events: &[&LoggedEvent], stays: &mut [bool]) -> bool {
    let mut run = 0;
    let mut run_of: HashMap<&str, usize> = HashMap::new();
    let mut has_grown = false;
    for (logged, stays) in events.iter().zip(stays) {
        if *stays {
            run += 1;
        } else if ids(&logged.event).any(|id| *run_of.entry(id).or_insert(run) != run) {
            (*stays, has_grown) = (true, true);
        }
    }
    has_grown
}

fn ids(event: &Event) -> impl Iterator<Item = &str> {
    let calls = event.function_calls().filter_map(|call| call.id.as_deref());
    let responses = event.function_responses().filter_map(|response| response.id.as_deref());
    calls.chain(responses).filter(|id| !id.is_empty())
}

/// Runs of events that go.
fn runs<'e>(events: &[&'e LoggedEvent], stays: &[bool]) -> Vec<Vec<&'e LoggedEvent>> {
    let mut runs: Vec<Vec<&LoggedEvent>> = vec![Vec::new()];
    for (logged, stays) in events.iter().zip(stays) {
        if *stays {
            runs.push(Vec::new());
        } else if let Some(run) = runs.last_mut() {
            run.push(logged);
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}
