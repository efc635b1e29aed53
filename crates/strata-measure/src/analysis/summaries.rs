//! Summaries of a history, and what writing them took: google-adk asks a model for them by itself, and records no call.

use std::sync::Arc;

use strata_engine::adk_text::SUMMARY_PROMPT;
use strata_engine::turn::compaction::summarizer_lines;
use strata_engine::{EventLog, Experiment, FlowKind, LoggedEvent};
use strata_model::{SharedList, Str, Usage, marks};

use crate::tokens::Weigher;

/// Summaries of a log, read from its beginning.
#[derive(Clone, Default)]
pub(crate) struct Summaries {
    found: SharedList<LoggedSummary>,
    /// Events that were looked at.
    n_read: usize,
}

/// A summary that calls see in place of what it stands for.
#[derive(Debug, Clone)]
pub struct LoggedSummary {
    /// Place of its event in the log.
    pub(crate) at: usize,
    /// What it covers: from when to when, in epoch seconds, and of which isolation scope.
    start: f64,
    end: f64,
    isolation_scope: Option<Str>,
    /// Tokens of what it was made from, as google-adk's summariser is shown it: the summary before it that it takes in,
    /// and the events since.
    pub source_tokens: u32,
    /// Of the summary.
    pub tokens: u32,
    /// What writing it took, where that was reported.
    pub usage: Option<Usage>,
    /// Who wrote it, where that is known.
    pub by: Option<Str>,
    /// It was written on a computer of one's own.
    pub is_free: bool,
}

/// What weighs the sources of summaries.
pub(crate) trait SourceWeigher {
    /// Tokens of a text.
    fn text(&self, text: &str) -> u32;
    /// Tokens of what an event adds to a summariser's prompt.
    fn event(&self, logged: &LoggedEvent) -> u32;
}

impl SourceWeigher for Weigher<'_> {
    fn text(&self, text: &str) -> u32 {
        Weigher::text(self, text).tokens
    }

    fn event(&self, logged: &LoggedEvent) -> u32 {
        logged.own_content().map_or(0, |_| SourceWeigher::text(self, &summarizer_lines(logged)) + 1)
    }
}

impl Summaries {
    pub(crate) fn found(&self) -> &SharedList<LoggedSummary> {
        &self.found
    }

    /// Forgets what stands behind the first so many events.
    pub(super) fn keep(&mut self, n_events: usize) {
        let n_kept = self.found.iter().take_while(|summary| summary.at < n_events).count();
        self.found.truncate(n_kept);
        self.n_read = self.n_read.min(n_events);
    }

    /// Reads on, to the end of the log.
    pub(crate) fn read(&mut self, log: &EventLog, weigher: &dyn SourceWeigher) {
        let n_events = log.events().len();
        for at in self.n_read..n_events {
            let summary = log.events().get(at).and_then(|logged| self.summary(log, at, logged, weigher));
            if let Some(summary) = summary {
                self.found.push(Arc::new(summary));
            }
        }
        self.n_read = n_events;
    }

    fn summary(
        &self,
        log: &EventLog,
        at: usize,
        logged: &LoggedEvent,
        weigher: &dyn SourceWeigher,
    ) -> Option<LoggedSummary> {
        let event = &logged.event;
        let compaction = event.actions.compaction.as_ref()?;
        let parts = compaction.compacted_content.as_ref()?.parts().iter().filter(|part| !part.is_thought());
        let tokens = parts.filter_map(|part| part.text.as_deref()).map(|text| weigher.text(text)).sum();
        let (start, end) = (compaction.start_timestamp?, compaction.end_timestamp?);
        let isolation_scope = event.isolation_scope.clone();
        let is_taken_in = |earlier: &&LoggedSummary| {
            earlier.start >= start && earlier.end <= end && earlier.isolation_scope == isolation_scope
        };
        let before = self.found.iter().rev().find(is_taken_in);
        let covered = log.events().range(0..at).filter(|covered| {
            let time = covered.event.timestamp;
            covered.is_of_history()
                && (start..=end).contains(&time)
                && before.is_none_or(|before| time > before.end)
                && covered.event.isolation_scope == isolation_scope
        });
        let source_tokens = covered.map(|covered| weigher.event(covered)).sum::<u32>();
        Some(LoggedSummary {
            at,
            start,
            end,
            source_tokens: source_tokens + before.map_or(0, |before| before.tokens),
            tokens,
            usage: event.usage_metadata.as_deref().cloned(),
            by: event.model_version.clone(),
            is_free: marks::has(event, marks::FREE),
            isolation_scope,
        })
    }
}

/// Whether summaries are written the way google-adk does: in its sessions, and where they are laid over another one.
pub(crate) fn are_asked_for(experiment: &Experiment) -> bool {
    experiment.kind() == FlowKind::Adk || experiment.n_recorded() < experiment.session().events.len()
}

/// The prompt that a summariser's sources are put into.
pub(crate) fn template_of(experiment: &Experiment) -> &str {
    let config = experiment.app().events_compaction_config.as_ref();
    let own = config.and_then(|config| config.summarizer.as_ref()?.prompt_template.as_deref());
    own.filter(|template| !template.is_empty()).unwrap_or(SUMMARY_PROMPT)
}
