//! Learning from what a provider reports: better counts for calls without a report, with honest bounds.
//!
//! Most of a call's prompt stood in an earlier call whose tokens were reported, its anchor. Only the difference is
//! estimated: *reported tokens of the anchor + ratio × the difference by our count*. The ratio is that of the growth of
//! earlier prompts, reported to counted. A prompt without an anchor is set beside the mean of others without one.
//!
//! Such predictions are also made for calls that have a report, from the calls before them. How far off those were
//! gives the bounds.

mod errors;
mod measured;
mod ratio;
mod recent;
#[cfg(test)]
mod tests;

pub use measured::{Anchor, Measured};

use super::count::TokenCount;
use errors::Errors;
use ratio::{FittedRatio, Growths};
use recent::Recent;

/// What the reports of one model have taught. A pure function of the calls observed, in their order.
///
/// Four reported calls that continue each other are enough: two for a ratio, and two more to see how far off it is,
/// for one error alone would say nothing of how errors spread. Prompts with and without an anchor err differently, and
/// are learned apart.
#[derive(Debug, Clone, Default)]
pub struct Calibration {
    growths: Growths,
    /// Calls without an anchor.
    starts: Recent<Measured>,
    /// Errors of predictions that had an anchor, and of those that had none.
    anchored: Errors,
    unanchored: Errors,
}

impl Calibration {
    /// Learns from a call with a report.
    pub fn observe(&mut self, call: Measured, anchor: Option<Anchor>) {
        let Some(anchor) = anchor else {
            if let Some(prediction) = self.beside_mean(call.ours) {
                self.unanchored.add(prediction.distance, prediction.error(call));
            }
            self.starts.push(call);
            return;
        };
        if let Some(prediction) = self.beside_anchor(call.ours, anchor) {
            self.anchored.add(prediction.distance, prediction.error(call));
        }
        if anchor.is_whole() {
            self.growths.add(anchor.call, call);
        }
    }

    /// The input tokens of a call without a report, of which we count `ours`; `None` as long as too little is known.
    ///
    /// An anchor that has little to do with the prompt gives wide bounds. If none at all gives narrower ones, those
    /// are taken; a caller with another estimate can choose in the same way.
    pub fn predict(&self, ours: u32, anchor: Option<Anchor>) -> Option<TokenCount> {
        if let Some(anchor) = anchor
            && anchor.difference(ours) == 0
        {
            let Measured { reported, .. } = anchor.call;
            return Some(TokenCount::calibrated(reported, reported, reported));
        }
        let anchored = anchor
            .and_then(|anchor| self.beside_anchor(ours, anchor))
            .and_then(|prediction| prediction.bounded(&self.anchored));
        let unanchored = self.beside_mean(ours).and_then(|prediction| prediction.bounded(&self.unanchored));
        anchored.into_iter().chain(unanchored).min_by_key(|count| count.high - count.low)
    }

    fn beside_anchor(&self, ours: u32, anchor: Anchor) -> Option<Prediction> {
        let difference = anchor.difference(ours);
        let fitted = self.growths.ratio().filter(|_| difference > 0)?;
        let from = [anchor.call.ours.into(), anchor.call.reported.into()];
        // What was replaced by as much may still weigh differently.
        Some(Prediction { distance: difference.into(), ..Prediction::new(fitted, ours, from) })
    }

    fn beside_mean(&self, ours: u32) -> Option<Prediction> {
        let fitted = self.growths.ratio().or_else(|| ratio::of_prompts(&self.starts))?;
        // The mean of a few prompts is itself off.
        let uncertainty = (1.0 + (self.starts.len() as f64).recip()).sqrt();
        Some(Prediction { uncertainty, ..Prediction::new(fitted, ours, ratio::means(&self.starts)?) })
    }
}

/// Tokens as they are likely to be reported.
struct Prediction {
    tokens: f64,
    /// Our count of what differs from the prompt that the prediction starts from.
    distance: f64,
    /// See [`FittedRatio::lever`].
    lever: f64,
    /// What the bounds are multiplied by.
    uncertainty: f64,
}

impl Prediction {
    /// Starts from a count of ours and the report that belongs to it.
    fn new(
        FittedRatio { ratio, lever }: FittedRatio,
        ours: u32,
        [from_ours, from_reported]: [f64; 2],
    ) -> Self {
        let difference = f64::from(ours) - from_ours;
        Self {
            tokens: from_reported + ratio * difference,
            distance: difference.abs(),
            lever,
            uncertainty: 1.0,
        }
    }

    fn error(&self, call: Measured) -> f64 {
        f64::from(call.reported) - self.tokens
    }

    /// With the bounds that earlier errors of its kind give; `None` if there were too few.
    fn bounded(&self, errors: &Errors) -> Option<TokenCount> {
        let bound = self.uncertainty * errors.bound(self.distance, self.lever)?;
        let [low, high] = [(self.tokens - bound).floor(), (self.tokens + bound).ceil()];
        Some(TokenCount::calibrated(self.tokens.round() as u32, low as u32, high as u32))
    }
}
