//! The session of a run while it runs: its log grows by one event at a time, and is what every call is compiled from.

use std::collections::HashMap;
use std::sync::Arc;

use strata_engine::{EventLog, EventView, LoggedEvent, StageCache};
use strata_model::{Event, Object, Session, Str};

use crate::services::SessionKey;

pub(crate) struct LiveSession {
    pub(crate) key: SessionKey,
    /// As code sees it: with `temp:` values, and with what is not stored yet.
    pub(crate) state: Object,
    pub(crate) log: EventLog,
    /// Places of events, by invocation.
    places: HashMap<Str, Vec<usize>>,
    has_rewinds: bool,
    /// What agents that answer once were given. It stands in the history while they run and is never stored.
    inputs: Vec<GivenInput>,
    n_inputs: u64,
    pub(crate) stages: StageCache,
    last_update_time: f64,
}

struct GivenInput {
    id: InputId,
    /// The number of events before it.
    at: usize,
    event: LoggedEvent,
}

/// Names an input for as long as it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InputId(u64);

impl LiveSession {
    pub(crate) fn new(key: SessionKey, session: Session) -> Self {
        let mut live = Self {
            key,
            state: session.state,
            log: EventLog::default(),
            places: HashMap::new(),
            has_rewinds: false,
            inputs: Vec::new(),
            n_inputs: 0,
            stages: StageCache::new(),
            last_update_time: session.last_update_time,
        };
        session.events.into_iter().for_each(|event| live.add(event));
        live
    }

    fn add(&mut self, event: Arc<Event>) {
        self.places.entry(event.invocation_id.clone()).or_default().push(self.log.len());
        self.has_rewinds |= event.actions.rewind_before_invocation_id.is_some();
        self.log.push(event);
    }

    /// Takes in an event that was stored. `delta` is what it wrote, `temp:` values included.
    pub(crate) fn push(&mut self, stored: Arc<Event>, delta: &Object) {
        self.state.update(delta);
        self.last_update_time = stored.timestamp;
        self.add(stored);
    }

    pub(crate) fn add_input(&mut self, event: Event) -> InputId {
        self.n_inputs += 1;
        let id = InputId(self.n_inputs);
        let event = LoggedEvent::new(Arc::new(event), None);
        self.inputs.push(GivenInput { id, at: self.log.len(), event });
        id
    }

    pub(crate) fn remove_input(&mut self, id: InputId) {
        self.inputs.retain(|input| input.id != id);
    }

    /// An input, with the number of events before it.
    pub(crate) fn input(&self, input: Option<InputId>) -> Option<(usize, Arc<Event>)> {
        let known = self.inputs.iter().find(|known| Some(known.id) == input)?;
        Some((known.at, known.event.event.clone()))
    }

    /// The events an agent sees, with the input it was given in its place.
    pub(crate) fn view(&self, input: Option<InputId>) -> EventView<'_> {
        let view = self.log.prefix(self.log.len());
        match self.inputs.iter().find(|known| Some(known.id) == input) {
            Some(input) => view.with_inserted(input.at, std::slice::from_ref(&input.event)),
            None => view,
        }
    }

    /// The stored events, oldest first.
    pub(crate) fn events(&self) -> impl DoubleEndedIterator<Item = &Arc<Event>> + ExactSizeIterator + Clone {
        self.log.events().iter().map(|logged| &logged.event)
    }

    /// The events of an invocation, oldest first.
    pub(crate) fn events_of(&self, invocation_id: &str) -> Vec<Arc<Event>> {
        let places = self.places.get(invocation_id).map_or(&[][..], |places| places);
        places.iter().map(|place| self.log.events()[*place].event.clone()).collect()
    }

    /// As [`Self::events_of`], without those a rewind took back.
    pub(crate) fn live_events_of(&self, invocation_id: &str) -> Vec<Arc<Event>> {
        if !self.has_rewinds {
            return self.events_of(invocation_id);
        }
        let live = self.live_events().into_iter().map(|logged| logged.event.clone());
        live.filter(|event| *event.invocation_id == *invocation_id).collect()
    }

    /// All events that rewinds have left, oldest first.
    pub(crate) fn live_events(&self) -> Vec<&LoggedEvent> {
        strata_engine::events_after_rewinds(self.log.events().iter())
    }

    /// A copy of the session as it is now, inputs included.
    pub(crate) fn to_session(&self) -> Session {
        let mut events: Vec<Arc<Event>> = self.events().cloned().collect();
        for input in self.inputs.iter().rev() {
            events.insert(input.at.min(events.len()), input.event.event.clone());
        }
        Session {
            id: self.key.session_id.clone(),
            app_name: self.key.app_name.clone(),
            user_id: self.key.user_id.clone(),
            state: self.state.clone(),
            events,
            last_update_time: self.last_update_time,
            other: Object::new(),
        }
    }
}
