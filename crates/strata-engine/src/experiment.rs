//! A recorded session with the configuration it is compiled by.

mod carried;
mod event_change;
mod laid_history;
mod recorded;
mod recorded_calls;
mod recorded_services;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use strata_model::{App, Event, EventIndex, LlmRequest, RecordedCall, Session};

pub use event_change::EventChange;
pub(crate) use event_change::{ReplacedEvents, silent};
pub use laid_history::LaidSummaries;
pub use recorded::RECORDED;

use crate::answers::Answers;
use crate::app_index::{AgentId, AppIndex};
use crate::backend::Backend;
use crate::calls::{Call, reconstruct};
use crate::compile::{Compilation, Outcome, StageCache, compile};
use crate::context::{CallSource, CompileContext, SessionIds};
use crate::edit::Edit;
use crate::flow::Flow;
use crate::flow_kind::FlowKind;
use crate::log::{EventLog, EventView, LoggedEvent};
use crate::state_history::StateHistory;
use laid_history::LaidHistory;
use recorded::{RecordedRequests, add_sent};
use recorded_calls::RecordedCalls;
use recorded_services::RecordedServices;

/// A recorded session, the app it ran in, and the calls it was made of; perhaps with edits laid over it.
///
/// What does not change is shared between experiments over one session.
pub struct Experiment {
    /// As recorded, with the summaries of an experiment behind the last event. Edits of events are in `log`.
    session: Arc<Session>,
    kind: FlowKind,
    app: Arc<App>,
    index: Arc<AppIndex>,
    /// By the numbers of events.
    log: Arc<EventLog>,
    /// The order in which calls see them, where that is not the order of their numbers.
    history: Option<Arc<LaidHistory>>,
    states: Arc<StateHistory>,
    calls: Arc<Vec<Call>>,
    flows: Vec<Flow>,
    services: Arc<RecordedServices>,
    backend: Backend,
    /// None: what was answered is in the events.
    answers: Arc<Answers>,
    /// What was really sent, where that is known.
    recorded: Arc<RecordedRequests>,
    /// What requests were made from, where a recorder saw that.
    seen: Arc<RecordedCalls>,
    /// The log as calls saw it whose runs did not have all of it, by their answers.
    partial_logs: Arc<BTreeMap<EventIndex, EventLog>>,
    /// What edits were laid over, and those edits; `None` as recorded.
    pub(crate) laid: Option<Arc<Laid>>,
}

/// Edits, and the session they were laid over.
pub(crate) struct Laid {
    pub recorded: Experiment,
    pub edits: Vec<Edit>,
    /// Events that are not as recorded, by their place.
    pub events: BTreeMap<usize, EventChange>,
}

impl Experiment {
    pub fn new(session: Arc<Session>, app: Arc<App>, kind: FlowKind) -> Self {
        let index = AppIndex::new(app.clone());
        let calls = reconstruct(&session, &BTreeMap::new(), &index, kind);
        Self {
            log: Arc::new(EventLog::new(session.events.iter().cloned())),
            history: None,
            states: Arc::new(StateHistory::new(&session)),
            calls: Arc::new(calls),
            flows: flows(&index, kind),
            services: Arc::new(RecordedServices::of(&session)),
            answers: Arc::default(),
            recorded: Arc::default(),
            seen: Arc::default(),
            partial_logs: Arc::default(),
            laid: None,
            backend: Backend::AiStudio,
            index: Arc::new(index),
            session,
            kind,
            app,
        }
    }

    /// The session with requests that were really sent, each with the event that answers it, in the order in which
    /// they were sent. The call with that answer ends with the request as its last stage.
    #[must_use]
    pub fn with_requests(mut self, requests: impl IntoIterator<Item = (EventIndex, LlmRequest)>) -> Self {
        self.recorded = Arc::new(RecordedRequests::of(&self.session, &self.calls, requests));
        self
    }

    /// The session with what a recorder saw of its calls, each with the event that answers it.
    #[must_use]
    pub fn with_recorded_calls(
        mut self,
        calls: impl IntoIterator<Item = (EventIndex, RecordedCall)>,
    ) -> Self {
        self.seen = Arc::new(RecordedCalls::of(calls, &self.states, &self.services));
        self.partial_logs = Arc::new(self.seen.partial_logs(&self.log));
        self.calls = self.reconstructed(&BTreeMap::new());
        self
    }

    /// The calls of the session as its app makes them, where something else than recorded was said at some places.
    fn reconstructed(&self, said: &BTreeMap<usize, Arc<Event>>) -> Arc<Vec<Call>> {
        let mut calls = reconstruct(&self.session, said, &self.index, self.kind);
        self.seen.apply_to(&mut calls);
        Arc::new(calls)
    }

    /// Calls whose requests are recorded.
    pub fn n_recorded_requests(&self) -> usize {
        self.recorded.len()
    }

    /// Whether it is recorded what was sent for a call, by its number.
    pub fn has_recorded_request(&self, call: u32) -> bool {
        self.recorded.get(call).is_some()
    }

    /// Whether this request is what is recorded to have been sent for a call.
    pub fn is_as_sent(&self, call: u32, request: &LlmRequest) -> bool {
        self.recorded.get(call).is_some_and(|recorded| recorded.is_sent_as(request))
    }

    /// What edits were laid over. `None` where there are none.
    pub fn laid_over(&self) -> Option<&Experiment> {
        self.laid.as_ref().map(|laid| &laid.recorded)
    }

    /// Whether a recorder saw what a call was made from.
    pub fn has_recorded_call(&self, call: u32) -> bool {
        self.call(call).is_some_and(|call| self.seen.get(call.answer).is_some())
    }

    /// The same session in another app, with the app's own flows.
    pub(crate) fn with_app(&self, app: &Arc<App>) -> Self {
        let mut changed = Self {
            session: self.session.clone(),
            kind: self.kind,
            app: app.clone(),
            index: self.index.clone(),
            log: self.log.clone(),
            history: self.history.clone(),
            states: self.states.clone(),
            calls: self.calls.clone(),
            flows: self.flows.clone(),
            services: self.services.clone(),
            backend: self.backend,
            answers: self.answers.clone(),
            recorded: self.recorded.clone(),
            seen: self.seen.clone(),
            partial_logs: self.partial_logs.clone(),
            laid: None,
        };
        if !Arc::ptr_eq(app, &self.app) {
            let index = AppIndex::new(app.clone());
            changed.flows = flows(&index, self.kind);
            changed.index = Arc::new(index);
            changed.calls = changed.reconstructed(&BTreeMap::new());
        }
        changed
    }

    /// The same session with other events in some places, and some that are kept whatever would take them out.
    pub(crate) fn with_events(mut self, replaced: &ReplacedEvents, pinned: &BTreeSet<EventIndex>) -> Self {
        if !replaced.said.is_empty() {
            self.calls = self.reconstructed(&replaced.said);
        }
        if !replaced.shown.is_empty() || !pinned.is_empty() {
            self.log = Arc::new(self.log.replaced(&replaced.shown, pinned));
            self.partial_logs = Arc::new(self.seen.partial_logs(&self.log));
        }
        self
    }

    /// The same session with these summaries in place of the recorded ones, which stay in the list of events as a
    /// dropped event does.
    pub(crate) fn with_summaries(mut self, laid: &LaidSummaries) -> Self {
        let events = &self.session.events;
        let is_summary = |(at, event): (usize, &Arc<Event>)| event.is_compaction().then_some(at);
        let left_out: BTreeSet<usize> = events.iter().enumerate().filter_map(is_summary).collect();
        let silenced: BTreeMap<usize, Arc<Event>> =
            left_out.iter().map(|at| (*at, Arc::new(silent(&events[*at])))).collect();
        let summaries = || laid.summaries.iter().map(|(_, event)| event.clone());
        self.log = Arc::new(self.log.followed_by(&silenced, summaries()));
        self.history = Some(Arc::new(LaidHistory::new(&self.log, laid, &left_out)));
        let events = events.iter().cloned().chain(summaries()).collect();
        self.session = Arc::new(Session { events, ..Session::clone(&self.session) });
        self
    }

    /// As recorded; behind the last recorded event stand the summaries that an experiment has laid over the session.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Events that were recorded: those behind them are summaries of an experiment.
    pub fn n_recorded(&self) -> usize {
        self.history.as_ref().map_or(self.session.events.len(), |history| history.n_recorded())
    }

    /// For each summary that calls can see, the place of the recorded event that it is or stands behind; in order.
    pub fn summary_places(&self) -> Vec<usize> {
        if let Some(history) = &self.history {
            return history.summaries().to_vec();
        }
        let events = self.session.events.iter().enumerate();
        events.filter_map(|(at, event)| event.is_compaction().then_some(at)).collect()
    }

    /// The events that the later of two calls sees and the earlier one does not.
    pub fn events_between(&self, earlier: &Call, later: &Call) -> &[LoggedEvent] {
        match &self.history {
            Some(history) => history.between(earlier, later),
            None => self.log.events().get(earlier.n_events()..later.n_events()).unwrap_or_default(),
        }
    }

    /// Events that edits dropped, pinned or gave another content, by their place in the session.
    pub fn changed_events(&self) -> impl Iterator<Item = (EventIndex, &EventChange)> {
        let events = self.laid.iter().flat_map(|laid| &laid.events);
        events.map(|(at, change)| (EventIndex(*at as u32), change))
    }

    /// What edits made of an event; `None` for one that is as recorded.
    pub fn event_change(&self, event: EventIndex) -> Option<&EventChange> {
        self.laid.as_ref()?.events.get(&event.as_usize())
    }

    /// An event as it is here: with another content where an edit gave it one. A dropped one is as it was.
    pub fn event(&self, event: EventIndex) -> Option<&Arc<Event>> {
        let edited = self.event_change(event).and_then(|change| change.edited.as_ref());
        edited.or_else(|| self.session.events.get(event.as_usize()))
    }

    pub fn index(&self) -> &AppIndex {
        &self.index
    }

    /// By the numbers of events. Calls may see them in another order.
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

    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// By whose rules the session's requests were made.
    pub fn kind(&self) -> FlowKind {
        self.kind
    }

    pub(crate) fn flow_mut(&mut self, agent: AgentId) -> &mut Flow {
        &mut self.flows[agent.position()]
    }

    pub fn flow(&self, agent: AgentId) -> &Flow {
        &self.flows[agent.position()]
    }

    /// Everything the compile of a call may look at. `None` when the call's agent is not in the configuration.
    pub fn context<'c>(&'c self, call: &'c Call) -> Option<CompileContext<'c>> {
        let history = self.history.as_deref();
        let seen = call.seen.unwrap_or(call.n_events()).min(call.n_events());
        let log = self.partial_logs.get(&call.answer).unwrap_or(&self.log);
        let events = history.map_or_else(|| log.prefix(seen), |history| history.before(call));
        let events = match &call.input {
            Some((at, input)) => {
                let place = history.map_or(*at, |history| history.place(*at));
                events.with_inserted(place, std::slice::from_ref(input))
            }
            None => events,
        };
        self.context_over(call, events)
    }

    /// As [`Self::context`], for a call that sees these events in place of the recorded ones.
    pub fn context_over<'c>(&'c self, call: &'c Call, events: EventView<'c>) -> Option<CompileContext<'c>> {
        let recorded = self.seen.get(call.answer);
        let n_events = call.n_events();
        Some(CompileContext {
            index: &self.index,
            agent_id: self.index.find(&call.invocation.agent)?,
            invocation: &call.invocation,
            events,
            state: recorded.map_or_else(
                || self.states.at(n_events),
                |recorded| self.states.at_with(n_events, &recorded.state),
            ),
            session: SessionIds {
                app_name: &self.session.app_name,
                user_id: &self.session.user_id,
                session_id: &self.session.id,
            },
            services: recorded
                .and_then(|recorded| recorded.services.as_ref())
                .unwrap_or_else(|| self.services.at(n_events)),
            recorded: recorded.map(|recorded| &recorded.call),
            backend: self.backend,
            source: CallSource::Recorded,
            answers: &self.answers,
        })
    }

    /// Compiles a call. `None` when its agent is not in the configuration. Where it is recorded what was sent, that is
    /// the last stage, with what edits change of it.
    pub fn compile(&self, call: &Call, cache: &mut StageCache) -> Option<Compilation> {
        let context = self.context(call)?;
        Some(self.compile_in(call, &context, cache))
    }

    /// As [`Self::compile`], for a call that sees these events in place of the recorded ones.
    pub fn compile_over(
        &self,
        call: &Call,
        events: EventView<'_>,
        cache: &mut StageCache,
    ) -> Option<Compilation> {
        let context = self.context_over(call, events)?;
        Some(self.compile_in(call, &context, cache))
    }

    fn compile_in(&self, call: &Call, context: &CompileContext<'_>, cache: &mut StageCache) -> Compilation {
        let mut compilation = compile(self.flow(context.agent_id), context, cache);
        if let Some(recorded) = self.recorded.get(call.number) {
            let base = self.laid.as_ref().map_or(self, |laid| &laid.recorded);
            let sent = recorded.sent(call, || base.compiled(call.number, cache));
            if self.laid.is_none() || compilation.outcome == Outcome::Request {
                let dropped = self.changed_events().filter(|(_, change)| change.is_dropped);
                let dropped = dropped.map(|(event, _)| event).collect();
                add_sent(&mut compilation, sent, &dropped, self.app.other_writer());
            }
        }
        compilation
    }

    /// What a call compiles to, whatever was sent.
    fn compiled(&self, call: u32, cache: &mut StageCache) -> LlmRequest {
        let call = self.call(call);
        let context = call.and_then(|call| self.context(call));
        let compiled = context.map(|context| compile(self.flow(context.agent_id), &context, cache));
        compiled.map(|compilation| compilation.working_context()).unwrap_or_default()
    }
}

fn flows(index: &AppIndex, kind: FlowKind) -> Vec<Flow> {
    index.ids().map(|agent| Flow::of_kind(kind, index, agent)).collect()
}
