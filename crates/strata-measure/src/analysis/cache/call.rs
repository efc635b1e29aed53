//! What the cache does for one call, and what it could have done.

use strata_model::Str;
use strata_wire::{CacheVerdict, Mark};

use super::bill::CallBill;
use super::loss::Loss;
use super::reported::{Comparison, ReportedCounts};
use super::simulate::Prediction;
use super::zones::ZoneSpan;
use crate::analysis::blame::Cause;

/// What the cache does for one call.
#[derive(Debug, Clone)]
pub struct CallCache {
    /// C1 is number 1.
    pub call: u32,
    pub agent: Str,
    pub model: Str,
    /// The number of the first call of its lineage: the same agent, model and branch.
    pub lineage: u32,
    /// The name of the rule that was applied, and whether it is one for this model.
    pub rule: String,
    pub is_rule_known: bool,
    /// Seconds for which what the call stores is kept: what it asked for where that is known, else what the rule says.
    pub lifetime_s: Option<f64>,
    /// Of all of the prompt, as is what was lost, in the provider's tokens.
    pub zones: Vec<ZoneSpan>,
    pub loss: Option<Loss>,
    pub reported: Option<ReportedCounts>,
    /// `None` where the provider reports nothing of a cache.
    pub comparison: Option<Comparison>,
    /// What would have been found of the prompt if it had been marked to be cached.
    pub left_out: Option<LeftOut>,
    /// What should have been found, where no report of the session tells of anything that was.
    pub never_read: Option<NeverRead>,
    /// What the provider says by itself of this very request.
    pub verdict: Option<CacheVerdict>,
    /// What the call comes to: by its report where that holds, else as predicted.
    pub bill: CallBill,
    /// By what the prompt was measured in the provider's tokens: its report, or that of one that it goes on from.
    pub(crate) sized: Option<ReportedCounts>,
    /// What is predicted of the prompt as it is measured: in the provider's tokens.
    pub prediction: Prediction,
}

impl CallCache {
    /// What is predicted to be found of the known text when it is sent alone: hidden context stands before it.
    pub fn found_of_known(&self) -> u32 {
        self.prediction.expected.saturating_sub(self.bill.hidden_tokens())
    }

    /// What the call lost, unless the prompt is only too short to be cached at all: nothing of it broke then.
    pub fn broken(&self) -> Option<&Loss> {
        self.loss.as_ref().filter(|loss| !matches!(loss.cause, Cause::BelowMinimum { .. }))
    }
}

/// What a call would have saved if its prompt had been marked to be cached, and those before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeftOut {
    /// Tokens that would have been read from the cache.
    pub tokens: u32,
    /// US dollars, with what writing costs more: below 0 where nothing is read. `None` without a price.
    pub cost_usd: Option<f64>,
    /// The last of the marks that would have saved this, and for how many seconds they ask, where not for the usual time.
    pub last: Mark,
    pub lifetime_s: Option<u32>,
    /// Whether the request is known to mark nothing; `None` where reports alone say that nothing was ever cached.
    pub marks_nothing: Option<bool>,
    /// False where somebody on the way may have asked for more than the request.
    pub is_sure: bool,
}

/// What a call would have read if the cache of its provider were ever read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeverRead {
    pub tokens: u32,
    /// Of the prompt, as reported; what is written costs more with some providers.
    pub written: u32,
    /// US dollars. `None` without a price.
    pub cost_usd: Option<f64>,
}
