//! A session in numbers.

use serde::Serialize;
use strata_import::ReportedUsage;
use strata_store::SessionEntry;

use super::source::Subject;
use crate::import::Summary;
use crate::sample;

/// One session in the numbers of its file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionReport {
    /// Of the session in the store; for a file that is only read, what the session calls itself.
    pub id: String,
    pub title: String,
    /// `adk-session-json`.
    pub format: String,
    /// What people call the format.
    pub format_name: String,
    /// The file it was read from, or `sample`.
    pub source: String,
    /// As the file holds them.
    pub events: u64,
    /// E1 to so many: prompts and answers that a format keeps outside of events are events here.
    pub session_events: u64,
    pub invocations: u64,
    /// Calls of models, those of sub-agents that the file relays included.
    pub calls: u64,
    pub user_turns: u64,
    pub tool_calls: u64,
    pub compactions: u64,
    /// In order of appearance.
    pub agents: Vec<String>,
    pub reported_usage: Option<ReportedUsage>,
    /// Why reported output counts are not to be trusted, if so.
    pub output_caveat: Option<String>,
    /// Record types and fields of the file that have no place in a session, with how often they occur.
    pub unmapped: Vec<Unmapped>,
}

/// Something of a file that has no place in a session.
#[derive(Debug, Clone, Serialize)]
pub struct Unmapped {
    pub name: String,
    pub count: u64,
}

impl SessionReport {
    fn new(id: &str, title: &str, format_name: &str, source: &str, summary: &Summary) -> Self {
        let (numbers, recorded) = (&summary.numbers, summary.recorded());
        let unmapped = summary.unmapped.iter();
        Self {
            id: id.to_owned(),
            title: title.to_owned(),
            format: summary.format.clone(),
            format_name: format_name.to_owned(),
            source: if source == sample::LOCATION { Self::SAMPLE } else { source }.to_owned(),
            events: recorded.events,
            session_events: numbers.events,
            invocations: recorded.invocations,
            calls: numbers.calls,
            user_turns: recorded.user_turns,
            tool_calls: numbers.tool_calls,
            compactions: numbers.compactions,
            agents: numbers.agents.iter().map(ToString::to_string).collect(),
            reported_usage: numbers.reported_usage,
            output_caveat: summary.output_caveat.clone(),
            unmapped: unmapped.map(|(name, count)| Unmapped { name: name.clone(), count: *count }).collect(),
        }
    }

    /// The name and the source of the session that comes with Strata.
    pub const SAMPLE: &str = sample::NAME;
}

impl From<&SessionEntry> for SessionReport {
    fn from(entry: &SessionEntry) -> Self {
        let summary = Summary::from_json(&entry.summary);
        Self::new(entry.id.as_str(), &entry.title, &entry.format, &entry.location, &summary)
    }
}

impl From<&Subject> for SessionReport {
    fn from(subject: &Subject) -> Self {
        let Subject { id, title, format_name, location, summary, .. } = subject;
        Self { calls: subject.n_calls() as u64, ..Self::new(id, title, format_name, location, summary) }
    }
}
