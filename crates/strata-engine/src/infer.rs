//! What a session tells about the app it ran in, for sessions that come without their app's configuration.
//!
//! Events name the agents, the tools they called and the models that answered. They do not hold instructions,
//! descriptions or anything an agent could have used and did not. What is found here is therefore a lower bound of the
//! real configuration, and everything compiled from it is marked as inferred.

mod tools;
mod tree;

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::app::{AgentKind, ModelFamily, ModelSpec};
use strata_model::{Agent, App, Session, Str};

use crate::flow_kind::FlowKind;
use tools::InferredTools;
use tree::Tree;

/// An app as far as events tell it.
#[derive(Debug, Clone)]
pub struct InferredApp {
    pub app: Arc<App>,
    /// What was inferred and what could not be, a sentence each.
    pub notes: Vec<String>,
}

/// Infers the app a session ran in.
pub fn infer_app(session: &Session, kind: FlowKind) -> InferredApp {
    let tree = match kind {
        FlowKind::Adk => Tree::of_adk(session),
        FlowKind::Transcript => Tree::flat(session),
    };
    let tools = InferredTools::of(session, &tree);
    let models = models(session);
    let root_agent = tree.root().map(|root| agent(root, &tree, &tools, &models));
    let app = App { name: session.app_name.clone(), root_agent, ..App::default() };
    InferredApp { app: Arc::new(app), notes: notes(kind, &tree, &tools) }
}

fn agent(name: &Str, tree: &Tree, tools: &InferredTools, models: &BTreeMap<Str, Str>) -> Arc<Agent> {
    let children: Vec<_> = tree.children(name).map(|child| agent(child, tree, tools, models)).collect();
    let kind = tree.kind(name);
    let own = tools.of_agent(name).filter(|_| kind == AgentKind::Llm);
    Arc::new(Agent {
        kind,
        name: name.clone(),
        model: models.get(name).filter(|_| kind == AgentKind::Llm).map(|name| model(name)),
        sub_agents: (!children.is_empty()).then_some(children),
        mode: tree.mode(name),
        tools: own.map(|own| own.tools.clone()).filter(|tools| !tools.is_empty()),
        output_schema: own.and_then(|own| own.output_schema.clone()),
        ..Agent::default()
    })
}

/// The model that answered most often for each author.
fn models(session: &Session) -> BTreeMap<Str, Str> {
    let mut answers: BTreeMap<Str, BTreeMap<Str, usize>> = BTreeMap::new();
    for event in &session.events {
        if let Some(model) = &event.model_version {
            *answers.entry(event.author.clone()).or_default().entry(model.clone()).or_default() += 1;
        }
    }
    let most_frequent = |models: BTreeMap<Str, usize>| models.into_iter().max_by_key(|(_, n)| *n);
    answers
        .into_iter()
        .filter_map(|(author, models)| most_frequent(models).map(|(model, _)| (author, model)))
        .collect()
}

/// A model known by the name its provider answered with.
fn model(name: &str) -> ModelSpec {
    let mut spec = ModelSpec::gemini(name);
    if !name.contains("gemini") {
        spec.family = ModelFamily::LiteLlm;
    }
    spec
}

fn notes(kind: FlowKind, tree: &Tree, tools: &InferredTools) -> Vec<String> {
    let mut notes = Vec::new();
    let n_agents = tree.names().filter(|name| tree.kind(name) == AgentKind::Llm).count();
    let agents = if n_agents == 1 { "agent" } else { "agents" };
    let n_tools = tools.count();
    let tool_word = if n_tools == 1 { "tool" } else { "tools" };
    notes.push(format!(
        "{n_agents} {agents} and {n_tools} {tool_word} were inferred from the events: agents by who answered, tools by what \
         was called with which arguments."
    ));
    match kind {
        FlowKind::Adk => notes.push(
            "Instructions, descriptions, tools that were never called and request settings are not stored in a \
             session. Choose the app's configuration file to compile with them."
                .into(),
        ),
        FlowKind::Transcript => notes.push(
            "The system prompt and the full tool definitions are not in a transcript. What the provider reported \
             beyond the recorded messages is shown as hidden context."
                .into(),
        ),
    }
    notes.extend(tree.guesses().iter().cloned());
    notes
}
