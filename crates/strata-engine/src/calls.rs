//! Which model calls a recorded session was made of (`ADK.md` section 12).
//!
//! A session holds answers, not calls. Every stored answer of a model is one call; what the call saw are the events
//! appended before it. Where a request was recorded and no answer, an event stands in its place that says so.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::HashMap;
use strata_model::app::AgentMode;
use strata_model::{
    Content, Event, EventIndex, FunctionCall, Json, Part, Session, SharedList, Str, Usage, json, marks,
};

use crate::adk_text::{REQUEST_CONFIRMATION, REQUEST_CREDENTIAL};
use crate::app_index::AppIndex;
use crate::context::Invocation;
use crate::flow_kind::FlowKind;
use crate::last_steps::{LastSteps, looks_like_run_answer, may_be_answered_by_code};
use crate::log::LoggedEvent;
use crate::node_input::NodeRuns;

/// google-adk's code for a run that its client broke off.
const ABORTED: &str = "INVOCATION_ABORTED";

/// One model call of a session.
#[derive(Debug, Clone)]
pub struct Call {
    /// C1 is number 1.
    pub number: u32,
    /// The event with the answer, or where it would stand.
    pub answer: EventIndex,
    /// Something was recorded of what came back. Else nobody knows what was answered, if anything, and what it cost.
    pub is_answered: bool,
    /// It is held before it is sent, so nothing could come back yet.
    pub is_pending: bool,
    /// The user's turns, counted from 1: invocations in the order they began.
    pub turn: u32,
    pub invocation: Invocation,
    pub certainty: Certainty,
    /// What the agent was given that no event holds, and before which event.
    pub input: Option<(usize, LoggedEvent)>,
    /// The events it saw, where that is recorded: others may have been added before the answer was.
    pub seen: Option<usize>,
    /// What the provider reported with the answer.
    pub usage: Option<Usage>,
    pub model: Option<Str>,
    /// It failed, or its answer was empty.
    pub error: Option<String>,
}

impl Call {
    /// Nothing says that anybody paid for it: it failed without a report, or no answer to it was recorded.
    pub fn is_unpaid(&self) -> bool {
        self.usage.is_none() && (self.error.is_some() || !self.is_answered)
    }

    /// How many events are in the session before the answer.
    pub fn n_events(&self) -> usize {
        self.answer.as_usize()
    }
}

/// How sure it is that an event is a model's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The provider's usage stands with it, or the session has no usage at all.
    Sure,
    /// Other answers of this agent have usage and this one has none: a callback may have answered instead.
    WithoutUsage,
    /// No usage stands with it, and the agent has callbacks, or the app plugins, whose code may have answered instead.
    MayBeCode,
    /// It is signed as google-adk signs what a plugin says in the place of a whole run, and no other agent is known.
    MayBeRun,
    /// The run was broken off, perhaps before a request went out.
    MayBeUnsent,
}

impl Certainty {
    /// For people; `None` where nothing is to be said.
    pub fn said(self) -> Option<&'static str> {
        match self {
            Self::Sure => None,
            Self::WithoutUsage => Some(
                "Other answers of this agent come with the provider’s usage and this one does not: a callback may have \
                 answered instead of the model.",
            ),
            Self::MayBeCode => Some(
                "No usage stands with this answer, and the app has callbacks or plugins of its own that may have answered \
                 or failed instead of the model: whether this request was sent is not known.",
            ),
            Self::MayBeRun => Some(
                "google-adk signs with “model” what a plugin says in the place of a whole run, and no usage stands with \
                 this answer: whether an agent of that name asked a model is not known.",
            ),
            Self::MayBeUnsent => {
                Some("The run was broken off here: whether this request had been sent is not known.")
            }
        }
    }
}

/// The calls of a session's first events, in order of their answers. A copy is cheap.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calls {
    list: SharedList<Call>,
    n_events: usize,
    /// A model's answer came with usage.
    has_usage: bool,
    so_far: SoFar,
}

/// What tells which events are calls, and whose.
#[derive(Clone, Copy)]
pub(crate) struct Recording<'s> {
    /// As they are recorded.
    pub events: &'s [Arc<Event>],
    /// Where something else is taken to have been said. Which events are calls is as recorded: an answer stays one,
    /// whatever is made of it.
    pub said: &'s BTreeMap<usize, Arc<Event>>,
    pub rules: CallRules<'s>,
}

/// By what calls are told from other events.
#[derive(Clone, Copy)]
pub(crate) struct CallRules<'s> {
    pub index: &'s AppIndex,
    pub kind: FlowKind,
    /// Puts what is known of a call in the place of what the events tell.
    pub amend: &'s dyn Fn(&mut Call),
}

impl Calls {
    pub(crate) fn of(recording: Recording<'_>) -> Self {
        let mut calls = Self::default();
        calls.read(recording);
        calls
    }

    /// Events that were read.
    pub(crate) fn n_events(&self) -> usize {
        self.n_events
    }

    pub(crate) fn list(&self) -> &SharedList<Call> {
        &self.list
    }

    /// Reads the events behind those it has read.
    pub(crate) fn read(&mut self, recording: Recording<'_>) {
        let events = recording.events;
        let has_usage = |event: &Arc<Event>| !event.is_from_user() && event.usage_metadata.is_some();
        if !self.has_usage && events[self.n_events..].iter().any(has_usage) {
            self.has_usage = true;
            let again = |call: &Call| {
                let mut call = call.in_session_with_usage(events);
                (recording.rules.amend)(&mut call);
                call
            };
            self.list = self.list.iter().map(again).collect();
        }
        for (at, event) in events.iter().enumerate().skip(self.n_events) {
            let before = at.checked_sub(1).map(|before| &*events[before]);
            let turn = self.so_far.turn(event);
            let rules = recording.rules;
            if is_answer(event, before, Some(rules.index), rules.kind)
                && !self.so_far.is_unasked(event, rules)
            {
                let mut call = Call {
                    number: self.list.len() as u32 + 1,
                    answer: EventIndex(at as u32),
                    is_answered: is_answered(event),
                    is_pending: marks::has(event, marks::PENDING),
                    turn,
                    invocation: invocation(event, self.so_far.user_content(event), recording.rules.index),
                    certainty: certainty(event, self.has_usage, rules),
                    input: single_turn_input(events, at, &self.so_far, recording.rules.index),
                    seen: None,
                    usage: report(event).cloned(),
                    model: event.model_version.clone(),
                    error: error(event),
                };
                call.invocation.is_input_unknown =
                    call.input.is_none() && self.so_far.lacks_input(at, event, recording.rules.index);
                (recording.rules.amend)(&mut call);
                self.list.push(call);
            }
            let said = recording.said.get(&at).unwrap_or(event);
            self.so_far.add(at, said);
            if rules.kind == FlowKind::Adk {
                self.so_far.last_steps.add(at, said);
            }
        }
        self.n_events = events.len();
    }
}

impl Call {
    fn in_session_with_usage(&self, events: &[Arc<Event>]) -> Self {
        let answer = &events[self.answer.as_usize()];
        let certainty = match self.certainty {
            Certainty::Sure if !is_told(answer) => Certainty::WithoutUsage,
            known => known,
        };
        Self { certainty, ..self.clone() }
    }
}

/// False for an event that stands in the place of an answer that was not recorded.
fn is_answered(answer: &Event) -> bool {
    !marks::has(answer, marks::UNANSWERED)
}

/// Whether the event itself says that a model was asked, or that it failed.
fn is_told(answer: &Event) -> bool {
    answer.usage_metadata.is_some() || answer.error_code.is_some() || stands_for_answer(answer)
}

fn certainty(answer: &Event, session_has_usage: bool, rules: CallRules<'_>) -> Certainty {
    let is_asked = answer.usage_metadata.is_some() || stands_for_answer(answer);
    let may_be_code =
        || rules.index.find(&answer.author).is_some_and(|agent| may_be_answered_by_code(agent, rules.index));
    match rules.kind {
        _ if is_asked => Certainty::Sure,
        FlowKind::Adk if looks_like_run_answer(answer) => Certainty::MayBeRun,
        FlowKind::Adk if answer.error_code.as_deref() == Some(ABORTED) => Certainty::MayBeUnsent,
        FlowKind::Adk if may_be_code() => Certainty::MayBeCode,
        _ if is_told(answer) || !session_has_usage => Certainty::Sure,
        _ => Certainty::WithoutUsage,
    }
}

/// What answers a call.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'s> {
    pub event: &'s Event,
    /// What the provider reported with it.
    pub usage: Option<&'s Usage>,
}

impl Answer<'_> {
    /// As [`Call::is_unpaid`].
    pub fn is_unpaid(&self) -> bool {
        self.usage.is_none() && (self.event.error_code.is_some() || !is_answered(self.event))
    }
}

/// The answers to a session's calls, as far as they can be told without its app: all agents are taken to ask a model.
pub fn answers(session: &Session, kind: FlowKind) -> impl Iterator<Item = Answer<'_>> {
    let before = |at: usize| at.checked_sub(1).map(|before| &*session.events[before]);
    let is_of_other = |event: &Arc<Event>| {
        !event.is_from_user() && !event.author.is_empty() && !looks_like_run_answer(event)
    };
    let mut has_agents = None;
    let mut last_steps = LastSteps::default();
    let events = session.events.iter().enumerate();
    let answers = events.filter(move |(at, event)| {
        let is_unasked = kind == FlowKind::Adk && last_steps.is_unasked(event, None);
        if kind == FlowKind::Adk {
            last_steps.add(*at, event);
        }
        let mut is_for_run = || *has_agents.get_or_insert_with(|| session.events.iter().any(is_of_other));
        !is_unasked
            && is_answer(event, before(*at), None, kind)
            && !(kind == FlowKind::Adk && looks_like_run_answer(event) && is_for_run())
    });
    answers.map(|(_, event)| Answer { event, usage: report(event) })
}

/// How many calls a session has, as far as [`answers`] can tell.
pub fn n_calls(session: &Session, kind: FlowKind) -> usize {
    answers(session, kind).count()
}

/// What a provider reported for the one prompt that an event answers.
fn report(answer: &Event) -> Option<&Usage> {
    answer.usage_metadata.as_deref().filter(|_| !is_sum(answer))
}

fn error(event: &Event) -> Option<String> {
    let code = event.error_code.as_deref()?;
    Some(
        event
            .error_message
            .as_deref()
            .map_or_else(|| code.to_owned(), |message| format!("{code}: {message}")),
    )
}

/// Whether an event without content stands for an answer that was not recorded, or did not come yet.
fn stands_for_answer(event: &Event) -> bool {
    marks::has(event, marks::UNANSWERED) || marks::has(event, marks::PENDING)
}

/// Whether an event holds what a model answered.
fn is_answer(event: &Event, before: Option<&Event>, index: Option<&AppIndex>, kind: FlowKind) -> bool {
    let is_llm = |index: &AppIndex| index.find(&event.author).is_none_or(|agent| index.agent(agent).is_llm());
    let is_agent = !event.is_from_user() && !event.author.is_empty() && index.is_none_or(is_llm);
    // No agent of the app is called like that.
    let is_for_run = kind == FlowKind::Adk
        && index.is_some_and(|index| index.find(&event.author).is_none())
        && looks_like_run_answer(event);
    if !is_agent
        || is_for_run
        || event.partial == Some(true)
        || event.is_compaction()
        || answers_nothing(event)
    {
        return false;
    }
    let parts = event.parts();
    if parts.is_empty() {
        // ADK ends a streamed answer with an event that has its usage once more. In other recordings the content was
        // not kept.
        let is_unseen = kind == FlowKind::Transcript && event.usage_metadata.is_some() && !is_sum(event);
        return is_unseen || event.error_code.is_some() || stands_for_answer(event);
    }
    let is_from_model = event.content.as_ref().and_then(|content| content.role.as_deref()) == Some("model");
    is_from_model
        && !parts.iter().any(is_runtime_request)
        && !parts.iter().all(|part| part.code_execution_result.is_some())
        && !is_data_file_step(parts)
        && !is_structured_answer(event, before)
}

/// No request of this session was answered by the event, as its importer knows.
fn answers_nothing(event: &Event) -> bool {
    [marks::NOT_SENT, marks::QUOTED, marks::ATTEMPT].into_iter().any(|mark| marks::has(event, mark))
}

fn is_sum(event: &Event) -> bool {
    marks::has(event, marks::SUM)
}

/// A call the runtime itself makes to ask a person for something.
fn is_runtime_request(part: &Arc<Part>) -> bool {
    let name = part.function_call.as_ref().and_then(|call| call.name.as_deref());
    matches!(name, Some(REQUEST_CREDENTIAL | REQUEST_CONFIRMATION))
}

/// Code the runtime writes to look at a data file before the model is asked.
fn is_data_file_step(parts: &[Arc<Part>]) -> bool {
    parts
        .first()
        .and_then(|part| part.text.as_deref())
        .is_some_and(|text| text.starts_with("Processing input file: `"))
        && parts.iter().any(|part| part.executable_code.is_some())
}

/// The text the runtime makes of a structured answer, right behind the tool that took it.
fn is_structured_answer(event: &Event, before: Option<&Event>) -> bool {
    event.usage_metadata.is_none() && before.is_some_and(|before| before.actions.set_model_response.is_some())
}

/// What the events before a call tell about it, while they are read one after the other.
#[derive(Debug, Clone, Default)]
struct SoFar {
    /// Invocations in the order they began.
    turns: HashMap<Str, u32>,
    /// What the user said last in each invocation.
    said: HashMap<Str, Arc<Content>>,
    /// Parts with the first call of each id.
    calls: HashMap<Str, Arc<Part>>,
    /// What each task was given, by the id of the call that began it.
    task_inputs: HashMap<Str, Option<Arc<Content>>>,
    /// Where each author first appears on a branch.
    arrivals: HashMap<(Str, Option<Str>), usize>,
    nodes: NodeRuns,
    last_steps: LastSteps,
}

impl SoFar {
    /// The turn of an event, counted from 1. Summaries belong to none: 0.
    fn turn(&mut self, event: &Event) -> u32 {
        let known = self.turns.get(&*event.invocation_id).copied();
        if event.is_compaction() {
            return known.unwrap_or(0);
        }
        known.unwrap_or_else(|| {
            let next = self.turns.len() as u32 + 1;
            self.turns.insert(event.invocation_id.clone(), next);
            next
        })
    }

    fn add(&mut self, at: usize, event: &Event) {
        let place = (event.author.clone(), event.branch.clone());
        self.arrivals.entry(place).or_insert(at);
        self.nodes.add(at, event);
        for part in event.parts() {
            let Some(id) = part.function_call.as_ref().and_then(|call| call.id.as_ref()) else { continue };
            if !self.calls.contains_key(id) {
                self.calls.insert(id.clone(), part.clone());
            }
        }
        let is_said = event.is_from_user() && !event.is_compaction();
        if let Some(content) = event.content.as_ref().filter(|_| is_said)
            && event.function_responses().next().is_none()
        {
            self.said.insert(event.invocation_id.clone(), content.clone());
        }
    }

    /// Whether no model of google-adk was asked for an event, by what its agent did before.
    fn is_unasked(&self, event: &Event, rules: CallRules<'_>) -> bool {
        let agent = rules.index.find(&event.author).map(|agent| (agent, rules.index));
        rules.kind == FlowKind::Adk && self.last_steps.is_unasked(event, agent)
    }

    /// Whether the author of the event at a place was given something as a node that no event tells.
    fn lacks_input(&self, at: usize, event: &Event, index: &AppIndex) -> bool {
        let is_told =
            || index.find(&event.author).is_some_and(|agent| self.nodes.is_told(event, agent, index));
        is_given_node(event, index) && self.nodes.first(at, event).is_some() && !is_told()
    }

    fn call(&self, id: &str) -> Option<&FunctionCall> {
        self.calls.get(id)?.function_call.as_deref()
    }

    /// What the user is taken to have said to the author of an event: inside a task, the arguments it was called with;
    /// else the latest message of the turn, even if it was meant for a task.
    fn user_content(&mut self, event: &Event) -> Option<Arc<Content>> {
        let said = || self.said.get(&*event.invocation_id).cloned();
        let Some(scope) = event.isolation_scope.as_ref() else { return said() };
        if let Some(known) = self.task_inputs.get(scope) {
            return known.clone().or_else(said);
        }
        let input = self.call(scope).and_then(task_input);
        let content = input.clone().or_else(said);
        self.task_inputs.insert(scope.clone(), input);
        content
    }
}

/// The arguments of the call that began a task, as the message its agents are started with.
fn task_input(call: &FunctionCall) -> Option<Arc<Content>> {
    let args = call.args.as_deref().filter(|args| !args.is_empty())?;
    let text = json::to_spaced(&Json::Object(args.clone()));
    Some(Arc::new(Content::new("user", [Part::from_text(text)])))
}

fn invocation(event: &Event, user_content: Option<Arc<Content>>, index: &AppIndex) -> Invocation {
    let mut invocation = Invocation::new(event.author.clone(), event.invocation_id.clone());
    invocation.branch.clone_from(&event.branch);
    invocation.isolation_scope.clone_from(&event.isolation_scope);
    invocation.node_path = event.node_info.path.clone();
    invocation.user_content = user_content;
    let Some(agent) = index.find(&event.author) else { return invocation };
    invocation.mode = index.mode(agent);
    // The runtime keeps an agent that answers once from the history, unless its configuration says otherwise.
    if invocation.mode == Some(AgentMode::SingleTurn) {
        invocation.include_contents =
            index.agent(agent).include_contents.or(Some(strata_model::app::IncludeContents::None));
    }
    invocation
}

/// What an agent that answers once was asked, by the call that delegates to it or as a node of a workflow: the runtime
/// shows it as a message while the agent runs and stores none. It stands before the agent's first event on its branch.
fn single_turn_input(
    events: &[Arc<Event>],
    answer: usize,
    so_far: &SoFar,
    index: &AppIndex,
) -> Option<(usize, LoggedEvent)> {
    let event = &events[answer];
    let id = index.find(&event.author)?;
    if index.mode(id) != Some(AgentMode::SingleTurn) {
        return None;
    }
    let (first, content) = match delegating_call_id(event).and_then(|call| so_far.call(call)) {
        Some(call) => {
            let text = delegated_text(call, index.agent(id).input_schema.is_some())?;
            let place = (event.author.clone(), event.branch.clone());
            let first = so_far.arrivals.get(&place).copied().unwrap_or(answer);
            if so_far.nodes.is_answered_since(first) {
                return None;
            }
            (first, Arc::new(Content::new("user", [Part::from_text(text)])))
        }
        None => (so_far.nodes.first(answer, event)?, so_far.nodes.input(event, id, index)?),
    };
    let input = Event {
        author: "user".into(),
        invocation_id: event.invocation_id.clone(),
        branch: event.branch.clone(),
        isolation_scope: event.isolation_scope.clone(),
        node_info: event.node_info.clone(),
        timestamp: events[first].timestamp,
        content: Some(content),
        ..Event::default()
    };
    Some((first, LoggedEvent::new(Arc::new(input), None)))
}

/// Whether a workflow, or code of a node, ran the author of an event with an input of its own. Agents that stand below
/// another agent answered in its place, or to a call of it.
fn is_given_node(event: &Event, index: &AppIndex) -> bool {
    let agent = index.find(&event.author);
    if agent.is_some_and(|agent| !matches!(index.mode(agent), None | Some(AgentMode::SingleTurn))) {
        return false;
    }
    let mut steps =
        event.node_info.path.as_str().rsplit('/').map(|step| step.rsplit_once('@').unwrap_or((step, "")).0);
    let (leaf, above) = (steps.next(), steps.next());
    leaf == Some(&*event.author)
        && above.is_some_and(|above| {
            above != &*event.author && index.find(above).is_none_or(|above| !index.agent(above).is_llm())
        })
}

/// The call an agent's branch is named after: `name@<call id>`.
fn delegating_call_id(event: &Event) -> Option<&str> {
    let leaf = event.branch.as_deref()?.rsplit('.').next()?;
    leaf.rsplit_once('@').filter(|(name, _)| **name == *event.author).map(|(_, id)| id)
}

fn delegated_text(call: &FunctionCall, has_schema: bool) -> Option<String> {
    let args = call.args.as_deref()?;
    if has_schema {
        let mut given = args.clone();
        given.retain(|_, value| !value.is_null());
        return Some(json::to_spaced(&Json::Object(given)));
    }
    args.get("request").and_then(Json::as_str).map(str::to_owned)
}
