//! What a run has sent, call by call, and which event answers it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_model::{Event, GivenEvent, Json, LlmRequest, Object, RecordedCall, StateEntry, Str};
use strata_runtime::HeldCall;
use strata_store::{Alignment, RecordPlace, RecordedRequest};

/// A call that was let through.
#[derive(Debug, Clone)]
pub(crate) struct SentCall {
    pub agent: Str,
    pub invocation_id: Str,
    pub branch: Option<Str>,
    /// Counts the calls of the run from 1.
    number: usize,
    pub request: Arc<LlmRequest>,
    /// The request as google-adk has it, with what it was made from; null once it is stored.
    body: Json,
    pub answer: Answered,
    /// It was answered as recorded in another session, and reached no model.
    pub is_replayed: bool,
    /// The id of the event that stands for its answer as long as there is none, if the call was held.
    pub stand_in: Option<Str>,
}

/// The event that answers a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    NotYet,
    /// By its place in the session.
    By(u32),
    /// No event of the session does: the call failed, was stopped, or belongs to an agent tool's own session.
    Never,
}

/// The calls of a run, in the order in which they were sent.
#[derive(Default)]
pub(crate) struct SentCalls(Mutex<Vec<SentCall>>);

impl SentCalls {
    fn lock(&self) -> MutexGuard<'_, Vec<SentCall>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn all(&self) -> Vec<SentCall> {
        self.lock().clone()
    }

    /// The number of a call that would go out now.
    pub(crate) fn next_number(&self) -> usize {
        self.len() + 1
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Notes a request that goes out.
    pub(crate) fn add(&self, call: SentCall) {
        let mut calls = self.lock();
        // An agent asks again when it has its answer, or none will come.
        let earlier =
            |known: &&mut SentCall| known.is_of(&call.agent, &call.invocation_id, call.branch.as_ref());
        for known in calls.iter_mut().filter(earlier) {
            known.give_up();
        }
        calls.push(call);
    }

    /// The place of the call that an event answers, if the event is an answer.
    pub(crate) fn answered_by(&self, event: &Event) -> Option<(usize, SentCall)> {
        if event.content.is_none() && event.error_code.is_none() || event.is_compaction() {
            return None;
        }
        let calls = self.lock();
        let is_answered =
            |call: &SentCall| call.is_of(&event.author, &event.invocation_id, event.branch.as_ref());
        let place = calls.iter().rposition(is_answered)?;
        Some((place, calls[place].clone()))
    }

    pub(crate) fn settle(&self, place: usize, answer: Answered) {
        if let Some(call) = self.lock().get_mut(place) {
            call.answer = answer;
            call.body = Json::Null;
        }
    }

    /// Lets go of the bodies of requests that are stored: each is as large as its prompt.
    pub(crate) fn forget_given_up(&self) {
        for call in self.lock().iter_mut().filter(|call| call.answer == Answered::Never) {
            call.body = Json::Null;
        }
    }

    /// The requests that no event will answer, of those behind the first so many.
    pub(crate) fn give_up(&self, from: usize) -> Vec<RecordedRequest> {
        let mut calls = self.lock();
        for call in calls.iter_mut() {
            call.give_up();
        }
        let later = calls.iter().skip(from).filter(|call| call.answer == Answered::Never);
        later.map(|call| call.stored(None)).collect()
    }
}

impl SentCall {
    /// A call that goes out, or would. `stored_state` is what the session's events tell of the state; `number` counts
    /// the calls of the run from 1.
    pub(crate) fn new(
        held: &HeldCall,
        request: Arc<LlmRequest>,
        stored_state: &Object,
        number: usize,
        edited_by_hand: Option<bool>,
    ) -> Self {
        let invocation = &held.invocation;
        let recorded = RecordedCall { edited_by_hand, ..recorded_call(held, stored_state, number) };
        let json = request.to_json();
        Self {
            agent: invocation.agent.clone(),
            invocation_id: invocation.invocation_id.clone(),
            branch: invocation.branch.clone(),
            body: recorded.into_body(json.as_object().cloned().unwrap_or_default()),
            number,
            request,
            answer: Answered::NotYet,
            is_replayed: false,
            stand_in: None,
        }
    }

    /// The same, answered as recorded.
    pub(crate) fn replayed(self) -> Self {
        Self { is_replayed: true, ..self }
    }

    fn is_of(&self, agent: &str, invocation_id: &str, branch: Option<&Str>) -> bool {
        self.answer == Answered::NotYet
            && *self.agent == *agent
            && *self.invocation_id == *invocation_id
            && self.branch.as_ref() == branch
    }

    fn give_up(&mut self) {
        if self.answer == Answered::NotYet {
            self.answer = Answered::Never;
        }
    }

    /// As it is stored, with the place of the event that answers it.
    pub(crate) fn stored(&self, answer: Option<u32>) -> RecordedRequest {
        RecordedRequest {
            answer,
            body: self.body.clone(),
            place: RecordPlace::Row { table: "run".to_owned(), id: self.number.to_string() },
            alignment: Alignment::default(),
            added_from: None,
        }
    }
}

fn recorded_call(held: &HeldCall, stored_state: &Object, number: usize) -> RecordedCall {
    let invocation = &held.invocation;
    let is_new = |key: &str, value: &Json| stored_state.get(key) != Some(value);
    let state: Vec<StateEntry> = held
        .state
        .iter()
        .filter(|(key, value)| is_new(key, value))
        .map(|(key, value)| StateEntry {
            key: key.clone(),
            value: Some(value.clone()),
            ..StateEntry::default()
        })
        .collect();
    let inputs = held.input.iter().map(|(at, event)| GivenEvent {
        at: Some(*at as u64),
        event: Some(event.clone()),
        ..GivenEvent::default()
    });
    RecordedCall {
        id: format!("call-{number}").into(),
        agent: invocation.agent.clone(),
        invocation_id: invocation.invocation_id.clone(),
        branch: invocation.branch.clone(),
        isolation_scope: invocation.isolation_scope.clone(),
        node_path: Some(invocation.node_path.as_str().into()),
        mode: invocation.mode,
        include_contents: invocation.include_contents,
        user_content: invocation.user_content.as_deref().cloned(),
        n_events: Some(held.n_events as u64),
        state: Some(state),
        inputs: Some(inputs.collect()),
        ..RecordedCall::default()
    }
}
