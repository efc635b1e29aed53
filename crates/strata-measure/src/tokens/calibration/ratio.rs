//! How many tokens a provider reports for each that we count.

use super::measured::Measured;
use super::recent::Recent;

/// A ratio of reported tokens to ours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FittedRatio {
    pub ratio: f64,
    /// By how much the ratio is likely to be off if each report it was learned from is off by one token, at random.
    pub lever: f64,
}

impl FittedRatio {
    fn new(ratio: f64, lever: f64) -> Self {
        Self { ratio: ratio.max(0.0), lever }
    }
}

/// What prompts grew by.
#[derive(Debug, Clone, Default)]
pub(super) struct Growths(Recent<Growth>);

#[derive(Debug, Clone, Copy)]
struct Growth {
    ours: f64,
    reported: f64,
}

impl Growths {
    pub(super) fn add(&mut self, from: Measured, to: Measured) {
        self.0.push(Growth {
            ours: f64::from(to.ours) - f64::from(from.ours),
            reported: f64::from(to.reported) - f64::from(from.reported),
        });
    }

    /// Of all growth together: long additions weigh more, as they should.
    pub(super) fn ratio(&self) -> Option<FittedRatio> {
        let ours = self.0.sum(|growth| growth.ours);
        let reported = self.0.sum(|growth| growth.reported);
        (ours > 0.0).then(|| FittedRatio::new(reported / ours, (self.0.len() as f64).sqrt() / ours))
    }
}

/// Of whole prompts, by least squares: what is added to each of them whatever its length does not count. `None` for
/// prompts of one length.
pub(super) fn of_prompts(calls: &Recent<Measured>) -> Option<FittedRatio> {
    let [mean_ours, mean_reported] = means(calls)?;
    let ours = |call: &Measured| f64::from(call.ours) - mean_ours;
    let squares = calls.sum(|call| ours(call) * ours(call));
    let products = calls.sum(|call| ours(call) * (f64::from(call.reported) - mean_reported));
    (squares > 0.0).then(|| FittedRatio::new(products / squares, squares.sqrt().recip()))
}

/// Our count and the report of the average call.
pub(super) fn means(calls: &Recent<Measured>) -> Option<[f64; 2]> {
    let n = calls.len() as f64;
    let mean = |of: fn(&Measured) -> u32| calls.sum(|call| f64::from(of(call))) / n;
    (n > 0.0).then(|| [mean(|call| call.ours), mean(|call| call.reported)])
}
