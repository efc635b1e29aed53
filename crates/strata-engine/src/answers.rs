//! What models and tools answered to the work a compile asks for.
//!
//! A compile neither calls a model nor runs a tool. Where google-adk does so on the way to a request (a summary before
//! the call, a tool whose run was just approved), the answer is an input: given here, or awaited.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::{Content, EventActions, Json, Object, Part, Str, Usage};

/// Answers to what a compile may ask for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// When the work is done, in epoch seconds: the time of the events it adds to the session.
    pub now: f64,
    /// What the summariser answers, if it is asked.
    pub summary: Option<ModelAnswer>,
    pub tools: ToolAnswers,
}

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelAnswer {
    /// `None`: the answer was empty.
    pub content: Option<Content>,
    pub usage: Option<Usage>,
}

/// Results of tools by name: one for each run, the last one for every further run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolAnswers(pub BTreeMap<Str, Vec<ToolAnswer>>);

impl ToolAnswers {
    /// The result of a tool's run, counted from 0.
    pub fn get(&self, tool: &str, run: usize) -> Option<&ToolAnswer> {
        let runs = self.0.get(tool)?;
        runs.get(run).or(runs.last())
    }
}

/// What one run of a tool did, in this order: state, artifacts, actions, then its result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolAnswer {
    /// Null, if nothing was returned.
    pub result: Json,
    /// State it wrote, `temp:` keys included.
    pub state: Object,
    /// Artifacts it saved, in order.
    pub artifacts: Vec<(Str, Arc<Part>)>,
    /// Actions it set; empty fields leave the event's alone.
    pub actions: EventActions,
    /// It asks for approval first, with this hint.
    pub confirmation_hint: Option<Str>,
    /// It failed with this message.
    pub error: Option<String>,
}

impl ToolAnswer {
    pub fn returned(result: impl Into<Json>) -> Self {
        Self { result: result.into(), ..Self::default() }
    }
}
