//! Counts of one call or of several, which can be added up and taken apart.

use strata_model::{Json, Usage};

/// Counts as they are found; `None` for what is not said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Everything that was input, whatever of it a cache read or wrote.
    pub input: Option<u64>,
    /// Of the input, read from a cache.
    pub cached: Option<u64>,
    /// Of the input, written to a cache.
    pub written: Option<u64>,
    /// Everything that was output, thoughts included.
    pub output: Option<u64>,
    pub thoughts: Option<u64>,
    pub total: Option<u64>,
}

impl Counts {
    /// The counts as ADK has them: thoughts stand beside the visible output, and a total that is not said is the sum.
    pub fn usage(self) -> Usage {
        let visible = self.output.map(|output| output.saturating_sub(self.thoughts.unwrap_or(0)));
        let sum = || self.input.map(|input| input.saturating_add(self.output.unwrap_or(0)));
        Usage {
            prompt_token_count: self.input,
            cached_content_token_count: self.cached,
            candidates_token_count: visible,
            thoughts_token_count: self.thoughts,
            total_token_count: self.total.or_else(sum),
            ..Usage::default()
        }
    }

    /// Whether any token is counted: what never came to anything is said with zeros.
    pub fn has_tokens(&self) -> bool {
        self.input.unwrap_or(0) > 0 || self.output.unwrap_or(0) > 0
    }

    /// What was added to running totals; all of them, when they began anew.
    pub fn grown_since(self, before: Self) -> Self {
        let has_less =
            |now: Option<u64>, before: Option<u64>| Some(u64::from(now.unwrap_or(0) < before.unwrap_or(0)));
        let fell = self.with(before, has_less);
        let all = [fell.input, fell.cached, fell.written, fell.output, fell.thoughts, fell.total];
        if all.contains(&Some(1)) { self } else { self.less(before) }
    }

    /// The sums of two, where either says them.
    pub fn plus(self, other: Self) -> Self {
        self.with(other, add)
    }

    /// The differences, never below nothing.
    pub fn less(self, other: Self) -> Self {
        self.with(other, |count, other| Some(count?.saturating_sub(other.unwrap_or(0))))
    }

    fn with(self, other: Self, operation: fn(Option<u64>, Option<u64>) -> Option<u64>) -> Self {
        Self {
            input: operation(self.input, other.input),
            cached: operation(self.cached, other.cached),
            written: operation(self.written, other.written),
            output: operation(self.output, other.output),
            thoughts: operation(self.thoughts, other.thoughts),
            total: operation(self.total, other.total),
        }
    }

    /// Whether nothing is said of what went in and out.
    pub fn is_empty(&self) -> bool {
        self.input.is_none() && self.output.is_none() && self.total.is_none()
    }
}

/// Counts of which either may not be said.
pub(super) fn add(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
    }
}

pub(super) fn number(count: u64) -> Json {
    Json::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
