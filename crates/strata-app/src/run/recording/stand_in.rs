//! Events that stand where the answers to calls will.

use std::sync::Arc;

use strata_model::{Event, Object, Str, marks};
use strata_store::RecordedRequest;

use crate::run::sent::SentCall;

/// An event without content, and the call whose answer will take its place.
#[derive(Clone)]
pub(crate) struct StandIn {
    pub event: Arc<Event>,
    pub call: SentCall,
}

/// What such an event says of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallState {
    /// It is held before it is sent.
    Held,
    /// It was sent, and nothing has come yet.
    Sent,
}

impl CallState {
    fn mark(self) -> &'static str {
        match self {
            Self::Held => marks::PENDING,
            Self::Sent => marks::UNANSWERED,
        }
    }
}

/// The event that stands for the answer to a call. It is known by its id; `now` is in epoch seconds.
pub(crate) fn stand_in(call: &SentCall, state: CallState, id: Str, now: f64) -> StandIn {
    let event = Event {
        id: id.clone(),
        author: call.agent.clone(),
        invocation_id: call.invocation_id.clone(),
        branch: call.branch.clone(),
        timestamp: now,
        custom_metadata: Some(Object::from_iter([(state.mark(), true)])),
        ..Event::default()
    };
    let mut call = call.clone();
    call.stand_in = Some(id);
    StandIn { event: Arc::new(event), call }
}

/// Takes what stands for answers off the end of a session.
pub(super) fn split_off(events: &mut Vec<Arc<Event>>) -> Vec<Arc<Event>> {
    let is_one = |event: &&Arc<Event>| {
        event.content.is_none()
            && [CallState::Held, CallState::Sent].iter().any(|state| marks::has(event, state.mark()))
    };
    let n_stand_ins = events.iter().rev().take_while(is_one).count();
    events.split_off(events.len() - n_stand_ins)
}

/// What stays of a call whose run has ended: a request that nothing answers, if it was sent.
pub(super) fn given_up(stand_in: &Event, request: RecordedRequest) -> Option<RecordedRequest> {
    marks::has(stand_in, marks::UNANSWERED).then_some(RecordedRequest { answer: None, ..request })
}
