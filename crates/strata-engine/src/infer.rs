//! What a session tells about the app it ran in, for sessions that come without their app's configuration.
//!
//! Events name the agents, the tools they called and the models that answered. They hold no instructions, but for what
//! some clients write down of them, no descriptions and nothing that an agent could have used and did not. What is found
//! here is therefore a lower bound of the real configuration, and everything compiled from it is marked as inferred.
//! Requests that were recorded hold all of that, for the agents that sent them.

mod most_frequent;
mod requests;
mod templates;
mod tools;
mod tree;

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::app::{AgentKind, Instruction, ModelFamily, ModelSpec};
use strata_model::{Agent, App, Event, EventIndex, Json, LlmRequest, Session, Str, Tool, marks};

use crate::flow_kind::FlowKind;
use crate::last_steps::looks_like_run_answer;
use requests::SentRequests;
use tools::{InferredTools, RUNTIME_CALLS, ToolSignatures};
use tree::{Tree, is_agent_event};

/// An app as far as events tell it.
#[derive(Debug, Clone)]
pub struct InferredApp {
    pub app: Arc<App>,
    /// What was inferred and what could not be, a sentence each.
    pub notes: Vec<String>,
}

/// Infers the app a session ran in, also from requests that are recorded of it, each with the event that answers it.
pub fn infer_app(session: &Session, kind: FlowKind, requests: &[(EventIndex, LlmRequest)]) -> InferredApp {
    let mut clues = AppClues::default();
    clues.read(session, kind);
    clues.app(session, kind, requests)
}

/// What the events of a session tell of the app it ran in, as far as they were read.
#[derive(Debug, Clone, Default)]
pub struct AppClues {
    n_read: usize,
    tree: Tree,
    tools: ToolSignatures,
    /// How often each model answered, by author.
    models: BTreeMap<Str, BTreeMap<Str, usize>>,
    /// What the client says it tells an agent with every request.
    told: BTreeMap<Str, Str>,
    /// System text of requests by the branch it is for, until somebody answers there.
    said: BTreeMap<Option<Str>, Str>,
    /// The first event that looks like what a plugin said in the place of a whole run.
    for_run: Option<Arc<Event>>,
}

impl AppClues {
    /// Reads the events behind those that were read. Those have to be the same still.
    pub fn read(&mut self, session: &Session, kind: FlowKind) {
        for event in &session.events[self.n_read.min(session.events.len())..] {
            if is_agent_event(event) && kind == FlowKind::Adk && looks_like_run_answer(event) {
                self.for_run.get_or_insert_with(|| event.clone());
            } else if is_agent_event(event) {
                match kind {
                    FlowKind::Adk => self.tree.add_event(event),
                    FlowKind::Transcript => self.tree.add_author(event),
                }
                self.tools.add_event(event);
            }
            if let Some(model) = &event.model_version {
                let of_author = self.models.entry(event.author.clone()).or_default();
                *of_author.entry(model.clone()).or_default() += 1;
            }
            self.read_instruction(event);
        }
        self.n_read = session.events.len();
    }

    fn read_instruction(&mut self, event: &Event) {
        if let Some(text) = marks::of(event, marks::INSTRUCTION).and_then(Json::as_str) {
            self.told.entry(event.author.clone()).or_insert_with(|| text.into());
        } else if marks::has(event, marks::SYSTEM_TEXT) {
            let texts: Vec<&str> = event.parts().iter().filter_map(|part| part.text.as_deref()).collect();
            self.said.insert(event.branch.clone(), texts.join("\n\n").into());
        } else if is_agent_event(event)
            && let Some(text) = self.said.remove(&event.branch)
        {
            self.told.entry(event.author.clone()).or_insert(text);
        }
    }

    /// How many events were read.
    pub fn n_read(&self) -> usize {
        self.n_read
    }

    /// The app, also by requests that are recorded of the session.
    pub fn app(
        &self,
        session: &Session,
        kind: FlowKind,
        requests: &[(EventIndex, LlmRequest)],
    ) -> InferredApp {
        let mut tree = self.tree.clone();
        // With no agent beside it, it may be one.
        if let Some(event) = self.for_run.as_deref().filter(|_| tree.root().is_none()) {
            tree.add_event(event);
        }
        match kind {
            FlowKind::Adk => tree.find_root(),
            FlowKind::Transcript => tree.adopt_by_root(),
        }
        let found = Found {
            sent: SentRequests::of(session, kind, requests),
            models: self.most_frequent_models(),
            told: &self.told,
            tools: InferredTools::of(&self.tools, &tree),
            tree,
        };
        let root_agent = found.tree.root().map(|root| found.agent(root));
        let app =
            App { name: session.app_name.clone(), root_agent, writer: writer(session), ..App::default() };
        InferredApp { app: Arc::new(app), notes: found.notes(kind) }
    }

    fn most_frequent_models(&self) -> BTreeMap<Str, Str> {
        let most_frequent = |models: &BTreeMap<Str, usize>| {
            models.iter().max_by_key(|(_, n)| **n).map(|(model, _)| model.clone())
        };
        let models = self.models.iter();
        models.filter_map(|(author, models)| Some((author.clone(), most_frequent(models)?))).collect()
    }
}

/// What is known of agents, by their names.
struct Found<'r> {
    tree: Tree,
    tools: InferredTools,
    /// The model that answered most often.
    models: BTreeMap<Str, Str>,
    /// See [`AppClues`].
    told: &'r BTreeMap<Str, Str>,
    sent: SentRequests<'r>,
}

impl Found<'_> {
    fn agent(&self, name: &Str) -> Arc<Agent> {
        let children: Vec<_> = self.tree.children(name).map(|child| self.agent(child)).collect();
        let kind = self.tree.kind(name);
        let is_llm = kind == AgentKind::Llm;
        let own = self.tools.of_agent(name).filter(|_| is_llm);
        let named = self.sent.model(name).or_else(|| self.models.get(name).cloned());
        let model = named.map_or_else(ModelSpec::unknown, |name| model(&name));
        Arc::new(Agent {
            kind,
            name: name.clone(),
            description: self.sent.description(name),
            model: is_llm.then_some(model),
            instruction: self.instruction(name).filter(|_| is_llm),
            generate_content_config: self.sent.settings(name).filter(|_| is_llm),
            sub_agents: (!children.is_empty()).then_some(children),
            mode: self.tree.mode(name),
            tools: Some(self.agent_tools(name)).filter(|tools| !tools.is_empty() && is_llm),
            output_schema: own.and_then(|own| own.output_schema.clone()),
            ..Agent::default()
        })
    }

    /// What was sent, else what the client wrote down, which is never filled from state.
    fn instruction(&self, name: &str) -> Option<Instruction> {
        let told = || Some(Instruction::Provider { text: self.told.get(name)?.clone(), name: None });
        self.sent.instruction(name).or_else(told)
    }

    /// The tools that were declared, with those of google-adk's own that were called; else those that were called.
    fn agent_tools(&self, name: &str) -> Vec<Tool> {
        let called = self.tools.of_agent(name).map_or(&[][..], |own| &own.tools);
        let is_runtimes =
            |tool: &str| RUNTIME_CALLS.contains(&tool) || self.tree.names().any(|agent| **agent == *tool);
        let Some(declared) = self.sent.tools(name, is_runtimes) else { return called.to_vec() };
        let is_function =
            |tool: &&Tool| matches!(tool, Tool::Function { .. } | Tool::LongRunningFunction { .. });
        declared.into_iter().chain(called.iter().filter(|tool| !is_function(tool)).cloned()).collect()
    }
}

/// What wrote the session, where the way it is written gives that away.
pub fn writer(session: &Session) -> Option<Str> {
    let mark = session.events.first().and_then(|event| marks::of(event, marks::WRITER))?;
    mark.as_str().map(Str::from)
}

/// A model known by the name its provider answered with.
fn model(name: &str) -> ModelSpec {
    let mut spec = ModelSpec::gemini(name);
    if !name.contains("gemini") {
        spec.family = ModelFamily::LiteLlm;
    }
    spec
}

impl Found<'_> {
    fn notes(&self, kind: FlowKind) -> Vec<String> {
        let mut notes = Vec::new();
        let n_agents = self.tree.names().filter(|name| self.tree.kind(name) == AgentKind::Llm).count();
        let were = if n_agents == 1 { "agent was" } else { "agents were" };
        if !self.sent.is_empty() {
            notes.push(format!(
                "{n_agents} {were} inferred from the events, with the instructions, models and settings that they sent in \
                 most of the requests that are recorded, and all tools that any of these declares. A call whose request is recorded rests on that one."
            ));
            notes.extend(self.tree.guesses().iter().cloned());
            return notes;
        }
        let agents = if n_agents == 1 { "agent" } else { "agents" };
        let n_tools = self.tools.count();
        let tool_word = if n_tools == 1 { "tool" } else { "tools" };
        notes.push(format!(
            "{n_agents} {agents} and {n_tools} {tool_word} were inferred from the events: agents by who answered, tools \
             by what was called with which arguments."
        ));
        match kind {
            FlowKind::Adk => notes.push(
                "Instructions, descriptions, tools that were never called and request settings are not stored in a \
                 session. Choose the app's configuration file to compile with them."
                    .into(),
            ),
            FlowKind::Transcript if !self.told.is_empty() => notes.push(
                "The system prompt is what the client wrote down when the session began; it may have sent less of it. \
                 The tool definitions are not in a transcript. What the provider reported beyond the recorded messages \
                 is shown as hidden context."
                    .into(),
            ),
            FlowKind::Transcript => notes.push(
                "The system prompt and the full tool definitions are not in a transcript. What the provider reported \
                 beyond the recorded messages is shown as hidden context."
                    .into(),
            ),
        }
        notes.extend(self.tree.guesses().iter().cloned());
        notes
    }
}
