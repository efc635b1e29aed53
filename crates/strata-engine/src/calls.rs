//! Which model calls a recorded session was made of (`ADK.md` section 12).
//!
//! A session holds answers, not calls. Every stored answer of a model is one call; what the call saw are the events
//! appended before it.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::app::AgentMode;
use strata_model::{Content, Event, EventIndex, FunctionCall, Json, Part, Session, Str, Usage, json};

use crate::app_index::AppIndex;
use crate::context::Invocation;
use crate::event_log::LoggedEvent;

/// One model call of a session.
#[derive(Debug)]
pub struct Call {
    /// C1 is number 1.
    pub number: u32,
    /// The event with the answer.
    pub answer: EventIndex,
    /// The user's turns, counted from 1: invocations in the order they began.
    pub turn: u32,
    pub invocation: Invocation,
    pub certainty: Certainty,
    /// What the agent was given that no event holds, and before which event.
    pub input: Option<(usize, LoggedEvent)>,
    /// What the provider reported with the answer.
    pub usage: Option<Usage>,
    pub model: Option<Str>,
    /// It failed, or its answer was empty.
    pub error: Option<String>,
}

impl Call {
    /// How many events were in the session when the call was made.
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

/// The calls of a session, in order of their answers.
pub fn reconstruct(session: &Session, index: &AppIndex) -> Vec<Call> {
    let turns = Turns::of(session);
    let has_usage =
        session.events.iter().any(|event| !event.is_from_user() && event.usage_metadata.is_some());
    let mut calls = Vec::new();
    for (at, event) in session.events.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &*session.events[before]);
        if !is_answer(event, before, index) {
            continue;
        }
        let is_sure = event.usage_metadata.is_some() || event.error_code.is_some() || !has_usage;
        calls.push(Call {
            number: calls.len() as u32 + 1,
            answer: EventIndex(at as u32),
            turn: turns.number(&event.invocation_id),
            invocation: invocation(event, &turns, index),
            certainty: if is_sure { Certainty::Sure } else { Certainty::WithoutUsage },
            input: single_turn_input(session, at, index),
            usage: event.usage_metadata.as_deref().cloned(),
            model: event.model_version.clone(),
            error: error(event),
        });
    }
    calls
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
fn is_answer(event: &Event, before: Option<&Event>, index: &AppIndex) -> bool {
    let is_agent = !event.is_from_user()
        && !event.author.is_empty()
        && index.find(&event.author).is_none_or(|agent| index.agent(agent).is_llm());
    if !is_agent || event.partial == Some(true) || event.is_compaction() {
        return false;
    }
    let parts = event.parts();
    if parts.is_empty() {
        return event.error_code.is_some();
    }
    let is_from_model = event.content.as_ref().and_then(|content| content.role.as_deref()) == Some("model");
    is_from_model
        && !parts.iter().any(is_runtime_request)
        && !parts.iter().all(|part| part.code_execution_result.is_some())
        && !is_data_file_step(parts)
        && !is_structured_answer(event, before)
}

/// A call the runtime itself makes to ask a person for something.
fn is_runtime_request(part: &Arc<Part>) -> bool {
    let name = part.function_call.as_ref().and_then(|call| call.name.as_deref());
    matches!(name, Some("adk_request_credential" | "adk_request_confirmation"))
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

/// Invocations in the order they began, each with what the user said to begin it.
struct Turns<'s> {
    number: HashMap<&'s str, u32>,
    said: HashMap<&'s str, &'s Arc<Content>>,
}

impl<'s> Turns<'s> {
    fn of(session: &'s Session) -> Self {
        let mut turns = Self { number: HashMap::new(), said: HashMap::new() };
        for event in session.events.iter().filter(|event| !event.is_compaction()) {
            let next = turns.number.len() as u32 + 1;
            turns.number.entry(&event.invocation_id).or_insert(next);
            let is_said = event.is_from_user() && event.function_responses().next().is_none();
            if let Some(content) = event.content.as_ref().filter(|_| is_said) {
                turns.said.entry(&event.invocation_id).or_insert(content);
            }
        }
        turns
    }

    fn number(&self, invocation_id: &str) -> u32 {
        self.number.get(invocation_id).copied().unwrap_or(0)
    }
}

fn invocation(event: &Event, turns: &Turns<'_>, index: &AppIndex) -> Invocation {
    let mut invocation = Invocation::new(event.author.clone(), event.invocation_id.clone());
    invocation.branch.clone_from(&event.branch);
    invocation.isolation_scope.clone_from(&event.isolation_scope);
    invocation.node_path = event.node_info.path.clone();
    invocation.user_content = turns.said.get(&*event.invocation_id).map(|content| (*content).clone());
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
fn single_turn_input(session: &Session, answer: usize, index: &AppIndex) -> Option<(usize, LoggedEvent)> {
    let event = &session.events[answer];
    let agent = index.agent(index.find(&event.author)?);
    let call_id = (agent.mode == Some(AgentMode::SingleTurn)).then(|| delegating_call_id(event)).flatten()?;
    let is_delegating = |call: &&FunctionCall| call.id.as_deref() == Some(call_id);
    let call =
        session.events[..answer].iter().flat_map(|event| event.function_calls()).find(is_delegating)?;
    let first = session.events[..=answer]
        .iter()
        .position(|other| other.author == event.author && other.branch == event.branch)?;
    let text = delegated_text(call, agent.input_schema.is_some())?;
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
