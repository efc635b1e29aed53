//! How a provider counts, learned from what its prompts grow by.
//!
//! Between two prompts of which one continues the other, everything that a recording does not show cancels out: the
//! reported input grew by what was added, and what was added is known. A [`TokenFit`] has a ratio of reported to
//! counted tokens for each [`SizeKind`].
//!
//! The ratios are those that are likeliest where each is near 1 to begin with, ratios of text near each other, and
//! errors are as large as they are seen to be. So a few growths move all texts together, and many tell them apart.
//! Growths that are far off hide something, such as a reminder that a client adds and does not record: the further off,
//! the less they say (Tukey's biweight), and in the end nothing.

mod solve;
#[cfg(test)]
mod tests;

use super::ratios::{Ratio, ratio};
use super::sizes::{SizeKind, Sizes};
use solve::{Matrix, Vector, inverse, solve};

/// What a prompt has more than the one that it continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    pub sizes: Sizes,
    /// Input tokens reported for the later prompt less those reported for the earlier one.
    pub reported: u32,
}

/// What a provider's counts are to ours, by kind.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenFit {
    ratios: Vector,
    /// How far off the fit is for growths that it was not made from.
    held_out: HeldOut,
}

/// Growths predicted from others: each fifth of them from the other four.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOut {
    /// As they were counted before, and as they are predicted.
    pub counted: Errors,
    pub predicted: Errors,
    /// Without those that are set aside.
    pub shown: Errors,
    /// Growths so far off that they hide something, and by how many tokens they are larger than what they show.
    pub set_aside: u32,
    pub hidden_tokens: i64,
}

/// How far off counts of growths are. Shares are of what was reported: 0.05 is 5 %.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Errors {
    pub growths: u32,
    /// Input tokens as they were reported, all growths together.
    pub reported: u64,
    /// Of all growths together; positive where too much is counted.
    pub bias: f64,
    /// Of the middle growth, whatever its sign.
    pub median: f64,
    /// No more than that in growths with 19 of 20 tokens.
    pub most: f64,
}

/// Fewer say nothing of how far off they are.
const ENOUGH_GROWTHS: usize = 8;
const ENOUGH_TOKENS: u64 = 2_000;
const FOLDS: usize = 5;
/// A fit whose middle growth is that far off has not learned how a provider counts: prompts grew by something else than
/// what they are held to have grown by.
const USELESS: f64 = 0.3;

/// Standard deviations of ratios before anything is seen: of all texts together, of each from the others, and of what is
/// not text.
const OF_TEXTS: f64 = 0.3;
const OF_EACH_TEXT: f64 = 0.1;
const OF_OTHERS: f64 = 0.5;
/// What a provider writes around calls is known least.
const OF_TOOL_FRAMING: f64 = 1.5;

/// Where Tukey's biweight ends, and where Huber's begins, in standard deviations.
const TUKEY: f64 = 4.685;
const HUBER: f64 = 1.345;
const HUBER_ROUNDS: usize = 15;
const ROUNDS: usize = 40;
/// The median of absolute errors, as a standard deviation.
const OF_MEDIAN: f64 = 1.4826;
/// Errors are not believed to be smaller, as a share of [`noise`].
const LEAST_SPREAD: f64 = 0.1;
/// No count is said to be nearer than that.
const LEAST_ERROR: f64 = 0.005;

impl TokenFit {
    /// `None` where too little is reported, or where held out growths are no better predicted than they were counted.
    pub fn of(growths: &[Growth]) -> Option<Self> {
        let (fit, is_better) = Self::tried(growths)?;
        is_better.then_some(fit)
    }

    /// The fit, and whether it is of use. `None` where there is too little for one.
    pub fn tried(growths: &[Growth]) -> Option<(Self, bool)> {
        let counted = growths.iter().map(|growth| u64::from(growth.sizes.total())).sum::<u64>();
        if growths.len() < ENOUGH_GROWTHS || counted < ENOUGH_TOKENS {
            return None;
        }
        let held_out = HeldOut::of(growths);
        let is_better =
            held_out.predicted.median < held_out.counted.median && held_out.predicted.median < USELESS;
        Some((Self { ratios: fitted(growths).ratios, held_out }, is_better))
    }

    pub fn ratio(&self, kind: SizeKind) -> f64 {
        self.ratios[kind as usize]
    }

    pub fn held_out(&self) -> &HeldOut {
        &self.held_out
    }

    /// The ratio of a kind with the error that held out growths were within.
    pub(super) fn bounded(&self, kind: SizeKind) -> Ratio {
        let middle = self.ratio(kind);
        let error = self.error();
        ratio(middle * (1.0 - error), middle, middle * (1.0 + error))
    }

    /// ± as a share of a count.
    pub fn error(&self) -> f64 {
        self.held_out.shown.most.clamp(LEAST_ERROR, 1.0)
    }

    /// Tokens that a provider would report for it.
    pub fn predict(&self, sizes: &Sizes) -> f64 {
        predicted(&self.ratios, sizes)
    }
}

impl HeldOut {
    fn of(growths: &[Growth]) -> Self {
        let mut predictions = vec![0.0; growths.len()];
        let mut is_shown = vec![false; growths.len()];
        for fold in 0..FOLDS {
            let others = growths.iter().enumerate().filter(|(at, _)| at % FOLDS != fold);
            let fit = fitted(&others.map(|(_, growth)| *growth).collect::<Vec<_>>());
            for (at, growth) in growths.iter().enumerate().skip(fold).step_by(FOLDS) {
                predictions[at] = predicted(&fit.ratios, &growth.sizes);
                let off = (f64::from(growth.reported) - predictions[at]).abs();
                is_shown[at] = off / (noise(growth) * fit.spread) < TUKEY;
            }
        }
        let pairs = || growths.iter().zip(predictions.iter().copied());
        let aside = || pairs().zip(&is_shown).filter(|(_, is_shown)| !**is_shown).map(|(pair, _)| pair);
        let hidden = aside().map(|(growth, predicted)| f64::from(growth.reported) - predicted);
        Self {
            counted: Errors::of(growths.iter().map(|growth| (growth, f64::from(growth.sizes.total())))),
            predicted: Errors::of(pairs()),
            shown: Errors::of(
                pairs().zip(&is_shown).filter(|(_, is_shown)| **is_shown).map(|(pair, _)| pair),
            ),
            set_aside: aside().count() as u32,
            hidden_tokens: hidden.sum::<f64>().round() as i64,
        }
    }
}

impl Errors {
    /// Of growths and what they were held to be.
    fn of<'g>(growths: impl Iterator<Item = (&'g Growth, f64)>) -> Self {
        let (mut reported, mut held) = (0, 0.0);
        let mut shares: Vec<(f64, u32)> = Vec::new();
        for (growth, tokens) in growths {
            reported += u64::from(growth.reported);
            held += tokens;
            let error = (tokens - f64::from(growth.reported)).abs();
            shares.push((error / f64::from(growth.reported.max(1)), growth.reported));
        }
        shares.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut left = reported - reported / 20;
        let most = shares.iter().find(|(_, tokens)| {
            left = left.saturating_sub(u64::from(*tokens));
            left == 0
        });
        Self {
            growths: shares.len() as u32,
            reported,
            bias: if reported > 0 { held / reported as f64 - 1.0 } else { 0.0 },
            median: shares.get(shares.len() / 2).map_or(0.0, |(share, _)| *share),
            most: most.map_or(0.0, |(share, _)| *share),
        }
    }
}

struct Fitted {
    ratios: Vector,
    /// Errors, as multiples of [`noise`]: their standard deviation.
    spread: f64,
}

/// The likeliest ratios, found by least squares with weights that follow from the errors of the round before.
fn fitted(growths: &[Growth]) -> Fitted {
    let prior = prior();
    let mut ratios = [1.0; SizeKind::ALL.len()];
    let mut spread = 1.0;
    for round in 0..ROUNDS {
        let errors: Vec<f64> =
            growths.iter().map(|growth| residual(&ratios, growth) / noise(growth)).collect();
        spread = spread_of(&errors);
        let mut left = prior;
        let mut right = [0.0; SizeKind::ALL.len()];
        for (growth, error) in growths.iter().zip(&errors) {
            let off = error.abs() / spread;
            let weight = match round {
                ..HUBER_ROUNDS => (HUBER / off.max(f64::EPSILON)).min(1.0),
                _ if off < TUKEY => (1.0 - (off / TUKEY).powi(2)).powi(2),
                _ => 0.0,
            };
            let weight = weight / (noise(growth) * spread).powi(2);
            let sizes = SizeKind::ALL.map(|kind| f64::from(growth.sizes.get(kind)));
            let beyond = f64::from(growth.reported) - sizes.iter().sum::<f64>();
            for (row, of_row) in sizes.iter().enumerate() {
                right[row] += weight * of_row * beyond;
                for (column, of_column) in sizes.iter().enumerate() {
                    left[row][column] += weight * of_row * of_column;
                }
            }
        }
        // What differs from 1.
        ratios = solve(left, right).map(|beyond| (1.0 + beyond).max(0.0));
    }
    Fitted { ratios, spread }
}

fn predicted(ratios: &Vector, sizes: &Sizes) -> f64 {
    SizeKind::ALL.iter().map(|kind| ratios[*kind as usize] * f64::from(sizes.get(*kind))).sum()
}

fn residual(ratios: &Vector, growth: &Growth) -> f64 {
    f64::from(growth.reported) - predicted(ratios, &growth.sizes)
}

/// How far off a growth is likely to be, up to a factor that all share: short ones by chance, long ones by what they
/// are about.
fn noise(growth: &Growth) -> f64 {
    let tokens = f64::from(growth.sizes.total()).max(1.0);
    2.0 * tokens.sqrt() + 0.03 * tokens
}

fn spread_of(errors: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).map_or(1.0, |median| (OF_MEDIAN * median).max(LEAST_SPREAD))
}

/// What is known of the ratios before any report: the inverse of their covariance.
fn prior() -> Matrix {
    let mut covariance = Matrix::default();
    let texts = [SizeKind::Text, SizeKind::Call, SizeKind::Result];
    for kind in SizeKind::ALL {
        covariance[kind as usize][kind as usize] = match kind {
            _ if texts.contains(&kind) => OF_EACH_TEXT.powi(2),
            SizeKind::ToolFraming => OF_TOOL_FRAMING.powi(2),
            _ => OF_OTHERS.powi(2),
        };
    }
    for a in texts {
        for b in texts {
            covariance[a as usize][b as usize] += OF_TEXTS.powi(2);
        }
    }
    inverse(&covariance)
}
