//! Windows cut around events that stay.

use std::collections::{BTreeSet, HashSet};

use strata_model::{Event, EventIndex};

use super::window::Window;
use crate::log::LoggedEvent;

/// The windows that remain of one when some events stay as they are, each a run of neighbours. With an event stay the
/// calls it answers and the answers to its calls. The previous summary goes with the first run.
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
        let kept = events.iter().zip(&stays).filter(|(_, stays)| **stays);
        let ids: HashSet<&str> = kept.flat_map(|(logged, _)| ids(&logged.event)).collect();
        let mut has_grown = false;
        for (logged, stays) in events.iter().zip(&mut stays).filter(|(_, stays)| !**stays) {
            if self::ids(&logged.event).any(|id| ids.contains(id)) {
                (*stays, has_grown) = (true, true);
            }
        }
        if !has_grown {
            return stays;
        }
    }
}

fn ids(event: &Event) -> impl Iterator<Item = &str> {
    let calls = event.function_calls().filter_map(|call| call.id.as_deref());
    let responses = event.function_responses().filter_map(|response| response.id.as_deref());
    calls.chain(responses).filter(|id| !id.is_empty())
}

/// Runs of events that go. A summary covers a span of time, so a run ends before and begins after the time of an event
/// that stays.
fn runs<'e>(events: &[&'e LoggedEvent], stays: &[bool]) -> Vec<Vec<&'e LoggedEvent>> {
    let kept_times: Vec<f64> = events
        .iter()
        .zip(stays)
        .filter(|(_, stays)| **stays)
        .map(|(logged, _)| logged.event.timestamp)
        .collect();
    let shares_time = |logged: &LoggedEvent| kept_times.contains(&logged.event.timestamp);
    let mut runs: Vec<Vec<&LoggedEvent>> = vec![Vec::new()];
    for (logged, stays) in events.iter().zip(stays) {
        if *stays || shares_time(logged) {
            runs.push(Vec::new());
        } else if let Some(run) = runs.last_mut() {
            run.push(logged);
        }
    }
    runs.retain(|run| run.len() > 1);
    runs
}
