//! A session prepared for being replayed.

use std::sync::OnceLock;

use strata_engine::{Experiment, StageCache};
use strata_model::{LlmRequest, Str};
use strata_wire::CacheRules;

use super::source_tokens::SourceTokens;
use super::uses::Uses;
use crate::analysis::{CacheAnalysis, Counting, Scale, SessionAnalysis, Timeline};
use crate::prices::Prices;

/// What was recorded, and what its calls come to.
#[derive(Clone, Copy)]
pub struct Recording<'a> {
    pub experiment: &'a Experiment,
    pub analysis: &'a SessionAnalysis,
    pub caches: &'a CacheAnalysis,
}

/// A session prepared for being replayed: what does not depend on the configuration is done once.
pub struct Lab<'a> {
    pub experiment: &'a Experiment,
    pub analysis: &'a SessionAnalysis,
    /// What these calls come to.
    pub caches: &'a CacheAnalysis,
    pub counting: &'a Counting,
    pub rules: &'a CacheRules,
    pub prices: &'a Prices,
    /// What replays are compared with: the session itself, or what it was made from by edits.
    pub(super) recording: Recording<'a>,
    pub(super) timeline: Timeline,
    pub(super) sources: SourceTokens,
    /// What stages gave for the prompts without any summary.
    pub(super) stages: StageCache,
    /// The prompts without any summary.
    pub(super) unlaid: Vec<LlmRequest>,
    /// For each call, which model's cache it meets.
    pub(super) models: Vec<usize>,
    /// Providers reported prompt sizes in this session.
    pub(super) has_reports: bool,
    /// Found out when somebody asks.
    pub(super) uses: OnceLock<Uses>,
}

impl<'a> Lab<'a> {
    /// The same, compared with the recording that edits were laid over.
    #[must_use]
    pub fn compared_with(self, recording: Recording<'a>) -> Self {
        Self { recording, ..self }
    }
}

impl Lab<'_> {
    /// What answers of this session use of earlier events.
    pub(super) fn uses(&self) -> &Uses {
        self.uses.get_or_init(|| Uses::of(self.experiment))
    }

    /// Calls that are replayed.
    pub fn n_calls(&self) -> usize {
        self.analysis.calls().len()
    }

    /// What weighs texts for the model of a call; for the first call where there is none of this number.
    pub(super) fn scale(&self, call: Option<u32>) -> Option<Scale<'_>> {
        let number = call.unwrap_or(1);
        let call = self.analysis.call(number).or(self.analysis.calls().first())?;
        self.analysis.scale(self.experiment, self.counting, &call.model)
    }

    /// The model google-adk would have write summaries: the configured one, else the agent's, else the root's.
    pub(super) fn summarizer(&self, agent: Option<&str>) -> Str {
        self.analysis.summarizer(self.experiment, agent)
    }
}
