//! Which events of a log can only be read together.
//!
//! A history is built piece by piece where that gives the same as building it whole. It does where nothing reaches
//! over the joint: no call on one side with its response on the other, no rewind, no summary, no speech that goes on.

use imbl::{HashMap, Vector};
use strata_model::Str;

use super::logged_event::{Facts, LoggedEvent};

/// What reaches back from each event of a log. A copy is cheap.
#[derive(Debug, Clone, Default)]
pub(crate) struct EventLinks {
    events: Vector<Link>,
    first_with_id: HashMap<Str, u32>,
    without_id: CallsWithoutId,
}

/// Calls and responses that carry no id are matched by their order. While one agent in one place makes all of them,
/// what matches what is plain; otherwise it depends on who looks, and all of them are taken for connected.
#[derive(Debug, Clone, Default)]
struct CallsWithoutId {
    place: Option<Place>,
    is_mixed: bool,
    first: Option<u32>,
    last_call: Option<u32>,
    last_call_of_tool: HashMap<Str, u32>,
}

/// Author, branch, isolation scope.
type Place = (Str, Option<Str>, Option<Str>);

#[derive(Debug, Clone, Copy)]
struct Link {
    /// The first event that holds something this one belongs to; itself, if nothing does.
    reaches_back_to: u32,
    is_rewind_or_summary: bool,
    is_speech: bool,
    timestamp: f64,
    /// Over this event and all before it.
    latest: f64,
    /// In this event and before it.
    n_summaries: u32,
    has_speech_before: bool,
}

impl EventLinks {
    pub(crate) fn push(&mut self, logged: &LoggedEvent) {
        let at = self.events.len() as u32;
        let event = &*logged.event;
        let before = self.events.last();
        let range_end = event.actions.compaction.as_ref().and_then(|compaction| compaction.end_timestamp);
        let (latest, n_summaries, has_speech_before) = match before {
            Some(before) => (before.latest, before.n_summaries, before.has_speech_before),
            None => (f64::NEG_INFINITY, 0, false),
        };
        let reaches_back_to = self.reaches_back_to(logged, at);
        self.events.push_back(Link {
            reaches_back_to,
            is_rewind_or_summary: logged.is(Facts::REWIND) || logged.is(Facts::COMPACTION),
            is_speech: logged.is(Facts::TRANSCRIPT),
            timestamp: event.timestamp,
            latest: latest.max(event.timestamp).max(range_end.unwrap_or(latest)),
            n_summaries: n_summaries + u32::from(logged.is(Facts::COMPACTION)),
            has_speech_before: has_speech_before || logged.is(Facts::TRANSCRIPT),
        });
    }

    /// Whether the history of events `0..end` is the history of `0..joint` followed by that of `joint..end`.
    pub(crate) fn is_separable(&self, joint: usize, end: usize) -> bool {
        let Some(before) = joint.checked_sub(1).and_then(|before| self.events.get(before)) else {
            return true;
        };
        let after = self.events.focus().narrow(joint..end).into_iter();
        // Pieces of speech join over events that the agent does not see.
        let may_speech_go_on = before.has_speech_before && after.clone().any(|link| link.is_speech);
        // With a summary, the history is put in the order of time.
        let is_in_order = before.n_summaries == 0
            || (after.clone().next().is_none_or(|first| first.timestamp > before.latest)
                && after.clone().is_sorted_by(|a, b| a.timestamp <= b.timestamp));
        !may_speech_go_on
            && is_in_order
            && after.clone().all(|link| link.reaches_back_to as usize >= joint && !link.is_rewind_or_summary)
    }

    /// How many of the first so many events are summaries.
    pub(crate) fn n_summaries(&self, n_events: usize) -> usize {
        let last = n_events.min(self.events.len()).checked_sub(1).and_then(|last| self.events.get(last));
        last.map_or(0, |last| last.n_summaries as usize)
    }

    /// The first event that holds a call, a response or a branch of this id.
    pub(crate) fn first_event_with(&self, id: &str) -> Option<usize> {
        self.first_with_id.get(id).map(|first| *first as usize)
    }

    fn reaches_back_to(&mut self, logged: &LoggedEvent, at: u32) -> u32 {
        let event = &*logged.event;
        let mut first = at;
        let branches = event.branch.iter().flat_map(|branch| branch.split('.'));
        for (_, id) in branches.filter_map(|leaf| leaf.rsplit_once('@')) {
            first = first.min(self.first_with(id, at));
        }
        for id in event.long_running_tool_ids.iter().flatten() {
            first = first.min(self.first_with(id, at));
        }
        for call in event.function_calls() {
            first = first.min(match call.id.as_deref().filter(|id| !id.is_empty()) {
                Some(id) => self.first_with(id, at),
                None => self.without_id.call(logged, call.name.as_ref(), at),
            });
        }
        for response in event.function_responses() {
            first = first.min(match response.id.as_deref().filter(|id| !id.is_empty()) {
                Some(id) => self.first_with(id, at),
                None => self.without_id.response(logged, response.name.as_deref(), at),
            });
        }
        first
    }

    fn first_with(&mut self, id: &str, at: u32) -> u32 {
        match self.first_with_id.get(id) {
            Some(first) => *first,
            None => {
                self.first_with_id.insert(id.into(), at);
                at
            }
        }
    }
}

impl CallsWithoutId {
    /// The first call is taken for the owner of all responses that came before it.
    fn call(&mut self, logged: &LoggedEvent, name: Option<&Str>, at: u32) -> u32 {
        if let Some(name) = name {
            self.last_call_of_tool.insert(name.clone(), at);
        }
        let is_first_call = self.last_call.replace(at).is_none();
        let first = self.add(logged, at);
        if is_first_call || self.is_mixed { first } else { at }
    }

    /// A response is matched with the latest call, and with the latest of its tool's.
    fn response(&mut self, logged: &LoggedEvent, name: Option<&str>, at: u32) -> u32 {
        let first = self.add(logged, at);
        if self.is_mixed {
            return first;
        }
        let of_tool = name.and_then(|name| self.last_call_of_tool.get(name)).copied();
        self.last_call.into_iter().chain(of_tool).min().unwrap_or(at)
    }

    /// Notes where the event happened. Returns the first event with such a call or response.
    fn add(&mut self, logged: &LoggedEvent, at: u32) -> u32 {
        let event = &*logged.event;
        let place = (event.author.clone(), event.branch.clone(), event.isolation_scope.clone());
        self.is_mixed |=
            logged.is(Facts::FRAMEWORK) || self.place.as_ref().is_some_and(|known| *known != place);
        self.place = Some(place);
        *self.first.get_or_insert(at)
    }
}
