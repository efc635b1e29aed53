//! A number of tokens, and what the number is worth.

use std::iter::Sum;
use std::ops::Add;

use super::ratios::Ratio;

/// How a count came about, from the strongest evidence to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// The provider's usage of that very call.
    Reported,
    /// Counted with the model's own vocabulary, and nothing around it guessed.
    Exact,
    /// Corrected by what the provider reported for other calls of the same model.
    Calibrated,
    /// Counted with another vocabulary, or by a rule that is not published.
    Estimated,
}

impl Basis {
    pub fn name(self) -> &'static str {
        match self {
            Self::Reported => "reported",
            Self::Exact => "exact",
            Self::Calibrated => "calibrated",
            Self::Estimated => "estimated",
        }
    }
}

/// A number of tokens with its basis and the interval that should hold the truth: `low <= tokens <= high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenCount {
    pub tokens: u32,
    pub basis: Basis,
    pub low: u32,
    pub high: u32,
}

impl TokenCount {
    pub fn reported(tokens: u32) -> Self {
        Self { tokens, basis: Basis::Reported, low: tokens, high: tokens }
    }

    pub fn exact(tokens: u32) -> Self {
        Self { tokens, basis: Basis::Exact, low: tokens, high: tokens }
    }

    /// The bounds are widened to hold `tokens` where they do not.
    pub fn estimated(tokens: u32, low: u32, high: u32) -> Self {
        Self { tokens, basis: Basis::Estimated, low: low.min(tokens), high: high.max(tokens) }
    }

    /// The bounds are widened to hold `tokens` where they do not.
    pub fn calibrated(tokens: u32, low: u32, high: u32) -> Self {
        Self { basis: Basis::Calibrated, ..Self::estimated(tokens, low, high) }
    }

    /// The count translated: as many tokens of another kind as `ratio` says.
    pub fn scaled(self, ratio: Ratio) -> Self {
        let times = |tokens: u32, factor: f64| f64::from(tokens) * factor;
        Self::estimated(
            times(self.tokens, ratio.middle).round() as u32,
            times(self.low, ratio.low).floor() as u32,
            times(self.high, ratio.high).ceil() as u32,
        )
    }

    /// The same with so many tokens more, or less; the bounds move with it.
    pub fn shifted(self, tokens: i64) -> Self {
        let shift = |count: u32| u32::try_from((i64::from(count) + tokens).max(0)).unwrap_or(u32::MAX);
        Self { tokens: shift(self.tokens), low: shift(self.low), high: shift(self.high), ..self }
    }

    /// The same count `n` times.
    pub fn times(self, n: usize) -> Self {
        let times = |tokens: u32| tokens.saturating_mul(n.try_into().unwrap_or(u32::MAX));
        Self { tokens: times(self.tokens), basis: self.basis, low: times(self.low), high: times(self.high) }
    }

    /// Divides the count in proportion to `shares`; the tokens of the pieces add up to `tokens` again.
    /// Without any share everything goes to the first piece.
    pub fn divide(self, shares: &[u32]) -> Vec<Self> {
        let whole: u64 = shares.iter().map(|share| u64::from(*share)).sum();
        let mut reached = 0;
        let mut before = [0; 3];
        let mut pieces = Vec::with_capacity(shares.len());
        for share in shares {
            reached += u64::from(*share);
            let up_to = [self.low, self.tokens, self.high].map(|count| {
                u64::from(count)
                    .checked_mul(reached)
                    .and_then(|n| n.checked_div(whole))
                    .unwrap_or(count.into())
            });
            let [low, tokens, high] = [0, 1, 2].map(|at| (up_to[at] - before[at]) as u32);
            pieces.push(Self { tokens, basis: self.basis, low: low.min(tokens), high: high.max(tokens) });
            before = up_to;
        }
        pieces
    }
}

/// Keeps the weaker basis and adds the bounds.
impl Add for TokenCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            basis: self.basis.max(other.basis),
            low: self.low.saturating_add(other.low),
            high: self.high.saturating_add(other.high),
        }
    }
}

/// The sum of nothing is exactly zero.
impl Sum for TokenCount {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.reduce(Self::add).unwrap_or(Self::exact(0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sum_keeps_the_weaker_basis_and_adds_the_bounds() {
        let sum = TokenCount::exact(10) + TokenCount::estimated(100, 90, 130) + TokenCount::reported(1);
        assert_eq!(sum, TokenCount { tokens: 111, basis: Basis::Estimated, low: 101, high: 141 });
        assert_eq!([TokenCount::reported(3)].into_iter().sum::<TokenCount>(), TokenCount::reported(3));
        assert_eq!(std::iter::empty::<TokenCount>().sum::<TokenCount>(), TokenCount::exact(0));
    }

    #[test]
    fn a_ratio_rounds_the_bounds_outwards() {
        let ratio = Ratio { low: 0.95, middle: 1.05, high: 1.15 };
        assert_eq!(TokenCount::exact(9).scaled(ratio), TokenCount::estimated(9, 8, 11));
    }

    proptest! {
        #[test]
        fn pieces_add_up_to_the_whole(
            tokens in 0..1_000_000u32,
            below in 0..1000u32,
            above in 0..1000u32,
            shares in prop::collection::vec(0..5000u32, 1..20),
        ) {
            let whole = TokenCount::estimated(tokens, tokens.saturating_sub(below), tokens + above);
            let pieces = whole.divide(&shares);
            let sum: TokenCount = pieces.iter().copied().sum();
            prop_assert_eq!(sum.tokens, tokens);
            prop_assert!(sum.low <= whole.low && sum.high >= whole.high);
            prop_assert!(pieces.iter().all(|piece| piece.low <= piece.tokens && piece.tokens <= piece.high));
        }
    }
}
