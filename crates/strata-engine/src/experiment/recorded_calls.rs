//! Calls that a recorder saw in the running app, with what each request was made from.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use imbl::OrdMap;
use strata_model::app::IncludeContents;
use strata_model::{
    Content, Decoder, EventIndex, FromJson as _, Json, NodePath, Object, RecordedArtifact, RecordedCall, Str,
};

use crate::app_index::AppIndex;
use crate::artifacts::{Artifact, Artifacts};
use crate::calls::{Call, Certainty};
use crate::context::{ArtifactsKnown, RunConfig, Services};
use crate::log::{EventLog, LoggedEvent};
use crate::state_history::StateHistory;

use super::event_change::silent;
use super::recorded_services::RecordedServices;

/// What was recorded of calls, by the event that answers each. A copy is cheap.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordedCalls {
    by_answer: OrdMap<EventIndex, Arc<Recorded>>,
    /// Of the call that was added last. Most calls find the files as the call before them did.
    last_files: Option<Arc<Files>>,
    /// What agents are shown of the session where an edit says so, whatever was recorded of their calls.
    edited_scopes: Arc<BTreeMap<Str, IncludeContents>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    /// Without its state and files, which are below.
    pub call: RecordedCall,
    /// State that no event had written as it was.
    pub state: Object,
    /// `None` where no files were looked up.
    files: Option<Arc<Files>>,
}

/// Files as they were found.
#[derive(Debug)]
struct Files {
    found: Vec<RecordedArtifact>,
    services: Services,
}

impl Recorded {
    /// `None` where no files were looked up.
    pub(crate) fn services(&self) -> Option<&Services> {
        self.files.as_ref().map(|files| &files.services)
    }
}

impl RecordedCalls {
    /// Returns the first event that answers one of these calls.
    pub(crate) fn add(
        &mut self,
        calls: impl IntoIterator<Item = (EventIndex, RecordedCall)>,
        states: &StateHistory,
        events: &RecordedServices,
    ) -> Option<EventIndex> {
        let mut first: Option<EventIndex> = None;
        for (answer, mut call) in calls {
            let state = call.state.take().unwrap_or_default().into_iter();
            let state = state.map(|entry| (entry.key, entry.value.unwrap_or_default()));
            let state = states.not_written(state, answer.as_usize());
            let found = call.artifacts.take();
            let files = found.map(|found| self.files(Cow::Owned(found), events.at(answer.as_usize())));
            self.by_answer.insert(answer, Arc::new(Recorded { call, state, files }));
            first = Some(first.map_or(answer, |first| first.min(answer)));
        }
        first
    }

    /// Files that a call found, beside what events tell: those of the call before it where it found the same.
    fn files(&mut self, found: Cow<'_, [RecordedArtifact]>, known: &Services) -> Arc<Files> {
        let same = self.last_files.take().filter(|last| *last.found == *found);
        let files = same.unwrap_or_else(|| {
            let services = with_files(known, &found);
            Arc::new(Files { found: found.into_owned(), services })
        });
        self.last_files = Some(files.clone());
        files
    }

    /// Those that are answered by the first events.
    pub(crate) fn up_to(&self, n_events: usize) -> Self {
        let (by_answer, _) = self.by_answer.split(&EventIndex(n_events as u32));
        let (last_files, edited_scopes) = (self.last_files.clone(), self.edited_scopes.clone());
        Self { by_answer, last_files, edited_scopes }
    }

    /// The same where events tell of other files.
    pub(crate) fn with_services(&self, events: &RecordedServices) -> Self {
        let mut changed = Self { edited_scopes: self.edited_scopes.clone(), ..Self::default() };
        for (answer, recorded) in &self.by_answer {
            let found = recorded.files.as_ref().map(|files| Cow::Borrowed(&*files.found));
            let files = found.map(|found| changed.files(found, events.at(answer.as_usize())));
            changed.by_answer.insert(*answer, Arc::new(Recorded { files, ..Recorded::clone(recorded) }));
        }
        changed
    }

    pub(crate) fn get(&self, answer: EventIndex) -> Option<&Recorded> {
        self.by_answer.get(&answer).map(|recorded| &**recorded)
    }

    /// For calls whose run did not have all events before them: the log with the others silent, by the answers, for
    /// those that are answered from an event on.
    pub(crate) fn partial_logs(&self, log: &EventLog, from: EventIndex) -> OrdMap<EventIndex, EventLog> {
        let logs = self.by_answer.range(from..).filter_map(|(answer, recorded)| {
            let unseen = recorded.call.unseen.as_ref()?.iter();
            let unseen = unseen.filter_map(|at| usize::try_from(*at).ok());
            let silenced = unseen.filter_map(|at| Some((at, Arc::new(silent(&log.events().get(at)?.event)))));
            Some((*answer, log.replaced(&silenced.collect(), &BTreeSet::new()).with_pinned(log)))
        });
        logs.collect()
    }

    /// The same in an app some of whose agents are shown another part of the session than they were.
    pub(crate) fn in_app(&self, before: &AppIndex, edited: &AppIndex) -> Self {
        let scope = |id| {
            let agent = edited.agent(id);
            let was = before.agent(before.find(&agent.name)?).include_contents;
            let is_edited = was != agent.include_contents;
            is_edited
                .then(|| (agent.name.clone(), agent.include_contents.unwrap_or(IncludeContents::Default)))
        };
        Self { edited_scopes: Arc::new(edited.ids().filter_map(scope).collect()), ..self.clone() }
    }

    /// Puts what was recorded in the place of what was worked out from events, and what edits say in the place of both.
    pub(crate) fn apply_to(&self, call: &mut Call) {
        self.apply_recorded(call);
        if let Some(scope) = self.edited_scopes.get(&call.invocation.agent) {
            call.invocation.include_contents = Some(*scope);
        }
    }

    fn apply_recorded(&self, call: &mut Call) {
        let Some(Recorded { call: recorded, .. }) = self.get(call.answer) else { return };
        let invocation = &mut call.invocation;
        invocation.is_input_unknown = false;
        call.certainty = Certainty::Sure;
        invocation.branch.clone_from(&recorded.branch);
        invocation.isolation_scope.clone_from(&recorded.isolation_scope);
        if let Some(path) = &recorded.node_path {
            invocation.node_path = NodePath::new(path.clone());
        }
        if let Some(content) = &recorded.user_content {
            invocation.user_content = Some(Arc::new(content.clone()));
        }
        if let Some(config) = &recorded.run_config {
            invocation.run_config = run_config(config);
        }
        let closed = recorded.closed_toolsets.iter().flatten();
        invocation.closed_toolsets = closed.filter_map(|at| usize::try_from(*at).ok()).collect();
        invocation.mode = recorded.mode.or(invocation.mode);
        invocation.include_contents = recorded.include_contents.or(invocation.include_contents);
        call.seen = recorded.n_events.and_then(|seen| usize::try_from(seen).ok());
        let inputs = recorded.inputs.iter().flatten();
        call.input = inputs.last().and_then(|input| {
            let at = usize::try_from(input.at?).ok()?;
            Some((at, LoggedEvent::new(input.event.clone()?, None)))
        });
    }
}

fn run_config(config: &Object) -> RunConfig {
    let field = |name: &str, alias: &str| config.get(name).or_else(|| config.get(alias));
    let object = |name: &str, alias: &str| field(name, alias).and_then(Json::as_object).cloned();
    let is_set = |name: &str, alias: &str| field(name, alias).and_then(Json::as_bool) == Some(true);
    let contents = field("model_input_context", "modelInputContext").and_then(Json::as_array);
    let content = |content: &Json| Content::from_json(content.clone(), &mut Decoder::new()).ok();
    RunConfig {
        labels: object("labels", "labels"),
        http_options: object("http_options", "httpOptions"),
        model_input_context: contents.into_iter().flatten().filter_map(content).collect(),
        include_thoughts_from_other_agents: is_set(
            "include_thoughts_from_other_agents",
            "includeThoughtsFromOtherAgents",
        ),
        service_tier: field("service_tier", "serviceTier").and_then(Json::as_str).map(Str::from),
        support_cfc: is_set("support_cfc", "supportCfc"),
    }
}

/// The files that events tell of, and those that were seen, with their contents.
fn with_files(known: &Services, found: &[RecordedArtifact]) -> Services {
    let listed = known.artifacts.iter().flat_map(|artifacts| artifacts.list());
    let mut list: Vec<Artifact> = listed.cloned().collect();
    let mut places: HashMap<_, _> =
        list.iter().enumerate().map(|(at, artifact)| (artifact.name.clone(), at)).collect();
    for file in found {
        let at = *places.entry(file.name.clone()).or_insert_with(|| {
            list.push(Artifact { name: file.name.clone(), versions: Vec::new() });
            list.len() - 1
        });
        let versions = &mut list[at].versions;
        let n_versions = file.n_versions.and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        versions.resize(versions.len().max(n_versions).max(1), None);
        if let (Some(last), Some(part)) = (versions.last_mut(), &file.part) {
            *last = Some(Arc::new(part.clone()));
        }
    }
    Services {
        artifacts: Some(Arc::new(Artifacts::new(list))),
        artifacts_known: ArtifactsKnown::Names,
        memory: known.memory.clone(),
    }
}
