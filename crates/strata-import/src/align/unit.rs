//! What messages are compared by.

use std::collections::HashMap;

use strata_model::{Fingerprint, FromJson as _, Json, Part, json};

use crate::message::{Role, Turn};

/// A part of a message that is sent again with every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) is_model: bool,
    pub(super) content: Fingerprint,
    /// Its message, and its place in that.
    pub(super) turn: usize,
    pub(super) part: usize,
    /// The event it stands in, once it is one.
    pub(super) event: Option<usize>,
}

impl Unit {
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.is_model == other.is_model && self.content == other.content
    }
}

/// The units of a request, system prompts left out.
pub(super) fn units_of(turns: &[Turn]) -> Vec<Unit> {
    let spoken = turns.iter().enumerate().filter(|(_, turn)| turn.role != Role::System);
    spoken.flat_map(|(at, turn)| units_of_turn(at, turn)).collect()
}

pub(super) fn units_of_turn(at: usize, turn: &Turn) -> Vec<Unit> {
    let is_model = turn.role == Role::Model;
    let parts = turn.parts.iter().enumerate();
    let units = parts.filter_map(|(part, content)| {
        Some(Unit { is_model, content: content_of(content)?, turn: at, part, event: None })
    });
    units.collect()
}

/// What a part says, as far as it is sent back unchanged; `None` for what clients drop.
fn content_of(part: &Part) -> Option<Fingerprint> {
    if part.is_thought() {
        return None;
    }
    if let Some(text) = &part.text {
        let text = text.trim();
        return (!text.is_empty()).then(|| Fingerprint::of(text.as_bytes()));
    }
    if let Some(call) = &part.function_call {
        let args = call.args.as_ref().map(|args| json::to_compact(&sorted(&Json::Object((**args).clone()))));
        let name = call.name.as_deref().unwrap_or_default();
        return Some(Fingerprint::of(format!("call {name} {}", args.unwrap_or_default()).as_bytes()));
    }
    if let Some(response) = &part.function_response {
        let answer = response.response.as_ref().map(|it| json::object_to_compact(it)).unwrap_or_default();
        return Some(Fingerprint::of(format!("result {answer}").as_bytes()));
    }
    // Tools that ran at the provider come back with other members than they were given with.
    let of_provider = ["toolCall", "toolResponse"].iter().find_map(|key| Some((*key, part.other.get(key)?)));
    if let Some((key, tool)) = of_provider
        && let Some(id) = tool.get("id").and_then(Json::as_str)
    {
        return Some(Fingerprint::of(format!("{key} {id}").as_bytes()));
    }
    Some(Fingerprint::of(json::to_compact(&part.to_json()).as_bytes()))
}

fn sorted(value: &Json) -> Json {
    match value {
        Json::Object(object) => {
            let object = object.sorted();
            Json::Object(object.iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// How units that were there stand to those of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Overlap {
    /// Units both begin with.
    pub(super) shared: usize,
    /// Units behind them that are in both, in the same order: places in the old and the new.
    pub(super) kept: Vec<(usize, usize)>,
}

pub(super) fn overlap(old: &[Unit], new: &[Unit]) -> Overlap {
    let shared = old.iter().zip(new).take_while(|(old, new)| old.is_same(new)).count();
    let mut places: HashMap<(bool, Fingerprint), Vec<usize>> = HashMap::new();
    for (at, unit) in old.iter().enumerate().skip(shared).rev() {
        places.entry((unit.is_model, unit.content)).or_default().push(at);
    }
    let mut kept = Vec::new();
    let mut from = shared;
    for (at, unit) in new.iter().enumerate().skip(shared) {
        let Some(places) = places.get_mut(&(unit.is_model, unit.content)) else { continue };
        while places.last().is_some_and(|place| *place < from) {
            places.pop();
        }
        if let Some(place) = places.pop() {
            kept.push((place, at));
            from = place + 1;
        }
    }
    Overlap { shared, kept }
}
