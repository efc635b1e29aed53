//! How a provider counts what prompts grow by, beside our count of it.

use std::collections::BTreeMap;

use strata_model::Str;

use super::reported::ReportedCounts;
use crate::analysis::call::CallAnalysis;
use crate::analysis::session::SessionAnalysis;

/// From how many tokens of ours on a ratio is more than chance.
const ENOUGH_TOKENS: u64 = 2_000;

/// The provider's tokens for each of ours, by model. What every prompt of a session hides is in no growth, so it is of
/// known text alone.
#[derive(Debug, Clone, Default)]
pub(super) struct GrowthRatios {
    by_model: BTreeMap<Str, f64>,
}

impl GrowthRatios {
    /// Of prompts that begin with another one, where the sizes of both were reported.
    /// Counts that are calibrated are the provider's as they are.
    pub(super) fn of(analysis: &SessionAnalysis, reported: impl Fn(usize) -> Option<ReportedCounts>) -> Self {
        let calls = analysis.calls();
        let is_calibrated = |model: &str| analysis.fits().is_some_and(|fits| fits.of_model(model).is_some());
        let mut sums: BTreeMap<Str, (u64, u64)> = BTreeMap::new();
        for (at, call) in calls.iter().enumerate() {
            let Some((report, parent)) = reported(at).zip(call.matches.parent) else { continue };
            let parent = parent as usize - 1;
            let Some(before) = reported(parent) else { continue };
            // What the provider leaves out by itself is in no report.
            let sent = |call: &CallAnalysis| {
                call.total.tokens - call.matches.forgotten_tokens.min(call.total.tokens)
            };
            let counted = sent(call).saturating_sub(sent(&calls[parent]));
            let grown = report.prompt.saturating_sub(before.prompt);
            if counted > 0 && grown > 0 {
                let (of_ours, of_theirs) = sums.entry(call.sent_to.clone()).or_default();
                *of_ours += u64::from(counted);
                *of_theirs += u64::from(grown);
            }
        }
        let ratios = sums.into_iter().filter(|(_, (ours, _))| *ours >= ENOUGH_TOKENS);
        let ratio = |model: &str, (ours, theirs): (u64, u64)| {
            if is_calibrated(model) { 1.0 } else { theirs as f64 / ours as f64 }
        };
        Self { by_model: ratios.map(|(model, sums)| (model.clone(), ratio(&model, sums))).collect() }
    }

    /// `None` where too little was reported to tell.
    pub(super) fn of_model(&self, model: &str) -> Option<f64> {
        self.by_model.get(model).copied()
    }
}
