//! What is remembered of a session beside its events: the numbers of lists, and what its file could not say.

use serde::{Deserialize, Serialize};
use strata_engine::{FlowKind, n_calls};
use strata_import::{ImportedSession, SessionSummary, SourceFacts};
use strata_model::{Json, json};

use super::reports::Reports;

/// Stored with a session as JSON.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Summary {
    pub format: String,
    pub numbers: SessionSummary,
    /// What its file holds, where that is counted otherwise; absent in what an older version wrote.
    pub recorded: Option<Recorded>,
    /// Record types and fields that have no place in the session model, with how often they occur.
    pub unmapped: Vec<(String, u64)>,
    /// Why output counts of this file are not to be trusted, if so.
    pub output_caveat: Option<String>,
    /// What providers reported of its calls; absent in what an older version wrote.
    pub reports: Option<Reports>,
    /// The folder it was recorded in, where its file says so.
    pub folder: Option<String>,
    /// The session that this one works for, by the id that its client gave it; absent in what an older version wrote.
    pub parent: Option<String>,
}

/// Numbers of a session as its file holds them. Some formats keep prompts and answers outside of
/// events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recorded {
    pub events: u64,
    pub invocations: u64,
    pub user_turns: u64,
}

impl Summary {
    pub(crate) fn of(imported: &ImportedSession) -> Self {
        let kind = flow_kind(imported.format.id());
        Self {
            format: imported.format.id().to_owned(),
            numbers: SessionSummary { calls: n_calls(&imported.session, kind) as u64, ..imported.summary() },
            recorded: Some(Recorded {
                events: imported.facts.events,
                invocations: imported.summary().invocations,
                user_turns: imported.facts.user_turns,
            }),
            unmapped: imported.unmapped.counts().map(|(name, count)| (name.to_owned(), count)).collect(),
            output_caveat: imported.facts.output_caveat.map(str::to_owned),
            reports: Some(Reports::of(&imported.session, kind)),
            folder: folder_of(imported),
            parent: imported.parent.as_ref().map(|parent| parent.session_id.to_string()),
        }
    }

    pub(crate) fn recorded(&self) -> Recorded {
        let SessionSummary { events, invocations, user_turns, .. } = self.numbers;
        self.recorded.unwrap_or(Recorded { events, invocations, user_turns })
    }

    pub(crate) fn to_json(&self) -> Json {
        let text = serde_json::to_vec(self).unwrap_or_default();
        json::parse(&text).unwrap_or_default()
    }

    /// Whatever an older version did not write is empty.
    pub(crate) fn from_json(value: &Json) -> Self {
        Self::deserialize(value.clone()).unwrap_or_default()
    }
}

/// Where its client ran. Of several folders the one above the others, which has the shortest name.
pub(crate) fn folder_of(imported: &ImportedSession) -> Option<String> {
    match &imported.facts.source {
        SourceFacts::ClaudeCode(facts) => {
            facts.working_folders.iter().min_by_key(|folder| folder.len()).map(ToString::to_string)
        }
        SourceFacts::Counts(counts) => counts.get("cwd")?.as_str().map(str::to_owned),
        SourceFacts::Adk => None,
    }
}

/// By whose rules the sessions of a format were made.
pub(crate) fn flow_kind(format: &str) -> FlowKind {
    if format.starts_with("adk") || format.is_empty() { FlowKind::Adk } else { FlowKind::Transcript }
}
