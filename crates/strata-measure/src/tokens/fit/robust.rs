//! Ratios from growths, some of which hide something.

use super::solve::{Matrix, Vector, solve};
use crate::tokens::sizes::{SizeKind, Sizes};

/// What a prompt has more than the one that it continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    pub sizes: Sizes,
    /// Input tokens reported for the later prompt less those reported for the earlier one.
    pub reported: u32,
}

/// Where Tukey's biweight ends, and where Huber's begins, in standard deviations.
const TUKEY: f64 = 4.685;
const HUBER: f64 = 1.345;
const HUBER_ROUNDS: usize = 15;
const ROUNDS: usize = 40;
/// The median of absolute errors, as a standard deviation.
const OF_MEDIAN: f64 = 1.4826;
/// Errors are not believed to be smaller, as a share of [`noise`].
const LEAST_SPREAD: f64 = 0.1;

/// Ratios, and how far off they are.
pub(super) struct Fitted {
    pub ratios: Vector,
    /// Errors, as multiples of [`noise`]: their standard deviation.
    pub spread: f64,
}

impl Fitted {
    /// Ratios that are known, with the errors that they have for some growths.
    pub(super) fn known(ratios: Vector, growths: &[Growth]) -> Self {
        Self { ratios, spread: spread_of(&errors(&ratios, growths)) }
    }
}

/// The likeliest ratios where `held` ones are likeliest before, with the inverse of their covariance: found by least squares
/// with weights that follow from the errors of the round before.
pub(super) fn fitted(growths: &[Growth], held: &Vector, precision: &Matrix) -> Fitted {
    let mut ratios = *held;
    let mut spread = 1.0;
    for round in 0..ROUNDS {
        let errors = errors(&ratios, growths);
        spread = spread_of(&errors);
        let mut left = *precision;
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
            let beyond = residual(held, growth);
            for (row, of_row) in sizes.iter().enumerate() {
                right[row] += weight * of_row * beyond;
                for (column, of_column) in sizes.iter().enumerate() {
                    left[row][column] += weight * of_row * of_column;
                }
            }
        }
        let beyond = solve(left, right);
        ratios = std::array::from_fn(|kind| (held[kind] + beyond[kind]).max(0.0));
    }
    Fitted { ratios, spread }
}

/// As multiples of [`noise`].
fn errors(ratios: &Vector, growths: &[Growth]) -> Vec<f64> {
    growths.iter().map(|growth| residual(ratios, growth) / noise(growth)).collect()
}

/// Tokens that a provider would report.
pub(super) fn predicted(ratios: &Vector, sizes: &Sizes) -> f64 {
    SizeKind::ALL.iter().map(|kind| ratios[*kind as usize] * f64::from(sizes.get(*kind))).sum()
}

fn residual(ratios: &Vector, growth: &Growth) -> f64 {
    f64::from(growth.reported) - predicted(ratios, &growth.sizes)
}

/// How far off a growth is likely to be, up to a factor that all share: short ones by chance, long ones by what they
/// are about.
pub(super) fn noise(growth: &Growth) -> f64 {
    let tokens = f64::from(growth.sizes.total()).max(1.0);
    2.0 * tokens.sqrt() + 0.03 * tokens
}

/// Whether it is near enough to its prediction to hide nothing.
pub(super) fn is_all_shown(growth: &Growth, predicted: f64, spread: f64) -> bool {
    (f64::from(growth.reported) - predicted).abs() / (noise(growth) * spread) < TUKEY
}

fn spread_of(errors: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).map_or(1.0, |median| (OF_MEDIAN * median).max(LEAST_SPREAD))
}
