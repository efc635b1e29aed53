//! What a conversation states that a summary can lose.

mod dates;
mod fact;
mod json_values;
mod numbers;
mod patterns;
mod sentences;

use std::collections::{BTreeMap, HashMap};

pub(super) use dates::Day;
pub(super) use fact::normal;
pub use fact::{Fact, FactKind};
pub(super) use numbers::Quantity;
use patterns::Patterns;
pub(super) use patterns::url_key;
pub(super) use sentences::{content_words, sentences};
use strata_engine::{Facts, LoggedEvent};
use strata_model::{Event, EventIndex, Json, json};

/// Finds facts. It is made once: its patterns take longer to prepare than to use.
pub struct FactReader {
    patterns: Patterns,
}

impl Default for FactReader {
    fn default() -> Self {
        Self::new()
    }
}

impl FactReader {
    pub fn new() -> Self {
        Self { patterns: Patterns::new() }
    }

    /// What consecutive events state, in order, each fact once. A call without a result in `all` is pending.
    pub fn read(&self, events: &[&LoggedEvent], all: &[&LoggedEvent]) -> Vec<Fact> {
        let mut facts: Vec<Fact> = Vec::new();
        let mut seen: HashMap<String, usize> = HashMap::new();
        for logged in events {
            let mut found = self.read_event(logged);
            found.extend(pending_calls(logged, all));
            for fact in found {
                let key = fact.key.clone();
                if let std::collections::hash_map::Entry::Vacant(place) = seen.entry(key) {
                    place.insert(facts.len());
                    facts.push(fact);
                }
            }
        }
        facts
    }

    /// What one event states.
    pub fn read_event(&self, logged: &LoggedEvent) -> Vec<Fact> {
        let Some(event) = logged.index else { return Vec::new() };
        let mut found = Vec::new();
        for part in logged.event.parts() {
            if let Some(text) = part.text.as_deref().filter(|_| !part.is_thought()) {
                self.patterns.read_text(text, event, &mut found);
                sentences::read(text, logged.event.is_from_user(), event, &mut found);
            }
            let args = part.function_call.as_ref().and_then(|call| call.args.as_deref());
            let response = part.function_response.as_ref().and_then(|response| response.response.as_deref());
            for object in args.into_iter().chain(response) {
                json_values::read(object, &self.patterns, event, &mut found);
            }
        }
        found
    }

    /// The literal facts of a text, wherever it stands.
    pub(super) fn read_text(&self, text: &str) -> Vec<Fact> {
        let mut found = Vec::new();
        self.patterns.read_text(text, EventIndex(0), &mut found);
        found
    }

    /// How often each fact is stated in some events, by its key.
    pub fn uses(&self, events: &[&LoggedEvent]) -> BTreeMap<String, u32> {
        let mut uses = BTreeMap::new();
        // A system text that is told anew uses nothing of what was said before it.
        for logged in events.iter().filter(|logged| !logged.is(Facts::SYSTEM_TEXT)) {
            for fact in self.read_event(logged) {
                *uses.entry(fact.key).or_default() += 1;
            }
        }
        uses
    }
}

/// Calls of an event that nothing answers.
fn pending_calls(logged: &LoggedEvent, all: &[&LoggedEvent]) -> Vec<Fact> {
    let Some(event) = logged.index else { return Vec::new() };
    let is_answered = |id: &str| {
        all.iter()
            .any(|other| other.event.function_responses().any(|response| response.id.as_deref() == Some(id)))
    };
    let event_of = |event: &Event| event.function_calls().cloned().collect::<Vec<_>>();
    event_of(&logged.event)
        .into_iter()
        .filter(|call| call.id.as_deref().is_some_and(|id| !id.is_empty() && !is_answered(id)))
        .map(|call| {
            let name = call.name.as_deref().unwrap_or_default();
            let args = call.args.as_ref().map_or_else(String::new, |args| {
                json::to_compact(&Json::Object((**args).clone())).chars().take(200).collect()
            });
            Fact {
                kind: FactKind::PendingCall,
                text: format!("{name}({args})"),
                key: format!("call {}", call.id.as_deref().unwrap_or_default()),
                event,
            }
        })
        .collect()
}
