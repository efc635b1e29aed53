//! How far off predictions were, and so may be.

use super::recent::Recent;

/// Errors of predictions.
#[derive(Debug, Clone, Default)]
pub(super) struct Errors(Recent<Miss>);

#[derive(Debug, Clone, Copy)]
struct Miss {
    distance: f64,
    /// In tokens, at least one: reports are whole numbers, so a smaller error is luck.
    error: f64,
}

/// What is off in fewer tokens than this is their framing, which does not grow with them.
const SHORT: f64 = 100.0;

impl Errors {
    /// `distance` is how many tokens were estimated.
    pub(super) fn add(&mut self, distance: f64, error: f64) {
        self.0.push(Miss { distance, error: error.abs().max(1.0) });
    }

    /// How far off a prediction is in 19 of 20 cases if errors go on as they were. `lever` is that of its ratio.
    /// `None` if there were fewer than two.
    pub(super) fn bound(&self, distance: f64, lever: f64) -> Option<f64> {
        let student = student(self.0.len())?;
        let n = self.0.len() as f64;
        let of_text = self.0.sum(|miss| (miss.error * scale(miss.distance, distance)).powi(2)) / n;
        let of_ratio = self.0.sum(|miss| (miss.error * lever * distance).powi(2)) / n;
        Some(student * (of_text + of_ratio).sqrt())
    }
}

/// What an error grows by when not `from` but `to` tokens are estimated. What is systematic grows in proportion, chance
/// with the square root only: the worse is assumed.
fn scale(from: f64, to: f64) -> f64 {
    let times = (to + SHORT) / (from + SHORT);
    times.max(times.sqrt())
}

/// Student's factor for 95 %: the fewer errors, the less is known of their spread.
fn student(n_errors: usize) -> Option<f64> {
    match n_errors {
        0 | 1 => None,
        2 => Some(4.30),
        3 => Some(3.18),
        4 => Some(2.78),
        5 => Some(2.57),
        6 => Some(2.45),
        7 => Some(2.36),
        8 => Some(2.31),
        9 => Some(2.26),
        _ => Some(2.23),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(errors: &[(f64, f64)], distance: f64, lever: f64, expected: Option<f64>) {
        let mut known = Errors::default();
        for (distance, error) in errors {
            known.add(*distance, *error);
        }
        let bound = known.bound(distance, lever).map(|bound| (bound * 100.0).round() / 100.0);
        assert_eq!(bound, expected);
    }

    #[test]
    fn bounds_from_earlier_errors() {
        check(&[], 100.0, 0.0, None);
        check(&[(100.0, 5.0)], 100.0, 0.0, None);
        check(&[(100.0, 5.0), (100.0, -5.0)], 100.0, 0.0, Some(21.5));
        // In proportion upwards, by the root downwards.
        check(&[(100.0, 5.0), (100.0, -5.0)], 300.0, 0.0, Some(43.0));
        check(&[(300.0, 5.0), (300.0, 5.0)], 0.0, 0.0, Some(10.75));
        // No error is smaller than a token.
        check(&[(100.0, 0.0), (100.0, 0.3)], 100.0, 0.0, Some(4.3));
        // A ratio learned from little is off in every token it is used for.
        check(&[(100.0, 4.0), (100.0, 4.0)], 100.0, 0.0075, Some(21.5));
        check(&[(100.0, 10.0); 64], 100.0, 0.0, Some(22.3));
    }
}
