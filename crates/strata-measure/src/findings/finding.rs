//! One thing that was found.

use strata_model::{EventIndex, Origin, Severity, Str};

use crate::remedies::Aim;

/// Something in a session that a person should know.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Of the [`super::Rule`] that found it.
    pub code: &'static str,
    pub kind: FindingKind,
    pub title: &'static str,
    pub severity: Severity,
    /// What happened in this session and why, with its names and numbers.
    pub message: String,
    /// What to change in an app of google-adk's; [`Finding::advice_for`] has it for whoever wrote the session.
    pub(super) advice: &'static str,
    /// What that is for, where it goes by what was seen rather than by the rule.
    pub aim: Option<Aim>,
    /// In order, none touching the next.
    pub calls: Vec<CallRange>,
    pub events: Vec<EventIndex>,
    pub origins: Vec<Origin>,
    /// Its price over the session, a model at a time. Empty where it cannot be told in tokens.
    pub spent: Vec<SpentTokens>,
    /// US dollars that losses of caches cost, as the caches have it. `None` for all other findings, and without a price.
    pub lost_usd: Option<f64>,
}

impl Finding {
    /// Its price over the session.
    pub fn tokens(&self) -> u64 {
        self.spent.iter().map(SpentTokens::tokens).sum()
    }

    /// How many calls it is about.
    pub fn n_calls(&self) -> u64 {
        self.calls.iter().map(|range| u64::from(range.last - range.first + 1)).sum()
    }
}

/// What is wrong with something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// Tokens that are sent and need not be. Its price is what they take over all calls.
    Bloat,
    /// A cached prefix that is lost. Its price are the tokens that were paid in full again.
    Prefix,
    /// The model does not see what it should.
    Loss,
    /// Something works differently from what it looks like.
    Trap,
}

impl FindingKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Bloat => "bloat",
            Self::Prefix => "prefix",
            Self::Loss => "loss",
            Self::Trap => "trap",
        }
    }
}

/// Consecutive calls, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallRange {
    pub first: u32,
    pub last: u32,
}

/// Tokens of calls to one model, by what providers take for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SpentTokens {
    pub model: Str,
    /// At the full price of input.
    pub fresh: u64,
    /// In a prefix that had been sent before and was read from the cache.
    pub cached: u64,
    /// At the full price because a prefix broke: the difference to a cached read is lost.
    pub rebilled: u64,
}

impl SpentTokens {
    pub fn tokens(&self) -> u64 {
        self.fresh + self.cached + self.rebilled
    }

    /// Of what had been sent before, this part was read from the cache.
    pub(super) fn found(self, share: f64) -> Self {
        let cached = (self.cached as f64 * share).round() as u64;
        Self { fresh: self.fresh + self.cached - cached, cached, ..self }
    }
}
