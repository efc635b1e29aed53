//! What messages are compared by.

use std::collections::HashMap;

use strata_model::{Fingerprint, FingerprintBuilder, FromJson as _, Json, Object, Part};
use strata_wire::message::{Role, Turn};

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

/// What two units have in common that say the same.
pub(super) type UnitKey = (bool, Fingerprint);

impl Unit {
    pub(super) fn key(&self) -> UnitKey {
        (self.is_model, self.content)
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.is_model == other.is_model && self.content == other.content
    }

    /// The part that it is, of the messages of its request.
    pub(super) fn part_of<'t>(&self, turns: &'t [Turn]) -> &'t Part {
        &turns[self.turn].parts[self.part]
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
pub(super) fn content_of(part: &Part) -> Option<Fingerprint> {
    if part.is_thought() {
        return None;
    }
    if let Some(text) = &part.text {
        let text = text.trim();
        return (!text.is_empty()).then(|| Fingerprint::of(text.as_bytes()));
    }
    let mut said = FingerprintBuilder::new();
    if let Some(call) = &part.function_call {
        said.text("call").optional(call.name.as_deref());
        // Clients that send a call back may have read its arguments and written them anew.
        call.args.iter().for_each(|args| add_sorted(args, &mut said));
    } else if let Some(response) = &part.function_response {
        said.text("result");
        response.response.iter().for_each(|answer| _ = said.object(answer));
    } else if let Some((key, id)) = tool_of_provider(part) {
        said.text(key).text(id);
    } else {
        said.json(&part.to_json());
    }
    Some(said.finish())
}

/// Tools that ran at the provider come back with other members than they were given with.
fn tool_of_provider(part: &Part) -> Option<(&'static str, &str)> {
    let (key, tool) =
        ["toolCall", "toolResponse"].iter().find_map(|key| Some((*key, part.other.get(key)?)))?;
    Some((key, tool.get("id")?.as_str()?))
}

/// Adds an object in the order of its keys.
fn add_sorted(object: &Object, said: &mut FingerprintBuilder) {
    let mut members: Vec<_> = object.iter().collect();
    members.sort_unstable_by_key(|(key, _)| *key);
    said.number(members.len() as u64);
    for (key, value) in members {
        said.text(key);
        add_sorted_value(value, said);
    }
}

fn add_sorted_value(value: &Json, said: &mut FingerprintBuilder) {
    match value {
        Json::Object(object) => add_sorted(object, said),
        Json::Array(items) => {
            said.number(items.len() as u64);
            for item in items {
                add_sorted_value(item, said);
            }
        }
        other => _ = said.json(other),
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
    let mut kept = Vec::new();
    if shared == old.len() || shared == new.len() {
        return Overlap { shared, kept };
    }
    let mut places: HashMap<UnitKey, Vec<usize>> = HashMap::new();
    for (at, unit) in old.iter().enumerate().skip(shared).rev() {
        places.entry(unit.key()).or_default().push(at);
    }
    let mut from = shared;
    for (at, unit) in new.iter().enumerate().skip(shared) {
        let Some(places) = places.get_mut(&unit.key()) else { continue };
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
