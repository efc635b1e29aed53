//! A recorded session with the configuration it is compiled by.

mod carried;
mod checkpoint;
mod event_change;
mod growth;
mod laid_history;
mod recorded;
mod recorded_calls;
mod recorded_services;
mod sourced_text;
mod unedited_contents;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use imbl::OrdMap;
use strata_model::{
    App, Event, EventIndex, GivenServices, LlmRequest, Object, RecordedCall, Session, SharedList,
    SharedListIter,
};

pub use event_change::EventChange;
pub(crate) use event_change::{ReplacedEvents, silent};
pub use growth::Growth;
pub use laid_history::LaidSummaries;
pub use recorded::{EDITED_BY_HAND, RECORDED};
pub use unedited_contents::UnreachedEdit;

use crate::answers::Answers;
use crate::app_index::{AgentId, AppIndex};
use crate::backend::Backend;
use crate::calls::{Call, CallRules, Calls, Recording};
use crate::compile::{Compilation, Outcome, StageCache, compile};
use crate::context::{CallSource, CompileContext, SessionIds};
use crate::edit::Edit;
use crate::flow::Flow;
use crate::flow_kind::FlowKind;
use crate::log::{EventLog, EventView, LoggedEvent};
use crate::state_history::{StateHistory, StateView};
use checkpoint::{Checkpoint, MAX_CHECKPOINTS};
use laid_history::LaidHistory;
use recorded::{Maker, RecordedRequests, add_sent};
use recorded_calls::RecordedCalls;
use recorded_services::RecordedServices;

/// A recorded session, the app it ran in, and the calls it was made of; perhaps with edits laid over it.
///
/// What does not change is shared between experiments over one session. A copy is cheap.
#[derive(Clone)]
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
    calls: Calls,
    flows: Vec<Flow>,
    services: Arc<RecordedServices>,
    /// What was given of them.
    given: Arc<GivenServices>,
    backend: Backend,
    /// None: what was answered is in the events.
    answers: Arc<Answers>,
    /// What was really sent, where that is known.
    recorded: RecordedRequests,
    /// What requests were made from, where a recorder saw that.
    seen: RecordedCalls,
    /// The log as calls saw it whose runs did not have all of it, by their answers.
    partial_logs: OrdMap<EventIndex, EventLog>,
    /// What was known when some of the last events were read; in their order.
    checkpoints: Vec<Checkpoint>,
    /// What edits were laid over, and those edits; `None` as recorded.
    pub(crate) laid: Option<Arc<LaidEdits>>,
}

/// A session that has grown.
pub struct GrownExperiment {
    pub experiment: Experiment,
    /// Events that stayed as they were.
    pub kept: usize,
    /// The first so many calls are those of the shorter session, and compile to what they did.
    pub same_calls: usize,
}

/// Edits, and the session they were laid over.
pub(crate) struct LaidEdits {
    pub recorded: Experiment,
    pub edits: Vec<Edit>,
    /// Events that are not as recorded, by their place.
    pub events: BTreeMap<usize, EventChange>,
}

impl Experiment {
    pub fn new(session: Arc<Session>, app: Arc<App>, kind: FlowKind) -> Self {
        let index = AppIndex::new(app.clone());
        let mut read = Checkpoint::default();
        let (log, amend) = (EventLog::default(), |_: &mut Call| {});
        let rules = CallRules { index: &index, kind, amend: &amend };
        let checkpoints = read.go_on(&session, rules, (&log, 0));
        Self {
            log: Arc::new(read.log),
            history: None,
            states: Arc::new(StateHistory::new(&session)),
            calls: read.calls,
            flows: flows(&index, kind),
            services: Arc::new(RecordedServices::of(&session, &GivenServices::default())),
            given: Arc::default(),
            answers: Arc::default(),
            recorded: RecordedRequests::default(),
            checkpoints,
            seen: RecordedCalls::default(),
            partial_logs: OrdMap::new(),
            laid: None,
            backend: Backend::AiStudio,
            index: Arc::new(index),
            session,
            kind,
            app,
        }
    }

    /// The session with what services of its app held beside it. What a recorder saw of its calls is added after that.
    #[must_use]
    pub fn with_services(mut self, given: Arc<GivenServices>) -> Self {
        self.services = Arc::new(RecordedServices::of(&self.session, &given));
        self.given = given;
        self
    }

    /// What was given of the services of its app.
    pub fn given_services(&self) -> &Arc<GivenServices> {
        &self.given
    }

    /// The session with requests that were really sent, each with the event that answers it, in the order in which
    /// they were sent. The call with that answer ends with the request as its last stage.
    #[must_use]
    pub fn with_requests(mut self, requests: impl IntoIterator<Item = (EventIndex, LlmRequest)>) -> Self {
        self.recorded = RecordedRequests::default();
        self.recorded.add(&self.session.events, self.calls.list(), requests);
        self
    }

    /// The session with what a recorder saw of its calls, each with the event that answers it.
    #[must_use]
    pub fn with_recorded_calls(
        mut self,
        calls: impl IntoIterator<Item = (EventIndex, RecordedCall)>,
    ) -> Self {
        self.seen = RecordedCalls::default();
        self.seen.add(calls, &self.states, &self.services);
        self.partial_logs = self.seen.partial_logs(&self.log, EventIndex(0));
        let (mut read, amend) = (Checkpoint::default(), |call: &mut Call| self.seen.apply_to(call));
        let rules = CallRules { index: &self.index, kind: self.kind, amend: &amend };
        self.checkpoints = read.go_on(&self.session, rules, (&self.log, self.log.len()));
        self.calls = read.calls;
        self
    }

    /// Calls whose requests are recorded.
    pub fn n_recorded_requests(&self) -> usize {
        self.recorded.len()
    }

    /// Whether it is recorded what was sent for a call, by its number.
    pub fn has_recorded_request(&self, call: u32) -> bool {
        self.recorded.get(call).is_some()
    }

    /// What is recorded to have been sent, in the order of the calls.
    pub fn recorded_requests(&self) -> impl Iterator<Item = &LlmRequest> {
        self.recorded.iter().map(recorded::RecordedRequest::request)
    }

    /// What is recorded to have been sent for a call, by its number.
    pub fn recorded_request(&self, call: u32) -> Option<&LlmRequest> {
        self.recorded.get(call).map(recorded::RecordedRequest::request)
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

    /// The session as it was recorded, and has grown since. Edits are left behind: they are laid over the grown session
    /// anew.
    ///
    /// It is the same as an experiment over the whole session, and takes time for what is new alone, except where that
    /// changes what earlier events tell.
    #[must_use]
    pub fn grown(&self, growth: Growth) -> GrownExperiment {
        if let Some(laid) = &self.laid {
            return laid.recorded.grown(growth);
        }
        let before = &self.session.events;
        let kept = growth.kept.min(before.len());
        let is_cut = kept < before.len();
        let session = Arc::new(Session {
            state: growth.state,
            events: before[..kept].iter().cloned().chain(growth.events).collect(),
            last_update_time: growth.last_update_time,
            id: self.session.id.clone(),
            app_name: self.session.app_name.clone(),
            user_id: self.session.user_id.clone(),
            other: self.session.other.clone(),
        });
        let services = self.services_of(&session, kept);
        let is_same_services = services.is_same_until(&self.services, kept);
        let mut seen = if is_cut { self.seen.up_to(kept) } else { self.seen.clone() };
        if !is_same_services {
            seen = seen.with_services(&services);
        }
        let mut states = StateHistory::clone(&self.states);
        states.cut(kept);
        states.read(&session.events, &session.state);
        let first_seen = seen.add(growth.calls, &states, &services);
        // What is recorded of a call may come later than its answer.
        let n_told = first_seen.map_or(kept, |first| first.as_usize()).min(kept);

        let n_known = self.checkpoints.partition_point(|checkpoint| checkpoint.log.len() <= n_told);
        let mut checkpoints = self.checkpoints[..n_known].to_vec();
        let mut read = checkpoints.last().cloned().unwrap_or_default();
        read.log.take_settled(&self.log, kept);
        let amend = |call: &mut Call| seen.apply_to(call);
        let rules = CallRules { index: &self.index, kind: self.kind, amend: &amend };
        checkpoints.extend(read.go_on(&session, rules, (&self.log, kept)));
        checkpoints.drain(..checkpoints.len().saturating_sub(MAX_CHECKPOINTS));

        let n_calls = |n_events: usize| {
            let later = self.calls().iter().rev().take_while(|call| call.n_events() >= n_events);
            self.calls().len() - later.count()
        };
        let mut same_calls = n_calls(n_told);
        let mut recorded =
            if is_cut { self.recorded.up_to(n_calls(kept) as u32, kept) } else { self.recorded.clone() };
        if let Some(first) = recorded.add(&session.events, read.calls.list(), growth.requests) {
            same_calls = same_calls.min(first as usize - 1);
        }
        if !is_same_services || !states.is_same_so_far(&self.states) {
            same_calls = 0;
        }
        recorded.compile_anew(same_calls as u32);
        let new_logs = seen.partial_logs(&read.log, EventIndex(n_told as u32));
        let (known_logs, _) = self.partial_logs.split(&EventIndex(n_told as u32));
        let experiment = Self {
            session,
            kind: self.kind,
            app: self.app.clone(),
            index: self.index.clone(),
            log: Arc::new(read.log),
            history: None,
            states: Arc::new(states),
            calls: read.calls,
            flows: self.flows.clone(),
            services,
            given: self.given.clone(),
            backend: self.backend,
            answers: self.answers.clone(),
            recorded,
            seen,
            partial_logs: known_logs.union(new_logs),
            checkpoints,
            laid: None,
        };
        GrownExperiment { experiment, kept, same_calls }
    }

    /// What calls could use in a session that has the first so many events of this one.
    fn services_of(&self, grown: &Session, kept: usize) -> Arc<RecordedServices> {
        let has_artifacts = |event: &Arc<Event>| !event.actions.artifact_delta.is_empty();
        let is_timed = self.given.artifacts.is_some();
        if is_timed || self.session.events[kept..].iter().chain(&grown.events[kept..]).any(has_artifacts) {
            Arc::new(RecordedServices::of(grown, &self.given))
        } else {
            self.services.clone()
        }
    }

    /// The same session in another app, with the app's own flows.
    pub(crate) fn with_app(&self, app: &Arc<App>) -> Self {
        let mut changed = Self { app: app.clone(), laid: None, ..self.clone() };
        if !Arc::ptr_eq(app, &self.app) {
            let index = AppIndex::new(app.clone());
            changed.flows = flows(&index, self.kind);
            changed.seen = self.seen.in_app(&self.index, &index);
            changed.index = Arc::new(index);
            changed.read_calls(&BTreeMap::new());
        }
        changed
    }

    /// Finds the calls anew.
    fn read_calls(&mut self, said: &BTreeMap<usize, Arc<Event>>) {
        let amend = &|call: &mut Call| self.seen.apply_to(call);
        let rules = CallRules { index: &self.index, kind: self.kind, amend };
        self.calls = Calls::of(Recording { events: &self.session.events, said, rules });
        self.checkpoints.clear();
    }

    /// The same session with other events in some places, and some that are kept whatever would take them out.
    pub(crate) fn with_events(mut self, replaced: &ReplacedEvents, pinned: &BTreeSet<EventIndex>) -> Self {
        if !replaced.said.is_empty() {
            self.read_calls(&replaced.said);
        }
        if !replaced.shown.is_empty() || !pinned.is_empty() {
            self.log = Arc::new(self.log.replaced(&replaced.shown, pinned));
            self.partial_logs = self.seen.partial_logs(&self.log, EventIndex(0));
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
        self.checkpoints.clear();
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

    /// How many summaries calls can see that are, or stand behind, one of the first so many recorded events.
    pub fn n_summaries_before(&self, n_events: usize) -> usize {
        match &self.history {
            Some(history) => history.summaries().partition_point(|at| *at < n_events),
            None => self.log.links().n_summaries(n_events),
        }
    }

    /// The events that the later of two calls sees and the earlier one does not.
    pub fn events_between(&self, earlier: &Call, later: &Call) -> SharedListIter<'_, LoggedEvent> {
        match &self.history {
            Some(history) => history.between(earlier, later),
            None => self.log.events().range(earlier.n_events()..later.n_events()),
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

    /// An event as histories are made of it: of a dropped one, nothing that a model could read is left.
    pub fn shown_event(&self, event: EventIndex) -> Option<Arc<Event>> {
        if self.event_change(event).is_some_and(|change| change.is_dropped) {
            return self.session.events.get(event.as_usize()).map(|dropped| Arc::new(silent(dropped)));
        }
        self.event(event).cloned()
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

    /// State as the call's instruction was filled from it.
    pub fn state_at(&self, call: &Call) -> StateView<'_> {
        match self.seen_state(call) {
            Some(seen) => self.states.at_with(call.n_events(), seen),
            None => self.states.at(call.n_events()),
        }
    }

    /// Values that a recorder saw at the call and no event had written as they were.
    pub fn seen_state(&self, call: &Call) -> Option<&Object> {
        self.seen.get(call.answer).map(|recorded| &recorded.state)
    }

    pub fn calls(&self) -> &SharedList<Call> {
        self.calls.list()
    }

    /// The call with a number counted from 1.
    pub fn call(&self, number: u32) -> Option<&Call> {
        self.calls.list().get((number as usize).checked_sub(1)?)
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
            state: self.state_at(call),
            session: SessionIds {
                app_name: &self.session.app_name,
                user_id: &self.session.user_id,
                session_id: &self.session.id,
            },
            services: recorded
                .and_then(|recorded| recorded.services())
                .unwrap_or_else(|| self.services.at(n_events)),
            recorded: recorded.map(|recorded| &recorded.call),
            unedited: None,
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
        let unedited = self.unedited_contents(call, cache);
        let context = &CompileContext { unedited: unedited.as_ref(), ..context.clone() };
        let mut compilation = compile(self.flow(context.agent_id), context, cache);
        if let Some(recorded) = self.recorded.get(call.number) {
            let base = self.laid.as_ref().map_or(self, |laid| &laid.recorded);
            let sent = recorded.sent(call, || base.compiled(call.number, cache));
            if self.laid.is_none() || compilation.outcome == Outcome::Request {
                let dropped = self.changed_events().filter(|(_, change)| change.is_dropped);
                let dropped = dropped.map(|(event, _)| event).collect();
                add_sent(&mut compilation, sent, &dropped, self.maker(call));
            }
        }
        compilation
    }

    /// Who made of a call's compiled request what was sent.
    fn maker(&self, call: &Call) -> Maker<'_> {
        let is_by_hand =
            self.seen.get(call.answer).is_some_and(|seen| seen.call.edited_by_hand == Some(true));
        match self.app.other_writer() {
            _ if is_by_hand => Maker::Person,
            Some(writer) => Maker::OtherWriter(writer),
            None => Maker::App,
        }
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
