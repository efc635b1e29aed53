//! Calls that wait for a person, and the agents that wait with them.

use std::collections::{HashMap, HashSet};

use strata_model::{Event, Str};

use crate::adk_text::{REQUEST_CREDENTIAL, REQUEST_INPUT};
use crate::branch;
use crate::log::LoggedEvent;

/// By the id of each call nobody has answered: the agent that made it, then those whose calls it was made in, from
/// the inside out.
pub(super) fn open_interrupts<'e>(events: &[&'e LoggedEvent]) -> HashMap<&'e str, Vec<&'e str>> {
    let mut open: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut author_of_call: HashMap<&str, &str> = HashMap::new();
    for logged in events {
        let event: &'e Event = &logged.event;
        let runs = run_ids(event);
        if event.is_from_user() {
            let mut answers = event.function_responses().peekable();
            if answers.peek().is_some() {
                open.retain(|id, _| !runs.contains(id));
            }
            for id in answers.filter_map(|response| response.id.as_deref()) {
                open.remove(id);
            }
        } else if !event.author.is_empty() {
            let ids = event.function_calls().filter_map(|call| call.id.as_deref());
            author_of_call.extend(ids.filter(|id| !id.is_empty()).map(|id| (id, &*event.author)));
        }
        let mut authors = vec![&*event.author];
        authors.extend(runs.iter().rev().filter_map(|run| author_of_call.get(run).copied()));
        authors.retain(|author| !author.is_empty());
        let mut seen = HashSet::new();
        authors.retain(|author| seen.insert(*author));
        for id in interrupt_ids(event) {
            open.insert(id, authors.clone());
        }
    }
    open
}

/// Ids by which an event waits for answers: those it lists, and those of its calls that ask.
pub fn interrupt_ids(event: &Event) -> impl Iterator<Item = &Str> {
    let asks = |name: &str| [REQUEST_INPUT, REQUEST_CREDENTIAL].contains(&name);
    let requests = event.function_calls().filter(move |call| call.name.as_deref().is_some_and(asks));
    event.long_running_tool_ids.iter().flatten().chain(requests.filter_map(|call| call.id.as_ref()))
}

/// What follows the last `@` in each segment of the event's branch.
pub(super) fn run_ids(event: &Event) -> Vec<&str> {
    event.branch.iter().flat_map(|branch| branch::run_ids(branch)).collect()
}
