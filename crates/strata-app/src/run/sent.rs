//! What a run has sent, call by call, and which event answers it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_engine::Hook;
use strata_measure::tokens::TokenCount;
use strata_model::{
    Event, GivenEvent, Json, LlmRequest, Object, RecordedCall, RecordedStage, RequestChange, StateEntry, Str,
};
use strata_runtime::{AskedCode, HeldCall};
use strata_store::{Alignment, RecordPlace, RecordedRequest};

use crate::models::counted;
use crate::tables::Tables;

/// A call that was let through, until its request is stored.
#[derive(Debug, Clone)]
pub(crate) struct SentCall {
    pub agent: Str,
    pub invocation_id: Str,
    pub branch: Option<Str>,
    /// Counts the calls of the run from 1.
    number: usize,
    pub request: Arc<LlmRequest>,
    /// The request as google-adk has it, with what it was made from.
    body: Json,
    /// It was answered as recorded in another session, and reached no model.
    is_replayed: bool,
    /// An agent that is a tool has made it in a session of its own, whose events are not stored.
    is_apart: bool,
    /// The id of the event that stands for its answer as long as there is none, if the call was held.
    pub stand_in: Option<Str>,
}

/// What stays known of a call. Its request is in the store.
#[derive(Debug, Clone)]
pub(crate) struct ToldCall {
    pub agent: Str,
    pub is_replayed: bool,
    pub answer: Answered,
    /// What was sent, if that is to be told at the end.
    pub request: Option<Arc<LlmRequest>>,
    /// Of the prompt, by our count.
    pub count: TokenCount,
}

/// The event that answers a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    NotYet,
    /// By its place in the session.
    By(u32),
    /// No event of the session does: the call failed, was stopped, or belongs to an agent tool's own session.
    Never,
    /// The budget did not let it out.
    NotSent,
}

/// How many calls were sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentCounts {
    pub all: usize,
    /// Of these, the ones that were answered as recorded.
    pub replayed: usize,
    pub by_agent: HashMap<Str, u32>,
}

/// The calls of a run, in the order in which they were sent.
pub(crate) struct SentCalls {
    tables: Arc<Tables>,
    /// Requests are told at the end. Each is as large as its prompt.
    keeps_requests: bool,
    calls: Mutex<Calls>,
}

#[derive(Default)]
struct Calls {
    told: Vec<ToldCall>,
    counts: SentCounts,
    /// Those that may be answered yet, by their numbers.
    open: Vec<SentCall>,
    /// Those that no event answers, until they are stored.
    unanswered: Vec<SentCall>,
}

impl Calls {
    /// No event will answer these.
    fn give_up(&mut self, is_one: impl Fn(&SentCall) -> bool) {
        for call in self.open.extract_if(.., |call| is_one(call)) {
            if let Some(told) = self.told.get_mut(call.number - 1) {
                told.answer = Answered::Never;
            }
            self.unanswered.push(call);
        }
    }
}

impl SentCalls {
    pub(crate) fn new(tables: Arc<Tables>, keeps_requests: bool) -> Self {
        Self { tables, keeps_requests, calls: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn all(&self) -> Vec<ToldCall> {
        let calls = self.lock();
        calls.told.iter().filter(|call| call.answer != Answered::NotSent).cloned().collect()
    }

    pub(crate) fn counts(&self) -> SentCounts {
        self.lock().counts.clone()
    }

    /// The number of a call that would go out now.
    pub(crate) fn next_number(&self) -> usize {
        self.len() + 1
    }

    fn len(&self) -> usize {
        self.lock().told.len()
    }

    /// Notes a request that goes out.
    pub(crate) fn add(&self, call: SentCall) {
        let model = call.request.model.as_deref().unwrap_or_default();
        let count = counted(&self.tables.counting, model, &call.request);
        let mut calls = self.lock();
        // An agent asks again when it has its answer, or none will come.
        calls.give_up(|known| known.is_of(&call.agent, &call.invocation_id, call.branch.as_ref()));
        calls.told.push(ToldCall {
            agent: call.agent.clone(),
            is_replayed: call.is_replayed,
            answer: Answered::NotYet,
            request: self.keeps_requests.then(|| call.request.clone()),
            count,
        });
        let SentCounts { all, replayed, by_agent } = &mut calls.counts;
        *all += 1;
        *replayed += usize::from(call.is_replayed);
        *by_agent.entry(call.agent.clone()).or_default() += 1;
        let is_apart = call.is_apart;
        let number = call.number;
        calls.open.push(call);
        if is_apart {
            calls.give_up(|known| known.number == number);
        }
    }

    /// The latest call of an agent did not go out after all.
    pub(crate) fn withdraw(&self, agent: &str) {
        let mut calls = self.lock();
        // One that was held is in the session already.
        let is_it = |call: &SentCall| *call.agent == *agent && call.stand_in.is_none();
        let Some(at) = calls.open.iter().rposition(is_it) else { return };
        let number = calls.open.remove(at).number;
        if let Some(told) = calls.told.get_mut(number - 1) {
            told.answer = Answered::NotSent;
        }
        calls.counts.all -= 1;
        if let Some(n) = calls.counts.by_agent.get_mut(agent) {
            *n -= 1;
        }
    }

    /// The call that an event answers, if the event is an answer.
    pub(crate) fn answered_by(&self, event: &Event) -> Option<SentCall> {
        if event.content.is_none() && event.error_code.is_none() || event.is_compaction() {
            return None;
        }
        let calls = self.lock();
        let mut latest_first = calls.open.iter().rev();
        latest_first
            .find(|call| call.is_of(&event.author, &event.invocation_id, event.branch.as_ref()))
            .cloned()
    }

    /// The call and its answer are stored.
    pub(crate) fn settle(&self, call: &SentCall, event: u32) {
        let mut calls = self.lock();
        calls.open.retain(|known| known.number != call.number);
        if let Some(told) = calls.told.get_mut(call.number - 1) {
            told.answer = Answered::By(event);
        }
    }

    /// Nothing that was sent is answered any more.
    pub(crate) fn end(&self) {
        self.lock().give_up(|_| true);
    }

    /// Calls that no event answers, and that are to be stored.
    pub(crate) fn unanswered(&self) -> Vec<SentCall> {
        self.lock().unanswered.clone()
    }

    /// The first so many of them are stored.
    pub(crate) fn forget_unanswered(&self, n: usize) {
        self.lock().unanswered.drain(..n);
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
            is_replayed: false,
            is_apart: false,
            stand_in: None,
        }
    }

    /// The same, answered as recorded.
    pub(crate) fn replayed(self) -> Self {
        Self { is_replayed: true, ..self }
    }

    /// The same, made in another session than the run's.
    pub(crate) fn apart(self, is_apart: bool) -> Self {
        Self { is_apart, ..self }
    }

    fn is_of(&self, agent: &str, invocation_id: &str, branch: Option<&Str>) -> bool {
        *self.agent == *agent && *self.invocation_id == *invocation_id && self.branch.as_ref() == branch
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
        stages: (!held.asked.is_empty())
            .then(|| held.asked.iter().map(|asked| recorded_stage(held, *asked)).collect()),
        ..RecordedCall::default()
    }
}

/// What the app's own code did to the request, so that a compile later does it again.
fn recorded_stage(held: &HeldCall, asked: AskedCode) -> RecordedStage {
    let stages = &held.compilation.stages;
    let request = |at: usize| stages.get(at).map(|stage| stage.request.to_json()).unwrap_or_default();
    let changes = RequestChange::between(&request(asked.stage.wrapping_sub(1)), &request(asked.stage));
    let processor = stages.get(asked.stage).map(|stage| stage.processor.clone()).unwrap_or_default();
    let (kind, position) = match asked.hook {
        Hook::Plugin(_) => ("plugin", None),
        Hook::Callback(at) => ("callback", Some(at as u64)),
    };
    let name = processor.split_once(':').map_or(&*processor, |(_, name)| name);
    RecordedStage {
        kind: kind.into(),
        name: name.into(),
        position,
        changes: (!changes.is_empty()).then_some(changes),
        ..RecordedStage::default()
    }
}
