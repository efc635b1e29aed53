//! How far off ratios are for growths that they were not made from.

use super::robust::{Fitted, Growth, is_all_shown, noise, predicted};

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
    /// How bad predictions are as a whole, to choose among them: errors as multiples of [`noise`], none of them beyond
    /// [`WORST`].
    pub(super) loss: f64,
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

const FOLDS: usize = 5;
/// No count is said to be nearer than that.
pub(super) const LEAST_ERROR: f64 = 0.005;
const WORST: f64 = 5.0;

impl HeldOut {
    /// `fit` makes ratios from growths.
    pub(super) fn of(growths: &[Growth], fit: impl Fn(&[Growth]) -> Fitted) -> Self {
        let mut predictions = vec![0.0; growths.len()];
        let mut is_shown = vec![false; growths.len()];
        for fold in 0..FOLDS {
            let others = growths.iter().enumerate().filter(|(at, _)| at % FOLDS != fold);
            let Fitted { ratios, spread } = fit(&others.map(|(_, growth)| *growth).collect::<Vec<_>>());
            for (at, growth) in growths.iter().enumerate().skip(fold).step_by(FOLDS) {
                predictions[at] = predicted(&ratios, &growth.sizes);
                is_shown[at] = is_all_shown(growth, predictions[at], spread);
            }
        }
        let pairs = || growths.iter().zip(predictions.iter().copied());
        let aside = || pairs().zip(&is_shown).filter(|(_, is_shown)| !**is_shown).map(|(pair, _)| pair);
        let hidden = aside().map(|(growth, predicted)| f64::from(growth.reported) - predicted);
        let off = pairs().map(|(growth, predicted)| {
            ((f64::from(growth.reported) - predicted).abs() / noise(growth)).min(WORST)
        });
        Self {
            counted: Errors::of(growths.iter().map(|growth| (growth, f64::from(growth.sizes.total())))),
            predicted: Errors::of(pairs()),
            shown: Errors::of(
                pairs().zip(&is_shown).filter(|(_, is_shown)| **is_shown).map(|(pair, _)| pair),
            ),
            set_aside: aside().count() as u32,
            hidden_tokens: hidden.sum::<f64>().round() as i64,
            loss: off.sum(),
        }
    }

    /// ± as a share of a count. Where most of it is set aside, what is left says nothing.
    pub(super) fn error(&self) -> f64 {
        if self.shown.reported * 2 < self.predicted.reported { self.predicted.most } else { self.shown.most }
    }
}

/// Growths that hide nothing by ratios that were not made from them, each with what it is predicted to be.
pub(super) fn shown(growths: &[Growth], fitted: &Fitted) -> Vec<(Growth, f64)> {
    let pairs = growths.iter().map(|growth| (*growth, predicted(&fitted.ratios, &growth.sizes)));
    pairs.filter(|(growth, predicted)| is_all_shown(growth, *predicted, fitted.spread)).collect()
}

impl Errors {
    /// Of growths and what they were held to be.
    pub fn of<'g>(growths: impl Iterator<Item = (&'g Growth, f64)>) -> Self {
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
