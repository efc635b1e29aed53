//! Which model calls a recorded session was made of (`ADK.md` section 12).
//!
//! A session holds answers, not calls. Every stored answer of a model is one call; what the call saw are the events
//! appended before it. Where a request was recorded and no answer, an event stands in its place that says so.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use strata_model::app::AgentMode;
use strata_model::{Content, Event, EventIndex, FunctionCall, Json, Part, Session, Str, Usage, json, marks};

use crate::adk_text::{REQUEST_CONFIRMATION, REQUEST_CREDENTIAL};
use crate::app_index::AppIndex;
use crate::context::Invocation;
use crate::flow_kind::FlowKind;
use crate::log::LoggedEvent;

/// One model call of a session.
#[derive(Debug)]
pub struct Call {
    /// C1 is number 1.
    pub number: u32,
    /// The event with the answer, or where it would stand.
    pub answer: EventIndex,
    /// Something was recorded of what came back. Else nobody knows what was answered, if anything, and what it cost.
    pub is_answered: bool,
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
}

/// The calls of a session, in order of their answers, where something else than recorded was said at some places. Which
/// events are calls is as recorded: an answer stays one, whatever is made of it.
pub(crate) fn reconstruct(
    session: &Session,
    said: &BTreeMap<usize, Arc<Event>>,
    index: &AppIndex,
    kind: FlowKind,
) -> Vec<Call> {
    let has_usage =
        session.events.iter().any(|event| !event.is_from_user() && event.usage_metadata.is_some());
    let mut so_far = SoFar::default();
    let mut calls = Vec::new();
    for (at, event) in session.events.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &*session.events[before]);
        let turn = so_far.turn(event);
        if is_answer(event, before, Some(index), kind) {
            let is_answered = !marks::has(event, marks::UNANSWERED);
            let is_told = event.usage_metadata.is_some() || event.error_code.is_some() || !is_answered;
            let is_sure = is_told || !has_usage;
            calls.push(Call {
                number: calls.len() as u32 + 1,
                answer: EventIndex(at as u32),
                is_answered,
                turn,
                invocation: invocation(event, so_far.user_content(event), index),
                certainty: if is_sure { Certainty::Sure } else { Certainty::WithoutUsage },
                input: single_turn_input(session, at, &so_far, index),
                seen: None,
                usage: event.usage_metadata.as_deref().filter(|_| !is_sum(event)).cloned(),
                model: event.model_version.clone(),
                error: error(event),
            });
        }
        so_far.add(at, said.get(&at).unwrap_or(event));
    }
    calls
}

/// How many calls a session has, as far as that can be told without its app: all agents are taken to ask a model.
pub fn n_calls(session: &Session, kind: FlowKind) -> usize {
    let before = |at: usize| at.checked_sub(1).map(|before| &*session.events[before]);
    let events = session.events.iter().enumerate();
    events.filter(|(at, event)| is_answer(event, before(*at), None, kind)).count()
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

/// Whether an event holds what a model answered.
fn is_answer(event: &Event, before: Option<&Event>, index: Option<&AppIndex>, kind: FlowKind) -> bool {
    let is_llm = |index: &AppIndex| index.find(&event.author).is_none_or(|agent| index.agent(agent).is_llm());
    let is_agent = !event.is_from_user() && !event.author.is_empty() && index.is_none_or(is_llm);
    if !is_agent || event.partial == Some(true) || event.is_compaction() || answers_nothing(event) {
        return false;
    }
    let parts = event.parts();
    if parts.is_empty() {
        // ADK ends a streamed answer with an event that has its usage once more. In other recordings the content was
        // not kept.
        let is_unseen = kind == FlowKind::Transcript && event.usage_metadata.is_some() && !is_sum(event);
        return is_unseen || event.error_code.is_some() || marks::has(event, marks::UNANSWERED);
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
    marks::has(event, marks::NOT_SENT) || marks::has(event, marks::QUOTED)
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
#[derive(Default)]
struct SoFar<'s> {
    /// Invocations in the order they began.
    turns: HashMap<&'s str, u32>,
    /// What the user said last in each invocation.
    said: HashMap<&'s str, Arc<Content>>,
    /// The first call with each id.
    calls: HashMap<&'s str, &'s FunctionCall>,
    /// What each task was given, by the id of the call that began it.
    task_inputs: HashMap<&'s str, Option<Arc<Content>>>,
    /// Where each author first appears on a branch.
    arrivals: HashMap<(&'s str, Option<&'s str>), usize>,
}

impl<'s> SoFar<'s> {
    /// The turn of an event, counted from 1. Summaries belong to none: 0.
    fn turn(&mut self, event: &'s Event) -> u32 {
        if event.is_compaction() {
            return self.turns.get(&*event.invocation_id).copied().unwrap_or(0);
        }
        let next = self.turns.len() as u32 + 1;
        *self.turns.entry(&event.invocation_id).or_insert(next)
    }

    fn add(&mut self, at: usize, event: &'s Event) {
        self.arrivals.entry((&event.author, event.branch.as_deref())).or_insert(at);
        for call in event.function_calls() {
            let Some(id) = call.id.as_deref() else { continue };
            self.calls.entry(id).or_insert(call);
        }
        let is_said = event.is_from_user() && !event.is_compaction();
        if let Some(content) = event.content.as_ref().filter(|_| is_said)
            && event.function_responses().next().is_none()
        {
            self.said.insert(&event.invocation_id, content.clone());
        }
    }

    /// What the user is taken to have said to the author of an event: inside a task, the arguments it was called with;
    /// else the latest message of the turn, even if it was meant for a task.
    fn user_content(&mut self, event: &'s Event) -> Option<Arc<Content>> {
        let said = self.said.get(&*event.invocation_id);
        let Some(scope) = event.isolation_scope.as_deref() else { return said.cloned() };
        let known = self.task_inputs.entry(scope);
        let input = known.or_insert_with(|| self.calls.get(scope).and_then(|call| task_input(call)));
        input.as_ref().or(said).cloned()
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
    let agent = index.find(&event.author).map(|agent| index.agent(agent));
    // The runtime keeps an agent that answers once from the history, unless its configuration says otherwise.
    if let Some(agent) = agent.filter(|agent| agent.mode == Some(AgentMode::SingleTurn)) {
        invocation.include_contents =
            agent.include_contents.or(Some(strata_model::app::IncludeContents::None));
    }
    invocation
}

/// What a single-turn agent was asked: the runtime shows it as a message while the agent runs and stores none. It
/// stands before the agent's first event on its branch.
fn single_turn_input(
    session: &Session,
    answer: usize,
    so_far: &SoFar<'_>,
    index: &AppIndex,
) -> Option<(usize, LoggedEvent)> {
    let event = &session.events[answer];
    let agent = index.agent(index.find(&event.author)?);
    let call_id = (agent.mode == Some(AgentMode::SingleTurn)).then(|| delegating_call_id(event)).flatten()?;
    let text = delegated_text(so_far.calls.get(call_id)?, agent.input_schema.is_some())?;
    let first = so_far.arrivals.get(&(&*event.author, event.branch.as_deref())).copied().unwrap_or(answer);
    let input = Event {
        author: "user".into(),
        invocation_id: event.invocation_id.clone(),
        branch: event.branch.clone(),
        isolation_scope: event.isolation_scope.clone(),
        node_info: event.node_info.clone(),
        timestamp: session.events[first].timestamp,
        content: Some(Arc::new(Content::new("user", [Part::from_text(text)]))),
        ..Event::default()
    };
    Some((first, LoggedEvent::new(Arc::new(input), None)))
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
