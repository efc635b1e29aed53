//! Events as google-adk 2.13 stores them when a Gemini model runs without streaming.
//!
//! What a recorder knows about ADK: an invocation and a compaction have ids of their own; a model's event carries the
//! time before its call and the results of its tools the time after; a call without an id gets one; node paths count
//! the runs of each agent anew in every invocation; and the agent that spoke last answers the next message.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use strata_model::{
    Content, Event, EventActions, EventCompaction, FunctionCall, FunctionResponse, Json, NodeInfo, NodePath,
    Object, Part, Scope, Session, Str, json,
};

use crate::seeded::Seeded;

/// What a recording begins with.
pub(crate) struct Start {
    pub session_id: Str,
    pub app_name: Str,
    pub user_id: Str,
    pub state: Object,
    /// The agent at the top of the tree. All others are its sub-agents.
    pub root: Str,
    pub model: Str,
    /// Epoch seconds of the session's creation.
    pub at_s: u64,
    pub seed: u64,
}

/// A tool the model called, with what came of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolRun {
    pub tool: Str,
    pub args: Object,
    pub response: Object,
    pub state_delta: Object,
    pub artifact_delta: Object,
    pub takes_ms: u64,
}

impl ToolRun {
    pub(crate) fn new(tool: &str, args: Object, response: Object, takes_ms: u64) -> Self {
        Self { tool: tool.into(), args, response, takes_ms, ..Self::default() }
    }
}

pub(crate) struct Recorder {
    session: Session,
    root: Str,
    model: Str,
    random: Seeded,
    /// Epoch microseconds.
    clock_us: u64,
    agent: Str,
    node_path: NodePath,
    /// How often each node ran in this invocation, by its path without the run.
    runs: BTreeMap<String, u32>,
    /// One id for each turn so far.
    invocation_ids: Vec<Str>,
}

impl Recorder {
    pub(crate) fn new(start: Start) -> Self {
        let Start { session_id, app_name, user_id, state, root, model, at_s, seed } = start;
        Self {
            session: Session { id: session_id, app_name, user_id, state, ..Session::default() },
            agent: root.clone(),
            root,
            model,
            random: Seeded::new(seed),
            clock_us: at_s * 1_000_000,
            node_path: NodePath::default(),
            runs: BTreeMap::new(),
            invocation_ids: Vec::new(),
        }
    }

    pub(crate) fn n_events(&self) -> usize {
        self.session.events.len()
    }

    /// A message of the user after a pause. It begins an invocation, which the agent that spoke last answers.
    pub(crate) fn user_says(&mut self, text: &str, state_delta: Object, pause_ms: u64) {
        self.wait_ms(pause_ms);
        let invocation_id: Str = format!("e-{}", self.random.uuid()).into();
        self.invocation_ids.push(invocation_id);
        self.runs.clear();
        let agent = self.agent.clone();
        self.enter(&agent);
        let event = Event {
            content: Some(text_content("user", text)),
            author: "user".into(),
            actions: EventActions { state_delta, ..EventActions::default() },
            ..self.event()
        };
        self.append(event);
    }

    /// The agent's model answers with a text.
    pub(crate) fn answers(&mut self, text: &str) {
        self.wait_ms(30);
        let event = Event { content: Some(text_content("model", text)), ..self.model_event() };
        self.append(event);
        self.wait_for_tokens(text.len() / 4);
    }

    /// The agent's model calls tools, which run side by side.
    pub(crate) fn calls(&mut self, before: Option<&str>, runs: Vec<ToolRun>) {
        self.run_tools(before, runs, None);
    }

    /// The agent's model hands over to another agent, perhaps with a message.
    pub(crate) fn hands_over(&mut self, message: Option<&str>, to: &str) {
        let args = Object::from_iter([("agent_name", to)]);
        let nothing = Object::from_iter([("result", Json::Null)]);
        let run = ToolRun::new("transfer_to_agent", args, nothing, 0);
        self.run_tools(message, vec![run], Some(to.into()));
        self.enter(to);
    }

    fn run_tools(&mut self, before: Option<&str>, runs: Vec<ToolRun>, transfer_to: Option<Str>) {
        self.wait_ms(30);
        let ids: Vec<Str> = runs.iter().map(|_| format!("adk-{}", self.random.uuid()).into()).collect();
        let calls = runs.iter().zip(&ids).map(|(run, id)| {
            Part::from_call(FunctionCall {
                id: Some(id.clone()),
                args: Some(Arc::new(run.args.clone())),
                name: Some(run.tool.clone()),
                ..FunctionCall::default()
            })
        });
        let content = Content::new("model", before.map(Part::from_text).into_iter().chain(calls));
        let event = Event {
            content: Some(Arc::new(content)),
            long_running_tool_ids: Some(Vec::new()),
            ..self.model_event()
        };
        let args = runs.iter().map(|run| json::to_compact(&Json::Object(run.args.clone())).len());
        let n_tokens = (args.sum::<usize>() + before.map_or(0, str::len)) / 4 + 20 * runs.len();
        self.append(event);
        self.wait_for_tokens(n_tokens);
        self.wait_ms(runs.iter().map(|run| run.takes_ms).max().unwrap_or(0));
        self.return_results(runs, ids, transfer_to);
    }

    fn return_results(&mut self, runs: Vec<ToolRun>, ids: Vec<Str>, transfer_to_agent: Option<Str>) {
        let mut actions = EventActions { transfer_to_agent, ..EventActions::default() };
        let mut results = Vec::new();
        for (run, id) in runs.into_iter().zip(ids) {
            actions.state_delta.update(&run.state_delta);
            actions.artifact_delta.update(&run.artifact_delta);
            results.push(Part::from_response(FunctionResponse {
                id: Some(id),
                name: Some(run.tool),
                response: Some(Arc::new(run.response)),
                ..FunctionResponse::default()
            }));
        }
        let event = Event {
            content: Some(Arc::new(Content::new("user", results))),
            author: self.agent.clone(),
            node_info: self.node_info(),
            actions,
            ..self.event()
        };
        self.append(event);
    }

    /// The summary of some turns, counted from 1, that the runner stores after an invocation.
    pub(crate) fn summarizes(&mut self, turns: RangeInclusive<usize>, summary: &str) {
        let timestamp = |event: &Arc<Event>| event.timestamp;
        let is_of = |turn: usize, event: &&Arc<Event>| {
            Some(&event.invocation_id) == self.invocation_ids.get(turn - 1)
        };
        let events = &self.session.events;
        let compaction = EventCompaction {
            start_timestamp: events.iter().find(|event| is_of(*turns.start(), event)).map(timestamp),
            end_timestamp: events.iter().rfind(|event| is_of(*turns.end(), event)).map(timestamp),
            compacted_content: Some(Content::new("model", [Part::from_text(summary)])),
            ..EventCompaction::default()
        };
        self.wait_for_tokens(summary.len() / 4);
        let event = Event {
            author: "user".into(),
            invocation_id: self.random.uuid().into(),
            actions: EventActions { compaction: Some(compaction), ..EventActions::default() },
            ..self.event()
        };
        self.append(event);
    }

    pub(crate) fn finish(self) -> Session {
        self.session
    }

    /// Begins a run of an agent: the root anew, or a sub-agent below the root's latest run.
    fn enter(&mut self, agent: &str) {
        self.agent = agent.into();
        let root = self.root.to_string();
        if *agent == *self.root || !self.runs.contains_key(&root) {
            *self.runs.entry(root.clone()).or_default() += 1;
        }
        let mut path = format!("{root}@{}", self.runs[&root]);
        if *agent != *self.root {
            let node = format!("{path}/{agent}");
            let run = self.runs.entry(node.clone()).or_default();
            *run += 1;
            path = format!("{node}@{run}");
        }
        self.node_path = NodePath::new(path);
    }

    fn model_event(&mut self) -> Event {
        Event {
            model_version: Some(self.model.clone()),
            finish_reason: Some("STOP".into()),
            author: self.agent.clone(),
            node_info: self.node_info(),
            ..self.event()
        }
    }

    fn node_info(&self) -> NodeInfo {
        NodeInfo { path: self.node_path.clone(), ..NodeInfo::default() }
    }

    fn event(&mut self) -> Event {
        Event {
            invocation_id: self.invocation_ids.last().cloned().unwrap_or_default(),
            id: self.random.uuid().into(),
            timestamp: self.clock_us as f64 / 1e6,
            ..Event::default()
        }
    }

    fn append(&mut self, event: Event) {
        for (key, value) in event.actions.state_delta.iter() {
            if Scope::of(key) != Scope::Temp {
                self.session.state.insert(key.clone(), value.clone());
            }
        }
        self.session.last_update_time = event.timestamp;
        self.session.events.push(Arc::new(event));
    }

    fn wait_ms(&mut self, about_ms: u64) {
        // No wait is a round number of milliseconds, and none is zero.
        self.clock_us += about_ms * 1000 + self.random.between(200, 9800) as u64;
    }

    /// The time a model takes for so many tokens.
    fn wait_for_tokens(&mut self, n_tokens: usize) {
        let first_ms = self.random.between(600, 1400) as u64;
        self.wait_ms(first_ms + n_tokens as u64 * 7);
    }
}

fn text_content(role: &str, text: &str) -> Arc<Content> {
    Arc::new(Content::new(role, [Part::from_text(text)]))
}
