//! Kinds `compile` and `conversation`: the request of a call, after every processor and at the end.

use strata_engine::{
    AppIndex, CallSource, CompileContext, EventLog, Flow, SessionIds, StageCache, StateView, compile,
};
use strata_model::{Json, Object, Session};

use strata_tests::laws::partition;

use super::outcome::check_outcome;
use super::stages::check_stages;
use super::{compaction, given};
use crate::golden::{events, into_result};
use crate::report::Failure;

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
    into_result(call.check(&mut StageCache::new()))
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
    for (at, entry) in vector.get("calls").and_then(Json::as_array).unwrap_or_default().iter().enumerate() {
        let session_id = given::text(entry, "session_id").unwrap_or_default();
        let session = sessions.iter().find(|session| session.id == session_id).expect("the call's session");
        let seen = entry.get("events").expect("the events a call sees");
        let (log, n_events) = match seen.get("prefix").and_then(Json::as_i64) {
            Some(prefix) => (EventLog::new(session.events.iter().cloned()), prefix as usize),
            None => {
                let log = EventLog::new(events(seen.get("list")));
                let n_events = log.len();
                (log, n_events)
            }
        };
        let state = entry.get("state").and_then(Json::as_object).cloned().unwrap_or_default();
        let call = Call { index: &index, session, log, n_events, state, given: entry, vector };
        failure.extend(call.check(&mut cache).into_iter().map(|line| format!("call {at}: {line}")));
    }
    if let Some(session) = sessions.first() {
        failure.extend(compaction::check_turns(vector, &index, session));
    }
    into_result(failure)
}

impl Call<'_> {
    fn check(&self, cache: &mut StageCache) -> Failure {
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
        failure
    }
}
