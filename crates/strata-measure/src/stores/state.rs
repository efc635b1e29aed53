//! State by key: who wrote it, what it held at a call, and into which prompts it was read.

use std::collections::{BTreeMap, BTreeSet};

use strata_engine::{Call, Experiment, StateValue};
use strata_model::{EventIndex, Json, LlmRequest, Origin, Scope, SharedList};

use crate::analysis::{CacheAnalysis, CallCache, Cause, Loss, SessionAnalysis};

/// What a key held at a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StoredValue<'s> {
    Known(&'s Json),
    /// No event had written it by then, and it is not in the state at the end.
    Absent,
    /// It was written later: what it held before is not recorded.
    NotRecorded,
    /// It lived in a turn that was over.
    Gone {
        turn: u32,
    },
}

impl<'s> StoredValue<'s> {
    pub fn known(self) -> Option<&'s Json> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::NotRecorded | Self::Gone { .. } => None,
        }
    }
}

/// An event that wrote a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyWrite<'s> {
    pub event: EventIndex,
    /// The call that was answered last by then; 0 before the first one.
    pub call: u32,
    pub value: &'s Json,
}

/// The state of a session, key by key. Values are those that instructions are compiled from.
pub struct StateStore<'s> {
    experiment: &'s Experiment,
    /// Writes of keys that live for one invocation: the compiler knows them only where a recorder saw them.
    temp: BTreeMap<&'s str, Vec<(EventIndex, &'s Json)>>,
    reads: BTreeMap<&'s str, Vec<u32>>,
    breaks: BTreeMap<&'s str, Vec<(&'s CallCache, &'s Loss)>>,
    keys: BTreeSet<&'s str>,
}

impl<'s> StateStore<'s> {
    pub fn of(experiment: &'s Experiment, analysis: &'s SessionAnalysis, caches: &'s CacheAnalysis) -> Self {
        let mut temp: BTreeMap<&str, Vec<(EventIndex, &Json)>> = BTreeMap::new();
        for (at, event) in experiment.session().events.iter().enumerate() {
            for (key, value) in event.actions.state_delta.iter() {
                if Scope::of(key) == Scope::Temp {
                    temp.entry(key).or_default().push((EventIndex(at as u32), value));
                }
            }
        }
        let reads = reads(experiment, analysis);
        let mut breaks: BTreeMap<&str, Vec<(&CallCache, &Loss)>> = BTreeMap::new();
        for call in &caches.calls {
            if let Some(loss) = call.broken()
                && let Cause::State { key, .. } = &loss.cause
            {
                breaks.entry(key).or_default().push((call, loss));
            }
        }
        let seen = experiment.calls().iter().filter_map(|call| experiment.seen_state(call));
        let mut keys: BTreeSet<&str> = experiment.states().keys().into_iter().map(|key| &**key).collect();
        keys.extend(seen.flat_map(|seen| seen.keys()).map(|key| &**key));
        keys.extend(temp.keys().chain(reads.keys()).chain(breaks.keys()));
        Self { experiment, temp, reads, breaks, keys }
    }

    /// Every key that was stored or asked for, in order of names.
    pub fn keys(&self) -> impl Iterator<Item = &'s str> + '_ {
        self.keys.iter().copied()
    }

    pub fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// The value as the call's instruction would be filled with it.
    pub fn at(&self, key: &str, call: &Call) -> StoredValue<'s> {
        match self.experiment.state_at(call).get(key) {
            StateValue::Known(value) => StoredValue::Known(value),
            StateValue::NotRecorded => StoredValue::NotRecorded,
            StateValue::Absent => self.temp_at(key, call),
        }
    }

    fn temp_at(&self, key: &str, call: &Call) -> StoredValue<'s> {
        let before = |(event, _): &&(EventIndex, &Json)| event.as_usize() < call.n_events();
        let written = self.temp.get(key);
        let Some((event, value)) = written.and_then(|writes| writes.iter().rev().find(before)) else {
            return StoredValue::Absent;
        };
        let invocation =
            self.experiment.session().events.get(event.as_usize()).map(|event| &event.invocation_id);
        if invocation == Some(&call.invocation.invocation_id) {
            return StoredValue::Known(value);
        }
        let of_turn = self.experiment.calls().iter();
        let turn = of_turn
            .filter(|other| Some(&other.invocation.invocation_id) == invocation)
            .map(|other| other.turn)
            .next();
        StoredValue::Gone { turn: turn.unwrap_or(0) }
    }

    /// Events that wrote the key, in order.
    pub fn writes(&self, key: &str) -> Vec<KeyWrite<'s>> {
        let write =
            |event, value| KeyWrite { event, call: last_answered(self.experiment.calls(), event), value };
        let temp = self.temp.get(key).into_iter().flatten().map(|(event, value)| write(*event, value));
        self.experiment.states().writes(key).map(|(event, value)| write(*event, value)).chain(temp).collect()
    }

    /// Calls whose instruction holds the key's value, in order.
    pub fn reads(&self, key: &str) -> &[u32] {
        self.reads.get(key).map_or(&[], Vec::as_slice)
    }

    /// Calls whose cached prefix ended because the value in it changed, in order.
    pub fn breaks(&self, key: &str) -> &[(&'s CallCache, &'s Loss)] {
        self.breaks.get(key).map_or(&[], Vec::as_slice)
    }
}

/// The number of the last call that was answered by the time of an event, that event included.
fn last_answered(calls: &SharedList<Call>, event: EventIndex) -> u32 {
    calls.partition_point(|call| call.answer <= event) as u32
}

/// Which calls hold the values of which keys, by the sources of their prompts.
fn reads<'s>(experiment: &Experiment, analysis: &'s SessionAnalysis) -> BTreeMap<&'s str, Vec<u32>> {
    let mut reads: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for call in analysis.calls() {
        let agent =
            experiment.call(call.number).and_then(|call| experiment.index().find(&call.invocation.agent));
        // Behind a static instruction, or by an edit, values stand among the contents.
        let is_among_contents = experiment.laid_over().is_some()
            || agent.is_some_and(|agent| experiment.index().agent(agent).static_instruction.is_some());
        for key in keys_in(&call.request, is_among_contents) {
            reads.entry(key).or_default().push(call.number);
        }
    }
    reads
}

fn keys_in(request: &LlmRequest, is_among_contents: bool) -> BTreeSet<&str> {
    fn key(origin: &Origin) -> Option<&str> {
        match origin {
            Origin::State { key } => Some(key),
            _ => None,
        }
    }
    let system = request.system_instruction.iter().flat_map(|text| text.spans());
    let mut keys: BTreeSet<&str> = system.filter_map(|span| key(&span.origin)).collect();
    if is_among_contents {
        let parts = request.contents.iter().flat_map(|content| &content.parts);
        keys.extend(parts.flat_map(|part| part.origins()).filter_map(|(_, origin)| key(origin)));
    }
    keys
}
