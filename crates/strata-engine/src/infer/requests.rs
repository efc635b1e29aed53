//! What recorded requests tell of the agents that sent them: instructions, tools with their full declarations, models
//! and settings. What an agent sent most often is taken for its configuration, with all tools that it ever declared.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use strata_model::app::{Confirmation, Instruction};
use strata_model::{Declaration, EventIndex, LlmRequest, Object, RequestTool, Session, Str, Tool};

use super::most_frequent::most_frequent;
use super::templates::template;
use crate::flow_kind::FlowKind;
use crate::state_history::StateHistory;

/// Settings that come from elsewhere than an agent's own: the form of its answer, and the run.
const NOT_OF_AGENT: [&str; 4] = ["responseSchema", "responseMimeType", "httpOptions", "labels"];
/// Tools that google-adk itself declares, with those of [`super::tools`].
const DECLARED_BY_ADK: [&str; 5] =
    ["load_memory", "load_artifacts", "exit_loop", "set_model_response", "google_search_agent"];

/// Requests of a session by the agents that sent them.
pub(super) struct SentRequests<'r> {
    kind: FlowKind,
    states: StateHistory,
    agents: BTreeMap<&'r str, Vec<(EventIndex, &'r LlmRequest)>>,
}

impl<'r> SentRequests<'r> {
    pub(super) fn of(session: &'r Session, kind: FlowKind, requests: &'r [(EventIndex, LlmRequest)]) -> Self {
        let mut agents: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (answer, request) in requests {
            let Some(event) = session.events.get(answer.as_usize()) else { continue };
            agents.entry(&event.author).or_default().push((*answer, request));
        }
        // Templates are found in requests alone.
        let states = if agents.is_empty() { StateHistory::default() } else { StateHistory::new(session) };
        Self { kind, states, agents }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    fn of_agent(&self, agent: &str) -> &[(EventIndex, &'r LlmRequest)] {
        self.agents.get(agent).map_or(&[], Vec::as_slice)
    }

    pub(super) fn model(&self, agent: &str) -> Option<Str> {
        most_frequent(self.of_agent(agent).iter().filter_map(|(_, request)| request.model.clone()))
    }

    /// Functions that no part of google-adk declares, as they were declared: those that most requests have, and behind
    /// them those of the others, so that edits reach all of them. `None` where nothing was recorded.
    pub(super) fn tools(&self, agent: &str, is_runtimes: impl Fn(&str) -> bool) -> Option<Vec<Tool>> {
        let sent = || self.of_agent(agent).iter().map(|(_, request)| &request.tools);
        let most = most_frequent(sent().cloned())?;
        let mut all: Vec<&Arc<Declaration>> = functions(&most).collect();
        let mut names: HashSet<&str> = all.iter().map(|declaration| declaration.name()).collect();
        let mut last = &most;
        for tools in sent() {
            if !Arc::ptr_eq(tools, last) {
                all.extend(functions(tools).filter(|declaration| names.insert(declaration.name())));
            }
            last = tools;
        }
        let is_adks =
            |name: &str| self.kind == FlowKind::Adk && (DECLARED_BY_ADK.contains(&name) || is_runtimes(name));
        let own = all.into_iter().filter(|declaration| !is_adks(declaration.name()));
        let function = |declaration: Object| Tool::Function {
            declaration,
            is_long_running: false,
            confirmation: Confirmation::Never,
        };
        Some(own.map(|declaration| function(declaration.json.clone())).collect())
    }

    /// Settings that do not come from elsewhere.
    pub(super) fn settings(&self, agent: &str) -> Option<Object> {
        let settings = self.of_agent(agent).iter().map(|(_, request)| {
            let own = request.config.iter().filter(|field| !NOT_OF_AGENT.contains(&&*field.name));
            own.map(|field| (field.name.clone(), field.value.clone())).collect::<Object>()
        });
        most_frequent(settings).filter(|settings| !settings.is_empty())
    }

    /// What the agent was told, with the state values in it as placeholders where that is unambiguous.
    pub(super) fn instruction(&self, agent: &str) -> Option<Instruction> {
        let texts = self.of_agent(agent).iter().filter_map(|(answer, request)| {
            let text = request.system_text()?;
            let own = match self.kind {
                FlowKind::Adk => Identity::find(&text, agent).map_or(&*text, |identity| identity.instruction),
                FlowKind::Transcript => &*text,
            };
            (!own.is_empty()).then(|| (Str::from(own), self.states.at(answer.as_usize()).known()))
        });
        template(&texts.collect::<Vec<_>>())
    }

    pub(super) fn description(&self, agent: &str) -> Option<Str> {
        if self.kind != FlowKind::Adk {
            return None;
        }
        let texts = self.of_agent(agent).iter().filter_map(|(_, request)| request.system_text());
        most_frequent(texts.filter_map(|text| Identity::find(&text, agent)?.description.map(Str::from)))
    }
}

fn functions(tools: &[RequestTool]) -> impl Iterator<Item = &Arc<Declaration>> {
    tools.iter().flat_map(|tool| match tool {
        RequestTool::Functions(declarations) => &declarations[..],
        RequestTool::BuiltIn { .. } => &[],
    })
}

/// Where google-adk tells an agent who it is: between its instruction and what tools and processors add.
struct Identity<'t> {
    instruction: &'t str,
    description: Option<&'t str>,
}

impl<'t> Identity<'t> {
    fn find(text: &'t str, agent: &str) -> Option<Self> {
        let name = format!("You are an agent. Your internal name is \"{agent}\".");
        let at = text.rfind(&name)?;
        let rest = text[at + name.len()..].strip_prefix(" The description about you is \"");
        let end = |rest: &str| rest.find("\".\n\n").or_else(|| rest.rfind("\"."));
        let description = rest.and_then(|rest| rest.get(..end(rest)?));
        Some(Self { instruction: text[..at].trim_end_matches("\n\n"), description })
    }
}
