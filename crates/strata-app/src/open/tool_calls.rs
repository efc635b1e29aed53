//! The tool calls of a session by their ids, so that a result can say what it answers.

use std::sync::Arc;

use imbl::HashMap;
use strata_model::{Event, FunctionCall, Str};

/// Places of the events that call a tool under an id, in order: some clients use an id again. A copy is cheap.
#[derive(Clone, Default)]
pub(super) struct ToolCalls(HashMap<Str, Vec<u32>>);

impl ToolCalls {
    /// Takes in the events from a place on.
    pub(super) fn read(&mut self, events: &[Arc<Event>], from: usize) {
        for (at, event) in events.iter().enumerate().skip(from) {
            for id in event.function_calls().filter_map(|call| call.id.clone()) {
                self.0.entry(id).or_default().push(at as u32);
            }
        }
    }

    /// Forgets what an event called, which stood behind the first `kept` ones.
    pub(super) fn forget(&mut self, event: &Event, kept: usize) {
        for id in event.function_calls().filter_map(|call| call.id.as_ref()) {
            if let Some(places) = self.0.get_mut(id) {
                places.retain(|at| (*at as usize) < kept);
            }
        }
    }

    /// The last call with this id that stands in front of an event or in it, with the place of its own.
    pub(super) fn before<'e>(
        &self,
        events: &'e [Arc<Event>],
        (id, at): (&str, usize),
    ) -> Option<(usize, &'e FunctionCall)> {
        let place = self.0.get(id)?.iter().rev().map(|place| *place as usize).find(|place| *place <= at)?;
        let call = events.get(place)?.function_calls().find(|call| call.id.as_deref() == Some(id))?;
        Some((place, call))
    }
}
