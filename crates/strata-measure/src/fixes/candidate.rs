//! Something that might help.

use strata_engine::{Edit, FlowEdit};
use strata_model::{EventIndex, Json, Object, Str};

/// Edits that might help, and what they are about.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// What a person is told: `Cap rows of search_logs at 20`.
    pub title: String,
    pub edits: Vec<Edit>,
    /// Findings it answers to, by their codes.
    pub codes: &'static [&'static str],
    /// Events it makes smaller.
    pub events: Vec<EventIndex>,
    /// Tools whose declarations it takes away or makes smaller.
    pub tools: Vec<Str>,
    /// The agent whose instruction it changes.
    pub agent: Option<Str>,
    /// What trying it takes for granted, a sentence each.
    pub assumptions: Vec<String>,
}

impl Candidate {
    pub(super) fn new(title: impl Into<String>, edits: Vec<Edit>) -> Self {
        Self {
            title: title.into(),
            edits,
            codes: &[],
            events: Vec::new(),
            tools: Vec::new(),
            agent: None,
            assumptions: Vec::new(),
        }
    }

    pub(super) fn insert(title: impl Into<String>, kind: &str, params: &[(&str, Json)]) -> Self {
        let params: Object = params.iter().map(|(name, value)| (*name, value.clone())).collect();
        Self::new(title, vec![FlowEdit::insert(kind, params).into()])
    }

    pub(super) fn answering(self, codes: &'static [&'static str]) -> Self {
        Self { codes, ..self }
    }

    pub(super) fn about(mut self, events: impl IntoIterator<Item = EventIndex>) -> Self {
        self.events = events.into_iter().collect();
        self.events.sort_unstable();
        self.events.dedup();
        self
    }
}

pub(super) fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> Json {
    Json::Array(words.into_iter().map(Json::from).collect())
}
