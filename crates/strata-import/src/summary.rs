//! The numbers a session is announced with.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use strata_model::{Session, Str};

use crate::facts::add;
use crate::marks;

/// One session in numbers, as the command line prints it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionSummary {
    pub events: u64,
    pub invocations: u64,
    /// Model responses.
    pub calls: u64,
    pub user_turns: u64,
    pub tool_calls: u64,
    pub compactions: u64,
    /// In order of appearance.
    pub agents: Vec<Str>,
    /// Absent when no event reports usage.
    pub reported_usage: Option<ReportedUsage>,
}

/// Tokens as providers reported them, summed over a session. Cached tokens are part of the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReportedUsage {
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub cache_write_tokens: u64,
    /// Thoughts included.
    pub output_tokens: u64,
}

impl SessionSummary {
    /// Counts a session: all that is in it, what its sub-agents did among it, as every view of it does. What somebody
    /// typed into another session is no turn of this one.
    pub fn of(session: &Session) -> Self {
        let mut summary = Self { events: session.events.len() as u64, ..Self::default() };
        let mut invocations = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for event in &session.events {
            invocations.insert(&event.invocation_id);
            if !event.is_from_user() && seen.insert(&event.author) {
                summary.agents.push(event.author.clone());
            }
            summary.count(event);
        }
        summary.invocations = invocations.len() as u64;
        summary
    }

    fn count(&mut self, event: &strata_model::Event) {
        self.calls += u64::from(marks::is_model_call(event));
        self.user_turns += u64::from(marks::is_user_turn(event) && !marks::is_relayed(event));
        self.tool_calls += event.parts().iter().filter(|part| part.calls_tool()).count() as u64;
        self.compactions += u64::from(event.is_compaction());
        if let Some(usage) = &event.usage_metadata {
            let reported = self.reported_usage.get_or_insert_default();
            add(&mut reported.input_tokens, usage.prompt_token_count);
            add(&mut reported.cached_tokens, usage.cached_content_token_count);
            add(&mut reported.cache_write_tokens, Some(marks::cache_write_tokens(event)));
            add(&mut reported.output_tokens, usage.output_tokens());
        }
    }
}
