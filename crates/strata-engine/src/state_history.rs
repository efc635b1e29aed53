//! State as it was at any point of a recorded session.

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::{OrdMap, Vector};
use strata_model::{Event, EventIndex, FingerprintBuilder, Json, Object, Scope, Session, Str};

/// The value of a state key at some point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StateValue<'s> {
    Known(&'s Json),
    /// No event had written it, and it is not in the state at the end.
    Absent,
    /// It was written later, so what it held before is not known: the initial state is not recorded.
    NotRecorded,
}

impl<'s> StateValue<'s> {
    pub fn known(self) -> Option<&'s Json> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::NotRecorded => None,
        }
    }
}

/// Who wrote what when. A key no event ever wrote has held its last stored value all along. A copy is cheap.
#[derive(Debug, Clone, Default)]
pub struct StateHistory {
    /// Keys that no event wrote.
    constant: Object,
    writes: OrdMap<Str, Vector<(EventIndex, Json)>>,
    n_events: usize,
}

impl StateHistory {
    pub fn new(session: &Session) -> Self {
        let mut history = Self::default();
        history.read(&session.events, &session.state);
        history
    }

    /// Reads a session's events behind those that were read, and its state behind them.
    pub(crate) fn read(&mut self, events: &[Arc<Event>], state: &Object) {
        for (at, event) in events.iter().enumerate().skip(self.n_events) {
            for (key, value) in event.actions.state_delta.iter() {
                // Such keys live for one run and are taken off before the event is stored.
                if Scope::of(key) != Scope::Temp {
                    let writes = self.writes.entry(key.clone()).or_default();
                    writes.push_back((EventIndex(at as u32), value.clone()));
                }
            }
        }
        self.n_events = events.len();
        self.constant.clone_from(state);
        self.constant.retain(|key, _| !self.writes.contains_key(key));
    }

    /// Forgets what events behind the first so many wrote.
    pub(crate) fn cut(&mut self, n_events: usize) {
        if n_events >= self.n_events {
            return;
        }
        let kept = self.writes.iter().filter_map(|(key, writes)| {
            let n_kept = n_before(writes, n_events);
            (n_kept > 0).then(|| (key.clone(), writes.take(n_kept)))
        });
        self.writes = kept.collect();
        self.n_events = n_events;
    }

    /// Whether both say the same of every point at which they had read the same events, to the byte: templates show
    /// how numbers are written, and the order of keys.
    pub(crate) fn is_same_so_far(&self, other: &Self) -> bool {
        let written = |constant| FingerprintBuilder::new().object(constant).finish();
        written(&self.constant) == written(&other.constant)
    }

    /// State before the event at `n_events`.
    pub fn at(&self, n_events: usize) -> StateView<'_> {
        StateView { base: Base::History { history: self, n_events, seen: None }, overlay: None }
    }

    /// As [`Self::at`], where other values were seen then for some keys.
    pub fn at_with<'s>(&'s self, n_events: usize, seen: &'s Object) -> StateView<'s> {
        StateView { base: Base::History { history: self, n_events, seen: Some(seen) }, overlay: None }
    }

    /// Of a state that was seen before the event at `n_events`, the values that no event had written.
    pub(crate) fn not_written(
        &self,
        state: impl IntoIterator<Item = (Str, Json)>,
        n_events: usize,
    ) -> Object {
        let written = |key: &Str| {
            let writes = self.writes.get(key)?;
            writes.get(n_before(writes, n_events).checked_sub(1)?).map(|(_, value)| value)
        };
        state.into_iter().filter(|(key, value)| written(key) != Some(value)).collect()
    }

    /// All keys that are known at some point, in order.
    pub fn keys(&self) -> BTreeSet<&Str> {
        self.constant.keys().chain(self.writes.keys()).collect()
    }

    /// The last event before `n_events` that wrote the key.
    pub fn writer(&self, key: &str, n_events: usize) -> Option<EventIndex> {
        let writes = self.writes.get(key)?;
        let before = n_before(writes, n_events);
        before.checked_sub(1).map(|last| writes[last].0)
    }

    /// Every write of a key, in order.
    pub fn writes(&self, key: &str) -> impl Iterator<Item = &(EventIndex, Json)> {
        self.writes.get(key).into_iter().flatten()
    }

    fn get(&self, key: &str, n_events: usize) -> StateValue<'_> {
        if let Some(value) = self.constant.get(key) {
            return StateValue::Known(value);
        }
        let Some(writes) = self.writes.get(key) else { return StateValue::Absent };
        match n_before(writes, n_events) {
            0 => StateValue::NotRecorded,
            n => StateValue::Known(&writes[n - 1].1),
        }
    }
}

/// How many of the writes lie before the event at `n_events`.
fn n_before(writes: &Vector<(EventIndex, Json)>, n_events: usize) -> usize {
    writes
        .binary_search_by(|(event, _)| {
            if event.as_usize() < n_events { std::cmp::Ordering::Less } else { std::cmp::Ordering::Greater }
        })
        .unwrap_or_else(|after| after)
}

/// State at one point, perhaps with values written while compiling.
#[derive(Debug, Clone, Copy)]
pub struct StateView<'s> {
    base: Base<'s>,
    overlay: Option<&'s Object>,
}

#[derive(Debug, Clone, Copy)]
enum Base<'s> {
    Fixed(&'s Object),
    History { history: &'s StateHistory, n_events: usize, seen: Option<&'s Object> },
}

impl<'s> StateView<'s> {
    /// State that is known whole.
    pub fn of(state: &'s Object) -> Self {
        Self { base: Base::Fixed(state), overlay: None }
    }

    /// The same state with other values for some keys.
    #[must_use]
    pub fn overlaid(self, values: &'s Object) -> Self {
        Self { overlay: Some(values), ..self }
    }

    /// All keys whose values are known, in order of their names; those written while compiling last.
    pub fn known(&self) -> Object {
        let mut known = match self.base {
            Base::Fixed(state) => state.clone(),
            Base::History { history, n_events, seen } => {
                let values = history
                    .keys()
                    .into_iter()
                    .filter_map(|key| Some((key.clone(), history.get(key, n_events).known()?.clone())));
                let mut known: Object = values.collect();
                if let Some(seen) = seen {
                    known.update(seen);
                }
                known
            }
        };
        if let Some(overlay) = self.overlay {
            known.update(overlay);
        }
        known
    }

    pub fn get(&self, key: &str) -> StateValue<'s> {
        if let Some(value) = self.overlay.and_then(|overlay| overlay.get(key)) {
            return StateValue::Known(value);
        }
        match self.base {
            Base::Fixed(state) => state.get(key).map_or(StateValue::Absent, StateValue::Known),
            Base::History { history, n_events, seen } => {
                let seen = seen.and_then(|seen| seen.get(key));
                seen.map_or_else(|| history.get(key, n_events), StateValue::Known)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use strata_model::json;

    use super::*;

    fn of_state(state: &str) -> StateHistory {
        let Ok(Json::Object(state)) = json::parse(state.as_bytes()) else { unreachable!("an object") };
        StateHistory::new(&Session { state, ..Session::default() })
    }

    #[test]
    fn a_constant_that_is_written_otherwise_is_another() {
        let before = of_state(r#"{"data": {"a": 1, "b": 2}}"#);
        assert!(before.is_same_so_far(&of_state(r#"{"data": {"a": 1, "b": 2}}"#)));
        assert!(!before.is_same_so_far(&of_state(r#"{"data": {"b": 2, "a": 1}}"#)));
        assert!(!before.is_same_so_far(&of_state(r#"{"data": {"a": 1.0, "b": 2}}"#)));
    }
}
