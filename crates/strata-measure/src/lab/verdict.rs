//! What becomes of a fact in a summary.

/// What became of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    Kept,
    /// Said in other words, rounded or shortened.
    Paraphrased,
    Dropped,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Paraphrased => "paraphrased",
            Self::Dropped => "dropped",
        }
    }
}
