//! How long summaries are, before they are written.

/// Where a summary's size is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeBasis {
    /// A person stated it.
    Stated,
    /// Fitted to summaries that were really written.
    Fitted,
    /// Neither: a usual size.
    Assumed,
}

impl SizeBasis {
    pub fn name(self) -> &'static str {
        match self {
            Self::Stated => "stated",
            Self::Fitted => "fitted",
            Self::Assumed => "assumed",
        }
    }
}

/// Tokens of a summary as a function of the tokens it is made from: a base and a share, within limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SummarySize {
    pub basis: SizeBasis,
    pub base: f64,
    pub share: f64,
    pub most: u32,
    /// Summaries it was fitted to.
    pub n_fitted: usize,
}

/// What models write when they are asked for a concise summary: a page, and little more for a long conversation.
const USUAL: SummarySize =
    SummarySize { basis: SizeBasis::Assumed, base: 150.0, share: 0.06, most: 1500, n_fitted: 0 };

impl SummarySize {
    pub fn stated(tokens: u32) -> Self {
        Self { basis: SizeBasis::Stated, base: f64::from(tokens), share: 0.0, most: tokens, n_fitted: 0 }
    }

    pub fn assumed() -> Self {
        USUAL
    }

    /// The line through `(tokens of the source, tokens of the summary)` with the least squares, never falling; without
    /// any pair the usual size.
    pub fn fitted(pairs: &[(u32, u32)]) -> Self {
        let n = pairs.len() as f64;
        if pairs.is_empty() {
            return USUAL;
        }
        let mean = |of: fn(&(u32, u32)) -> u32| pairs.iter().map(|pair| f64::from(of(pair))).sum::<f64>() / n;
        let (mean_source, mean_summary) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let spread: f64 = pairs.iter().map(|(source, _)| (f64::from(*source) - mean_source).powi(2)).sum();
        let together: f64 = pairs
            .iter()
            .map(|(source, summary)| {
                (f64::from(*source) - mean_source) * (f64::from(*summary) - mean_summary)
            })
            .sum();
        let share = if spread > 0.0 { (together / spread).clamp(0.0, 1.0) } else { 0.0 };
        let base = mean_summary - share * mean_source;
        // A line that starts below zero says nothing of short sources: take the average share there.
        let (base, share) =
            if base < 0.0 { (0.0, mean_summary / mean_source.max(1.0)) } else { (base, share) };
        let longest = pairs.iter().map(|pair| pair.1).max().unwrap_or(0);
        Self { basis: SizeBasis::Fitted, base, share, most: longest.saturating_mul(2), n_fitted: pairs.len() }
    }

    /// Tokens of the summary of so many tokens; never more than these.
    pub fn tokens(&self, source: u32) -> u32 {
        let tokens = (self.base + self.share * f64::from(source)).round().max(1.0) as u32;
        tokens.min(self.most).min(source.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let pairs: Vec<(u32, u32)> = [1000, 4000, 9000].map(|source| (source, 200 + source / 10)).to_vec();
        let size = SummarySize::fitted(&pairs);
        assert_eq!(size.basis, SizeBasis::Fitted);
        assert_eq!(size.tokens(5000), 700);
        assert_eq!(size.tokens(90), 90);
    }

    #[test]
    fn odd_pairs_give_sizes_all_the_same() {
        assert_eq!(SummarySize::fitted(&[]), SummarySize::assumed());
        assert_eq!(SummarySize::fitted(&[(1000, 100)]).tokens(4000), 100);
        // Falling: the average.
        assert_eq!(SummarySize::fitted(&[(1000, 300), (3000, 100)]).tokens(5000), 200);
        // Below zero at the start: the average share.
        assert_eq!(SummarySize::fitted(&[(1000, 0), (3000, 400)]).tokens(2000), 200);
        assert_eq!(SummarySize::stated(500).tokens(100), 100);
    }
}
