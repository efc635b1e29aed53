//! Which agent takes the next turn: the runner's choice for a new message (`ADK.md` 8.2).

mod interrupts;

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use strata_model::app::AgentMode;
use strata_model::{Content, Event, FunctionResponse, Session, Str};

use crate::app_index::{AgentId, AppIndex};
use crate::branch::is_tool_branch;
use crate::log::{EventLog, LoggedEvent, live_events};
pub use interrupts::interrupt_ids;
use interrupts::{open_interrupts, run_ids};

/// Who answers a message, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    pub agent: Str,
    /// The branch the agent was on before.
    pub branch: Option<Str>,
    /// The run that goes on because the message holds results of its tools.
    pub resumed_invocation_id: Option<Str>,
}

/// A message the runner refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteError {
    /// ADK's own words; always a `ValueError`.
    pub message: String,
    /// What a person can change.
    pub advice: &'static str,
}

impl fmt::Display for RouteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.advice)
    }
}

impl std::error::Error for RouteError {}

/// The error code of events that close an aborted run.
const ABORTED: &str = "INVOCATION_ABORTED";

/// Chooses the agent for a message that is about to be added to the session.
pub fn route(index: &AppIndex, session: &Session, message: &Content) -> Result<Route, RouteError> {
    let root = index.ids().next().ok_or_else(|| RouteError {
        message: "root_agent must be provided.".into(),
        advice: "give the app a root agent",
    })?;
    let log = EventLog::new(session.events.iter().cloned());
    let live = live_events(log.events().iter(), |_| {});
    let root_agent = index.agent(root);
    if root_agent.is_llm() && root_agent.mode == Some(AgentMode::SingleTurn) {
        return Err(RouteError {
            message: "LlmAgent as root agent must have mode='chat' or 'task', but got mode='single_turn'."
                .into(),
            advice: "put the agent below one that chats",
        });
    }
    // A task has the floor until it is finished; only chats are handed over.
    let is_chat = !root_agent.is_llm() || root_agent.mode != Some(AgentMode::Task);
    let responses: Vec<&FunctionResponse> =
        message.parts().iter().filter_map(|part| part.function_response.as_deref()).collect();
    check_message(message, &responses, root_agent.is_llm())?;
    let is_resumable = index.app().is_resumable();
    let resumed_invocation_id = match invocation_of_answers(&live, message) {
        Err(_) if !root_agent.is_llm() && !is_resumable => None,
        resumed => resumed?,
    };
    let scene = RoutingState { index, root, live: &live, is_resumable };
    let agent = if is_chat { scene.agent_for(message) } else { root };
    let branch = (agent != root).then(|| scene.branch_of(agent, resumed_invocation_id.as_deref())).flatten();
    Ok(Route { agent: index.agent(agent).name.clone(), branch, resumed_invocation_id })
}

fn check_message(
    message: &Content,
    responses: &[&FunctionResponse],
    is_llm_root: bool,
) -> Result<(), RouteError> {
    let has_text =
        message.parts().iter().any(|part| part.text.as_deref().is_some_and(|text| !text.is_empty()));
    let has_ids = responses.iter().any(|response| id_of(response).is_some());
    if is_llm_root && has_ids && has_text {
        return Err(RouteError {
            message: "Message cannot contain both function responses and text. Function responses resume an \
                      existing invocation while text starts a new one."
                .into(),
            advice: "send the tool's results first, and the text as the next message",
        });
    }
    if is_llm_root && message.parts().iter().any(|part| part.function_call.is_some()) {
        return Err(RouteError {
            message: "User message cannot contain function calls.".into(),
            advice: "calls are made by models; send their results as function responses",
        });
    }
    Ok(())
}

fn id_of(response: &FunctionResponse) -> Option<&Str> {
    response.id.as_ref().filter(|id| !id.is_empty())
}

/// The run whose calls the message answers; all its answers have to belong to one.
pub fn invocation_of_answers(live: &[&LoggedEvent], message: &Content) -> Result<Option<Str>, RouteError> {
    let responses = message.parts().iter().filter_map(|part| part.function_response.as_deref());
    let mut open: BTreeSet<&str> = responses.filter_map(id_of).map(|id| &**id).collect();
    let mut invocations: BTreeSet<&Str> = BTreeSet::new();
    for logged in live.iter().rev() {
        if open.is_empty() {
            break;
        }
        for id in logged.event.function_calls().filter_map(|call| call.id.as_deref()) {
            if open.remove(id) {
                invocations.insert(&logged.event.invocation_id);
            }
        }
    }
    let printed = |ids: Vec<&str>| format!("{{'{}'}}", ids.join("', '"));
    if !open.is_empty() {
        return Err(RouteError {
            message: format!(
                "Function call not found for function response ids: {}. Ensure each function response ID \
                 matches an existing function call in the session history.",
                printed(open.into_iter().collect())
            ),
            advice: "answer calls by the ids the session holds",
        });
    }
    if invocations.len() > 1 {
        return Err(RouteError {
            message: format!(
                "Function responses resolve to multiple invocations: {}. All function responses in a single \
                 message must belong to the same invocation.",
                printed(invocations.into_iter().map(|id| &**id).collect())
            ),
            advice: "send one message for each run",
        });
    }
    Ok(invocations.pop_first().filter(|id| !id.is_empty()).cloned())
}

/// A session at the moment somebody is to speak.
#[derive(Clone, Copy)]
pub struct RoutingState<'s> {
    pub index: &'s AppIndex,
    pub root: AgentId,
    /// The events that rewinds have left.
    pub live: &'s [&'s LoggedEvent],
    pub is_resumable: bool,
}

impl RoutingState<'_> {
    /// The agent that goes on after the last event, be it an answer or something to say.
    pub fn next_agent(&self) -> AgentId {
        self.next_agent_after(self.live)
    }

    fn next_agent_after(&self, events: &[&LoggedEvent]) -> AgentId {
        self.agent_that_waits(events).unwrap_or_else(|| self.agent_that_spoke(events))
    }

    /// The agent that takes up a message. Chats look at it before it is stored, and only where it answers a call.
    pub fn agent_for(&self, message: &Content) -> AgentId {
        let is_sealed = self.live.last().is_some_and(|last| is_abort(&last.event));
        let is_llm_root = self.index.agent(self.root).is_llm();
        // Workflow agents have stored the message by now; chats look at it only where it answers a call.
        let is_answer = message.parts().iter().any(|part| part.function_response.is_some());
        let has_message = if is_llm_root { is_answer && !is_sealed } else { true };
        let said = LoggedEvent::new(
            Arc::new(Event {
                author: "user".into(),
                content: Some(Arc::new(message.clone())),
                ..Event::default()
            }),
            None,
        );
        let mut events = self.live.to_vec();
        if has_message {
            events.push(&said);
        }
        self.next_agent_after(&events)
    }

    /// The agent whose call the last event answers.
    fn agent_that_waits(&self, events: &[&LoggedEvent]) -> Option<AgentId> {
        let (last, before) = events.split_last()?;
        let last_of_agents = events.iter().rev().find(|logged| !logged.event.is_from_user());
        if is_abort(&last.event) || last_of_agents.is_some_and(|logged| is_abort(&logged.event)) {
            return None;
        }
        let answered = id_of(last.event.function_responses().next()?)?;
        let holds = |logged: &&&LoggedEvent| {
            logged.event.function_calls().any(|call| call.id.as_ref() == Some(answered))
        };
        let call = before.iter().rev().find(holds)?;
        if call.event.author.is_empty() || !(last.event.is_from_user() || self.is_resumable) {
            return None;
        }
        self.owner_of(call, answered, before).map(|owner| self.delegator_of(owner))
    }

    /// The agent that made a call, or that asked for what makes it wait.
    fn owner_of(&self, call: &LoggedEvent, id: &str, before: &[&LoggedEvent]) -> Option<AgentId> {
        let find = |name: &str| self.index.find_below(self.root, name);
        let interrupts = open_interrupts(before);
        let of_interrupt = interrupts.get(id).and_then(|authors| authors.iter().find_map(|name| find(name)));
        if let Some(owner) = of_interrupt.or_else(|| find(&call.event.author)) {
            return Some(owner);
        }
        let runs: HashSet<&str> = run_ids(&call.event)
            .into_iter()
            .filter(|run| !run.is_empty() && !run.chars().all(char::is_numeric))
            .collect();
        before.iter().rev().find_map(|logged| {
            let made_run = logged
                .event
                .function_calls()
                .any(|call| call.id.as_deref().is_some_and(|id| runs.contains(id)));
            made_run.then(|| find(&logged.event.author)).flatten()
        })
    }

    /// The agent that spoke last and may keep the floor.
    fn agent_that_spoke(&self, events: &[&LoggedEvent]) -> AgentId {
        for logged in events.iter().rev().filter(|logged| is_reply(&logged.event)) {
            let event = &*logged.event;
            if let Some(target) = self.transfer_target(event) {
                return target;
            }
            if event.author == self.index.agent(self.root).name {
                return self.root;
            }
            let speaker = self
                .index
                .sub_agents(self.root)
                .iter()
                .find_map(|sub_agent| self.index.find_below(*sub_agent, &event.author));
            if let Some(speaker) = speaker.filter(|speaker| self.can_return(*speaker)) {
                return self.delegator_of(speaker);
            }
        }
        self.root
    }

    /// Whom the event hands over to, if that is allowed and nobody has to ask the target back.
    fn transfer_target(&self, event: &Event) -> Option<AgentId> {
        let name = event.actions.transfer_to_agent.as_deref().filter(|name| !name.is_empty())?;
        let source = self.index.find_below(self.root, &event.author)?;
        if !self.index.agent(source).is_llm() {
            return None;
        }
        let targets = self.index.transfer_targets(source);
        let target = targets.into_iter().find(|target| *self.index.agent(*target).name == *name)?;
        self.can_return(target).then_some(target)
    }

    /// Whether the agent and all above it may hand over to their parents.
    fn can_return(&self, id: AgentId) -> bool {
        let mut up = std::iter::successors(Some(id), |id| self.index.parent(*id));
        up.all(|id| {
            let agent = self.index.agent(id);
            agent.is_llm() && agent.allows_transfer_to_parent()
        })
    }

    /// An agent inside a delegated task gives way to the one that delegated it.
    fn delegator_of(&self, id: AgentId) -> AgentId {
        let mut delegator = id;
        let mut current = id;
        while current != self.root
            && let Some(parent) = self.index.parent(current)
        {
            if self.index.agent(current).is_delegated() {
                delegator = parent;
            }
            current = parent;
        }
        delegator
    }

    /// The branch of the agent's latest event; branches of tools are not the agent's own.
    pub fn branch_of(&self, id: AgentId, invocation_id: Option<&str>) -> Option<Str> {
        let name = &*self.index.agent(id).name;
        let path = self.path_of(id);
        let calls = self.live.iter().flat_map(|logged| logged.event.function_calls());
        let call_ids: HashSet<&str> =
            calls.filter_map(|call| call.id.as_deref()).filter(|id| !id.is_empty()).collect();
        let is_own = |event: &Event, branch: &str| {
            let is_tool = is_tool_branch(branch, name, |id| call_ids.contains(id));
            let node = event.node_info.path.as_str();
            let is_here = if node.is_empty() { *event.author == *name } else { static_path(node) == path };
            !is_tool && is_here
        };
        self.live.iter().rev().find_map(|logged| {
            let event = &*logged.event;
            let branch = event.branch.as_ref().filter(|branch| !branch.is_empty())?;
            let is_in_run = invocation_id.is_none_or(|id| *event.invocation_id == *id);
            (is_in_run && is_own(event, branch)).then(|| branch.clone())
        })
    }

    /// The names from the root down to the agent.
    fn path_of(&self, id: AgentId) -> String {
        let up = std::iter::successors(Some(id), |id| self.index.parent(*id));
        let mut names: Vec<&str> = up.map(|id| &*self.index.agent(id).name).collect();
        names.reverse();
        names.join("/")
    }
}

/// A node path without the numbers of runs.
fn static_path(path: &str) -> String {
    let bare =
        |segment: &str| segment.rsplit_once('@').map_or(segment.to_owned(), |(name, _)| name.to_owned());
    path.split('/').map(bare).collect::<Vec<_>>().join("/")
}

fn is_abort(event: &Event) -> bool {
    event.error_code.as_deref() == Some(ABORTED)
}

/// Whether the event is something an agent said or did, rather than a note about its run.
fn is_reply(event: &Event) -> bool {
    let is_state = event.actions.agent_state.is_some() || event.actions.end_of_agent == Some(true);
    let is_bare_error =
        event.error_code.as_deref().is_some_and(|code| !code.is_empty()) && event.parts().is_empty();
    !event.is_from_user() && !is_abort(event) && !is_state && !is_bare_error
}
