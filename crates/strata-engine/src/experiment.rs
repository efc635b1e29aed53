//! A recorded session with the configuration it is compiled by.

use std::sync::Arc;

use strata_model::{App, Session};

use crate::answers::Answers;
use crate::app_index::{AgentId, AppIndex};
use crate::calls::{Call, reconstruct};
use crate::compile::{Compilation, StageCache, compile};
use crate::context::{Backend, CallSource, CompileContext, SessionIds};
use crate::event_log::{EventLog, EventView};
use crate::flow::{Flow, FlowKind};
use crate::recorded_services::RecordedServices;
use crate::state_history::StateHistory;

/// A recorded session, the app it ran in, and the calls it was made of.
pub struct Experiment {
    session: Arc<Session>,
    index: AppIndex,
    log: EventLog,
    states: StateHistory,
    calls: Vec<Call>,
    flows: Vec<Flow>,
    services: RecordedServices,
    backend: Backend,
    /// None: what was answered is in the events.
    answers: Answers,
}

impl Experiment {
    pub fn new(session: Arc<Session>, app: Arc<App>, kind: FlowKind) -> Self {
        let index = AppIndex::new(app);
        let log = EventLog::new(session.events.iter().cloned());
        let states = StateHistory::new(&session);
        let calls = reconstruct(&session, &index);
        let flows = index.ids().map(|agent| Flow::of_kind(kind, &index, agent)).collect();
        let services = RecordedServices::of(&session);
        let answers = Answers::default();
        Self { session, index, log, states, calls, flows, services, backend: Backend::AiStudio, answers }
    }

    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    pub fn index(&self) -> &AppIndex {
        &self.index
    }

    pub fn log(&self) -> &EventLog {
        &self.log
    }

    pub fn states(&self) -> &StateHistory {
        &self.states
    }

    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// The call with a number counted from 1.
    pub fn call(&self, number: u32) -> Option<&Call> {
        self.calls.get((number as usize).checked_sub(1)?)
    }

    pub fn flow(&self, agent: AgentId) -> &Flow {
        &self.flows[agent.position()]
    }

    /// Everything the compile of a call may look at. `None` when the call's agent is not in the configuration.
    pub fn context<'c>(&'c self, call: &'c Call) -> Option<CompileContext<'c>> {
        let events = self.log.prefix(call.n_events());
        let events = match &call.input {
            Some((at, input)) => events.with_inserted(*at, std::slice::from_ref(input)),
            None => events,
        };
        self.context_over(call, events)
    }

    /// As [`Self::context`], for a call that sees these events in place of the recorded ones.
    pub fn context_over<'c>(&'c self, call: &'c Call, events: EventView<'c>) -> Option<CompileContext<'c>> {
        Some(CompileContext {
            index: &self.index,
            agent_id: self.index.find(&call.invocation.agent)?,
            invocation: &call.invocation,
            events,
            state: self.states.at(call.n_events()),
            session: SessionIds {
                app_name: &self.session.app_name,
                user_id: &self.session.user_id,
                session_id: &self.session.id,
            },
            services: self.services.at(call.n_events()),
            backend: self.backend,
            source: CallSource::Recorded,
            answers: &self.answers,
        })
    }

    /// Compiles a call. `None` when its agent is not in the configuration.
    pub fn compile(&self, call: &Call, cache: &mut StageCache) -> Option<Compilation> {
        let context = self.context(call)?;
        Some(compile(self.flow(context.agent_id), &context, cache))
    }
}
