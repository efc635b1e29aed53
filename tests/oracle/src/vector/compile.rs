//! Kinds `compile` and `conversation`: the request of a call, after every processor and at the end.

use strata_engine::{
    AppIndex, CallSource, Compilation, CompileContext, EventLog, Flow, SessionIds, StageCache, StateView,
    compile,
};
use strata_model::{Json, Object, Session};

use super::adapter::Adapter;
use super::outcome::check_outcome;
use super::stages::check_stages;
use super::{adapter, compaction, given};
use crate::laws::partition;
use crate::{Failure, into_result};

/// One call with everything it is compiled from.
struct Call<'v> {
    index: &'v AppIndex,
    session: &'v Session,
    log: EventLog,
    n_events: usize,
    state: Object,
    /// The vector of a compile, the entry of a conversation.
    given: &'v Json,
    vector: &'v Json,
}

pub(crate) fn check_vector(vector: &Json) -> Result<(), Failure> {
    let index = given::app(vector);
    let session = given::session(vector.get("session").expect("a session"));
    let log = EventLog::new(session.events.iter().cloned());
    let n_events = log.len();
    let call = Call {
        index: &index,
        session: &session,
        log,
        n_events,
        state: session.state.clone(),
        given: vector,
        vector,
    };
    let (mut failure, compilation) = call.check(&mut StageCache::new());
    if let Some(expected) = vector.get("expected").and_then(|expected| expected.get("adapter")) {
        let mut adapter = Adapter::of(vector);
        adapter.expect(vector.get("adapter").unwrap_or(&Json::Null));
        let ops = adapter.ops(&index, call.agent(), &compilation, call.clock());
        failure.extend(adapter::differences("adapter", expected, ops));
    }
    into_result(failure)
}

/// All calls of a scripted run, compiled one after the other with one cache.
pub(crate) fn check_conversation(vector: &Json) -> Result<(), Failure> {
    let index = given::app(vector);
    let sessions: Vec<Session> = vector
        .get("sessions")
        .and_then(Json::as_array)
        .unwrap_or_default()
        .iter()
        .map(given::session)
        .collect();
    let mut cache = StageCache::new();
    let mut failure = Vec::new();
    let turns = vector.get("script").and_then(|script| script.get("turns")).and_then(Json::as_array);
    let mut adapter = Adapter::of(vector);
    let mut ops: Vec<Vec<Json>> = vec![Vec::new(); turns.unwrap_or_default().len()];
    let mut last_turn = None;
    for (at, entry) in vector.get("calls").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        let session_id = given::text(entry, "session_id").unwrap_or_default();
        let session = sessions.iter().find(|session| session.id == session_id).expect("the call's session");
        let seen = entry.get("events").expect("the events a call sees");
        let (log, n_events) = match seen.get("prefix").and_then(Json::as_i64) {
            Some(prefix) => (EventLog::new(session.events.iter().cloned()), prefix as usize),
            None => {
                let log = EventLog::new(given::events(seen.get("list")));
                let n_events = log.len();
                (log, n_events)
            }
        };
        let state = entry.get("state").and_then(Json::as_object).cloned().unwrap_or_default();
        let call = Call { index: &index, session, log, n_events, state, given: entry, vector };
        let (differences, compilation) = call.check(&mut cache);
        failure.extend(differences.into_iter().map(|line| format!("call {at}: {line}")));
        let turn = entry.get("turn").and_then(Json::as_i64).and_then(|turn| usize::try_from(turn).ok());
        let Some(turn) = turn.filter(|turn| *turn < ops.len()) else { continue };
        if last_turn.replace(turn) != Some(turn) {
            adapter.expect(turns.and_then(|turns| turns.get(turn)).unwrap_or(&Json::Null));
        }
        ops[turn].extend(adapter.ops(&index, call.agent(), &compilation, call.clock()));
    }
    if let Some(expected) = vector.get("adapter_ops") {
        let ops = ops.into_iter().map(Json::from).collect();
        failure.extend(adapter::differences("adapter_ops", expected, ops));
    }
    if let Some(session) = sessions.first() {
        failure.extend(compaction::check_turns(vector, &index, session));
    }
    into_result(failure)
}

impl Call<'_> {
    fn agent(&self) -> &str {
        let agent = self.given.get("invocation").and_then(|invocation| invocation.get("agent"));
        agent.and_then(Json::as_str).unwrap_or_default()
    }

    /// Epoch seconds a little after the last event the call sees.
    fn clock(&self) -> f64 {
        let mut seen = self.log.events().range(0..self.n_events);
        seen.next_back().map_or(0.0, |last| last.event.timestamp) + 0.5
    }

    fn check(&self, cache: &mut StageCache) -> (Failure, Compilation) {
        let invocation = given::invocation(self.given.get("invocation").expect("an invocation"));
        let services = given::services(self.given, Some(self.vector));
        let agent_id = self.index.find(&invocation.agent).expect("the agent of the call");
        let answers = given::answers(self.given, self.index, agent_id);
        let context = CompileContext {
            index: self.index,
            agent_id,
            invocation: &invocation,
            events: self.log.prefix(self.n_events),
            state: StateView::of(&self.state),
            session: SessionIds {
                app_name: &self.session.app_name,
                user_id: &self.session.user_id,
                session_id: &self.session.id,
            },
            services: &services,
            backend: given::backend(self.vector),
            source: CallSource::Live,
            answers: &answers,
            recorded: None,
            unedited: None,
        };
        let compilation = compile(&Flow::of_agent(self.index, agent_id), &context, cache);
        let expected = self.given.get("expected").expect("what is expected");
        let mut failure = check_outcome(expected, &compilation);
        failure.extend(check_stages(self.given, expected, &compilation));
        for stage in &compilation.stages {
            failure.extend(
                partition(&stage.request).into_iter().map(|law| format!("{}: {law}", stage.processor)),
            );
        }
        (failure, compilation)
    }
}
