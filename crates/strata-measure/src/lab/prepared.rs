//! A session prepared for being replayed.

use strata_engine::turn::compaction::summarizer_model;
use strata_engine::{Experiment, StageCache};
use strata_model::{LlmRequest, Str};
use strata_wire::CacheRules;

use super::source_tokens::SourceTokens;
use crate::analysis::{CacheAnalysis, Counting, Scale, SessionAnalysis, Timeline};
use crate::prices::Prices;

/// A session prepared for being replayed: what does not depend on the configuration is done once.
pub struct Lab<'a> {
    pub experiment: &'a Experiment,
    pub analysis: &'a SessionAnalysis,
    /// What these calls come to.
    pub caches: &'a CacheAnalysis,
    pub counting: &'a Counting,
    pub rules: &'a CacheRules,
    pub prices: &'a Prices,
    pub(super) timeline: Timeline<'a>,
    pub(super) sources: SourceTokens,
    /// What stages gave for the prompts without any summary.
    pub(super) stages: StageCache,
    /// The prompts without any summary.
    pub(super) unlaid: Vec<LlmRequest>,
    /// For each call, which model's cache it meets.
    pub(super) models: Vec<usize>,
    /// Providers reported prompt sizes in this session.
    pub(super) has_reports: bool,
}

impl Lab<'_> {
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
        let index = self.experiment.index();
        let id = agent.and_then(|name| index.find(name)).or_else(|| index.ids().next());
        let configured = summarizer_model(index, id).ok().filter(|model| !model.is_empty());
        configured.unwrap_or_else(|| {
            self.analysis.calls().first().map(|call| call.model.clone()).unwrap_or_default()
        })
    }
}
