//! How a provider counts, learned from what its prompts grow by.
//!
//! Between two prompts of which one continues the other, everything that a recording does not show cancels out: the
//! reported input grew by what was added, and what was added is known. A [`TokenFit`] has a ratio of reported to
//! counted tokens for each [`SizeKind`].
//!
//! The ratios are those that are likeliest where each is near what is held of it before ([`TokenPrior`]), ratios of text
//! near each other, and errors are as large as they are seen to be. So a few growths move all texts together, and many tell
//! them apart. Growths that are far off hide something, such as a reminder that a client adds and does not record: the
//! further off, the less they say (Tukey's biweight), and in the end nothing.

mod held_out;
mod prior;
mod robust;
mod solve;
#[cfg(test)]
mod tests;

use super::ratios::{Ratio, ratio};
use super::sizes::{SizeKind, Sizes};
use held_out::LEAST_ERROR;
pub use held_out::{Errors, HeldOut};
pub use prior::{Doubt, Learned, TokenPrior};
pub use robust::Growth;
use robust::{Fitted, predicted};
use solve::Vector;

/// What a provider's counts are to ours, by kind.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenFit {
    ratios: Vector,
    /// From what it was learned before, where it was.
    learned: Option<Learned>,
    /// How far off it is for the session's own growths. `None` where these are too few to tell.
    held_out: Option<HeldOut>,
}

/// Fewer say nothing of how far off they are.
const ENOUGH_GROWTHS: usize = 8;
const ENOUGH_TOKENS: u64 = 2_000;

/// Reports that are this far off at the middle growth are not of what is recorded.
const TOO_FAR: f64 = 0.25;
/// Of that much less loss, divided by the root of how many growths there are, the half may be chance.
const CHANCE: f64 = 0.7;

impl TokenFit {
    /// What growths of a session tell where they tell something; else what stored sessions told.
    pub fn of(growths: &[Growth], prior: &TokenPrior) -> Option<Self> {
        let (fit, is_used) = Self::tried(growths, prior).unzip();
        fit.filter(|_| is_used == Some(true)).or_else(|| Self::of_prior(prior))
    }

    /// What was learned from stored sessions alone. `None` where that is nothing.
    fn of_prior(prior: &TokenPrior) -> Option<Self> {
        Some(Self { ratios: *prior.ratios(), learned: Some(prior.learned()?), held_out: None })
    }

    /// The fit, and whether it is of use. `None` where there is too little for one.
    ///
    /// A fit near to what was held before, that itself, and a fit that is free of it each predict growths that they were not
    /// made from; the first is taken unless another is clearly better. So reports that are too few or too strange leave
    /// things as they are. How far off it is said to be is told without what was learned from sessions: this one may be among
    /// them.
    pub fn tried(growths: &[Growth], prior: &TokenPrior) -> Option<(Self, bool)> {
        let counted = growths.iter().map(|growth| u64::from(growth.sizes.total())).sum::<u64>();
        if growths.len() < ENOUGH_GROWTHS || counted < ENOUGH_TOKENS {
            return None;
        }
        let (manner, mut held_out) = Manner::best(growths, prior);
        if prior.learned().is_some() {
            held_out = manner.held_out(growths, &prior.unlearned());
        }
        let ratios = manner.fitted(growths, prior).ratios;
        let is_used = held_out.predicted.median < TOO_FAR;
        Some((Self { ratios, learned: prior.learned(), held_out: Some(held_out) }, is_used))
    }

    pub fn ratio(&self, kind: SizeKind) -> f64 {
        self.ratios[kind as usize]
    }

    /// How far off it is for the session's own growths, each predicted from others. `None` where these are too few to tell.
    pub fn held_out(&self) -> Option<&HeldOut> {
        self.held_out.as_ref()
    }

    /// From which stored sessions it is learned, beside the growths of the session itself.
    pub fn learned(&self) -> Option<Learned> {
        self.learned
    }

    /// The ratio of a kind with the error that held out growths were within.
    pub(super) fn bounded(&self, kind: SizeKind) -> Ratio {
        let middle = self.ratio(kind);
        let error = self.error();
        ratio(middle * (1.0 - error), middle, middle * (1.0 + error))
    }

    /// ± as a share of a count: of the session's own growths, else of those of sessions it was not learned from.
    pub fn error(&self) -> f64 {
        let of_learned = || self.learned.map_or(1.0, |learned| learned.error);
        self.held_out.as_ref().map_or_else(of_learned, HeldOut::error).clamp(LEAST_ERROR, 1.0)
    }

    /// Tokens that a provider would report for it.
    pub fn predict(&self, sizes: &Sizes) -> f64 {
        predicted(&self.ratios, sizes)
    }
}

/// How far growths lead away from what was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Near,
    Not,
    Freely,
}

impl Manner {
    /// The one that predicts growths best which it was not made from.
    fn best(growths: &[Growth], prior: &TokenPrior) -> (Self, HeldOut) {
        let clearly = 1.0 - CHANCE / (growths.len() as f64).sqrt();
        let mut best = (Self::Near, Self::Near.held_out(growths, prior));
        for other in [Self::Not, Self::Freely] {
            let held_out = other.held_out(growths, prior);
            if held_out.loss < clearly * best.1.loss {
                best = (other, held_out);
            }
        }
        best
    }

    fn held_out(self, growths: &[Growth], prior: &TokenPrior) -> HeldOut {
        HeldOut::of(growths, |others| self.fitted(others, prior))
    }

    fn fitted(self, growths: &[Growth], prior: &TokenPrior) -> Fitted {
        match self {
            Self::Near => prior.fitted(growths),
            Self::Not => Fitted::known(*prior.ratios(), growths),
            Self::Freely => prior.doubted().fitted(growths),
        }
    }
}
