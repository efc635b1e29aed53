//! What a run has sent, call by call, and which event answers it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;
use strata_model::{Event, GivenEvent, Json, LlmRequest, Object, RecordedCall, StateEntry, Str};
use strata_runtime::{Failure, Gate, HeldCall};
use strata_store::{Alignment, RecordPlace, RecordedRequest};

/// A call that was let through.
#[derive(Debug, Clone)]
pub(crate) struct SentCall {
    pub agent: Str,
    invocation_id: Str,
    branch: Option<Str>,
    pub request: Arc<LlmRequest>,
    /// The request as google-adk has it, with what it was made from; null once it is stored.
    body: Json,
    pub answer: Answered,
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

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Notes a request that goes out. `stored_state` is what the session's events tell of the state.
    fn add(&self, held: &HeldCall, request: &LlmRequest, stored_state: &Object) {
        let invocation = &held.invocation;
        let mut calls = self.lock();
        // An agent asks again when it has its answer, or none will come.
        for call in calls.iter_mut().filter(|call| {
            call.is_of(&invocation.agent, &invocation.invocation_id, invocation.branch.as_ref())
        }) {
            call.give_up();
        }
        let recorded = recorded_call(held, stored_state, calls.len() + 1);
        let json = request.to_json();
        calls.push(SentCall {
            agent: invocation.agent.clone(),
            invocation_id: invocation.invocation_id.clone(),
            branch: invocation.branch.clone(),
            body: recorded.into_body(json.as_object().cloned().unwrap_or_default()),
            request: Arc::new(request.clone()),
            answer: Answered::NotYet,
        });
    }

    /// The place of the call that an event answers, and its request as it is stored, if the event stands at `at`.
    pub(crate) fn answered_by(&self, event: &Event, at: u32) -> Option<(usize, RecordedRequest)> {
        if event.content.is_none() && event.error_code.is_none() || event.is_compaction() {
            return None;
        }
        let calls = self.lock();
        let is_answered =
            |call: &SentCall| call.is_of(&event.author, &event.invocation_id, event.branch.as_ref());
        let place = calls.iter().rposition(is_answered)?;
        Some((place, calls[place].stored(Some(at), place)))
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
        let later = calls.iter().enumerate().skip(from);
        later
            .filter(|(_, call)| call.answer == Answered::Never)
            .map(|(at, call)| call.stored(None, at))
            .collect()
    }
}

impl SentCall {
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

    fn stored(&self, answer: Option<u32>, place: usize) -> RecordedRequest {
        RecordedRequest {
            answer,
            body: self.body.clone(),
            place: RecordPlace::Row { table: "run".to_owned(), id: (place + 1).to_string() },
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

/// Notes every request that the gate behind it lets through.
pub(crate) struct NotingGate {
    pub gate: Arc<dyn Gate>,
    pub sent: Arc<SentCalls>,
    /// The state of the session as it is stored.
    pub stored_state: Box<dyn Fn() -> Object + Send + Sync>,
}

impl Gate for NotingGate {
    fn before_call(&self, call: HeldCall) -> BoxFuture<'_, Result<LlmRequest, Failure>> {
        Box::pin(async move {
            let request = self.gate.before_call(call.clone()).await?;
            self.sent.add(&call, &request, &(self.stored_state)());
            Ok(request)
        })
    }
}
