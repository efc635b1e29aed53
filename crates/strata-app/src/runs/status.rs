//! A run in the shapes of the commands.

use strata_engine::adk_text::{REQUEST_CONFIRMATION, REQUEST_INPUT};
use strata_model::app::{AgentKind, CodeNodeKind, Node};
use strata_model::{Agent, App, Event, Json, LlmRequest, Part, Session, json};

use crate::api::run::{
    AgentState, Continuation, ConversationLine, HeldCall, HeldPart, Limits, LineKind, RunAgent,
    RunConversation, WaitingCall, WaitingKind,
};
use crate::run::{self, HeldReport, RunLimits, SentCounts};
use crate::show::words::cut;

/// Lines of a conversation that are shown.
const MAX_LINES: usize = 500;
/// Characters of a line.
const MAX_TEXT: usize = 4_000;
/// Characters of a part that can only be looked at.
const MAX_LOOK: usize = 400;

pub(super) fn limits(limits: RunLimits) -> Limits {
    Limits {
        calls: limits.calls.unwrap_or(0),
        tokens: limits.tokens.unwrap_or(0) as f64,
        dollars: limits.dollars.unwrap_or(0.0),
    }
}

pub(super) fn waiting(waiting: &run::WaitingCall) -> WaitingCall {
    let args = waiting.call.args.as_deref().cloned().unwrap_or_default();
    let name = waiting.call.name.as_deref().unwrap_or_default();
    let pretty = |args: &Json| json::to_pretty(args);
    let text = |value: Option<&Json>| {
        value.and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let (kind, tool, question, args) = match name {
        REQUEST_CONFIRMATION => {
            let original = args.get("originalFunctionCall").cloned().unwrap_or_default();
            let hint = args.get("toolConfirmation").and_then(|confirmation| confirmation.get("hint"));
            let tool = text(original.get("name")).unwrap_or_default();
            let args = original.get("args").map(pretty).unwrap_or_default();
            (WaitingKind::Confirmation, tool, text(hint), args)
        }
        REQUEST_INPUT => {
            let payload = args.get("payload").filter(|payload| !payload.is_null());
            (
                WaitingKind::Input,
                name.to_owned(),
                text(args.get("message")),
                payload.map(pretty).unwrap_or_default(),
            )
        }
        _ => (WaitingKind::Tool, name.to_owned(), None, pretty(&Json::Object(args))),
    };
    let (id, agent) = (waiting.id.to_string(), waiting.agent.to_string());
    WaitingCall { id, agent, kind, tool, question, args }
}

pub(crate) fn held(report: &HeldReport) -> HeldCall {
    let request = &report.request;
    HeldCall {
        agent: report.agent.clone(),
        node_path: report.node_path.clone(),
        reasons: report.reasons.clone(),
        prompt_tokens: report.prompt_tokens,
        basis: report.basis,
        prompt_cost: report.prompt_cost,
        before: report.before.map(|before| Continuation {
            tokens: before.tokens,
            shared_tokens: before.shared_tokens,
            differs_in: before.differs_in.map(str::to_owned),
        }),
        model: request.model.as_deref().unwrap_or_default().to_owned(),
        system: request.system_instruction.as_ref().map(|text| text.to_text().to_string()),
        parts: parts(request),
        is_edited: report.is_edited,
    }
}

fn parts(request: &LlmRequest) -> Vec<HeldPart> {
    let contents = request.contents.iter().enumerate();
    let parts = contents.flat_map(|(at, content)| {
        let role = content.role.as_deref().unwrap_or_default().to_owned();
        content.parts.iter().enumerate().map(move |(part_at, part)| {
            let (kind, text, is_text) = look(&part.part);
            HeldPart { content: at as u32, part: part_at as u32, role: role.clone(), kind, text, is_text }
        })
    });
    parts.collect()
}

/// What a part is, what it says, and whether that can be edited.
fn look(part: &Part) -> (String, String, bool) {
    let object = |object: Option<&strata_model::Object>| object.cloned().map_or(Json::Null, Json::Object);
    if let Some(text) = &part.text {
        let kind = if part.is_thought() { "thought" } else { "text" };
        return (kind.to_owned(), text.to_string(), true);
    }
    if let Some(result) = &part.function_response {
        let kind = format!("result of {}", result.name.as_deref().unwrap_or("a tool"));
        return (kind, json::to_pretty(&object(result.response.as_deref())), true);
    }
    if let Some(call) = &part.function_call {
        let kind = format!("call of {}", call.name.as_deref().unwrap_or("a tool"));
        return (kind, cut(&json::to_compact(&object(call.args.as_deref())), MAX_LOOK), false);
    }
    ("data".to_owned(), String::new(), false)
}

/// The agents and nodes of an app, each behind the one above it.
pub(super) fn agents(app: &App, run: &Progress<'_>) -> Vec<RunAgent> {
    let mut agents = Vec::new();
    match (&app.root_agent, &app.root_node) {
        (Some(agent), _) => add_agent(agent, 0, run, &mut agents),
        (None, Some(node)) => add_node(node, 0, run, &mut agents),
        (None, None) => {}
    }
    // Whoever stands above somebody at work is at work, too.
    for at in (0..agents.len()).rev() {
        let depth = agents[at].depth;
        let is_busy = |agent: &RunAgent| {
            matches!(agent.state, AgentState::Running | AgentState::Held | AgentState::Asks)
        };
        let mut below = agents[at + 1..].iter().take_while(|below| below.depth > depth);
        if agents[at].state != AgentState::Held && agents[at].state != AgentState::Asks && below.any(is_busy)
        {
            agents[at].state = AgentState::Running;
        } else if agents[at].state == AgentState::NotRun {
            let mut below = agents[at + 1..].iter().take_while(|below| below.depth > depth);
            if below.any(|below| below.state == AgentState::Done) {
                agents[at].state = AgentState::Done;
            }
        }
    }
    agents
}

/// How far a run is.
pub(super) struct Progress<'r> {
    pub sent: &'r SentCounts,
    /// Who has said or done something in the session.
    pub authors: &'r [String],
    pub waiting: &'r [WaitingCall],
    pub held: Option<&'r str>,
    /// Who is at work, while a turn is being taken.
    pub at_work: Option<&'r str>,
}

impl Progress<'_> {
    fn agent(&self, name: &str, kind: &str, depth: u32) -> RunAgent {
        let calls = self.sent.by_agent.get(name).copied().unwrap_or_default();
        let state = if self.held == Some(name) {
            AgentState::Held
        } else if self.waiting.iter().any(|waiting| waiting.agent == name) {
            AgentState::Asks
        } else if self.at_work == Some(name) {
            AgentState::Running
        } else if calls > 0 || self.authors.iter().any(|author| author == name) {
            AgentState::Done
        } else {
            AgentState::NotRun
        };
        RunAgent { name: name.to_owned(), kind: kind.to_owned(), depth, state, calls }
    }
}

fn add_agent(agent: &Agent, depth: u32, run: &Progress<'_>, agents: &mut Vec<RunAgent>) {
    let kind = match agent.kind {
        AgentKind::Llm => "llm",
        AgentKind::Sequential => "sequential",
        AgentKind::Parallel => "parallel",
        AgentKind::Loop => "loop",
        AgentKind::Workflow => "workflow",
        AgentKind::Custom => "code",
    };
    agents.push(run.agent(&agent.name, kind, depth));
    for below in agent.sub_agents() {
        add_agent(below, depth + 1, run, agents);
    }
    for node in agent.nodes() {
        add_node(node, depth + 1, run, agents);
    }
}

fn add_node(node: &Node, depth: u32, run: &Progress<'_>, agents: &mut Vec<RunAgent>) {
    let kind = match node {
        Node::Agent(agent) => return add_agent(agent, depth, run, agents),
        Node::Code(code) if code.kind == CodeNodeKind::Function => "function",
        Node::Code(_) => "node",
        Node::Join(_) => "join",
        Node::Tool(_) => "tool",
    };
    agents.push(run.agent(&node.name(), kind, depth));
}

/// What was said and done in a session.
pub(super) fn conversation(session: &Session) -> RunConversation {
    let mut lines = Vec::new();
    for (at, event) in session.events.iter().enumerate() {
        add_lines(event, at as u32 + 1, &mut lines);
    }
    let left_out = lines.len().saturating_sub(MAX_LINES);
    lines.drain(..left_out);
    RunConversation { lines, left_out: left_out as u32 }
}

fn add_lines(event: &Event, number: u32, lines: &mut Vec<ConversationLine>) {
    let mut add = |kind: LineKind, tool: Option<&str>, text: &str| {
        let shown = cut(text, MAX_TEXT);
        lines.push(ConversationLine {
            event: number,
            who: event.author.to_string(),
            kind,
            tool: tool.map(str::to_owned),
            is_cut: shown.len() != text.len(),
            text: shown,
        });
    };
    for part in event.parts() {
        if let Some(text) = part.text.as_deref().filter(|text| !text.is_empty()) {
            add(if part.is_thought() { LineKind::Thought } else { LineKind::Said }, None, text);
        } else if let Some(call) = &part.function_call {
            let args = call.args.as_deref().map_or_else(|| "{}".to_owned(), json::object_to_compact);
            add(LineKind::Called, Some(call.name.as_deref().unwrap_or_default()), &args);
        } else if let Some(result) = &part.function_response {
            let response =
                result.response.as_deref().map_or_else(|| "{}".to_owned(), json::object_to_compact);
            add(LineKind::Answered, Some(result.name.as_deref().unwrap_or_default()), &response);
        }
    }
    if let Some(code) = &event.error_code {
        add(LineKind::Failed, None, event.error_message.as_deref().unwrap_or(code));
    }
}
