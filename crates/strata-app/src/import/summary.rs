//! What is remembered of a session beside its events: the numbers of lists, and what its file could not say.

use serde::{Deserialize, Serialize};
use strata_engine::{FlowKind, n_calls};
use strata_import::{ImportedSession, SessionSummary};
use strata_model::{Json, json};

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
}

/// Numbers of a session as its file holds them. Some formats keep prompts and answers outside of events, or events
/// without invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recorded {
    pub events: u64,
    pub invocations: u64,
    pub user_turns: u64,
}

impl Summary {
    pub(crate) fn of(imported: &ImportedSession) -> Self {
        Self {
            format: imported.format.id().to_owned(),
            numbers: SessionSummary {
                calls: n_calls(&imported.session, flow_kind(imported.format.id())) as u64,
                ..imported.summary()
            },
            recorded: Some(Recorded {
                events: imported.facts.events,
                invocations: imported.facts.invocations,
                user_turns: imported.facts.user_turns,
            }),
            unmapped: imported.unmapped.counts().map(|(name, count)| (name.to_owned(), count)).collect(),
            output_caveat: imported.facts.output_caveat.map(str::to_owned),
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

/// By whose rules the sessions of a format were made.
pub(crate) fn flow_kind(format: &str) -> FlowKind {
    if format.starts_with("adk") || format.is_empty() { FlowKind::Adk } else { FlowKind::Transcript }
}
