//! Counts of one call or of several, which can be added up and taken apart.

use strata_model::{Json, Object, Usage};

use super::Reported;
use crate::take::count_of;

/// Counts as they are found; `None` for what is not said.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Everything that was input.
    pub(crate) input: Option<u64>,
    pub(crate) cached: Option<u64>,
    pub(crate) written: Option<u64>,
    /// Everything that was output, thoughts included.
    pub(crate) output: Option<u64>,
    pub(crate) thoughts: Option<u64>,
    pub(crate) total: Option<u64>,
}

impl Counts {
    pub(crate) fn reported(self) -> Reported {
        let thoughts = self.thoughts.filter(|thoughts| *thoughts > 0);
        let visible = self.output.map(|output| output.saturating_sub(thoughts.unwrap_or(0)));
        let sum = || self.input.map(|input| input.saturating_add(self.output.unwrap_or(0)));
        let usage = Usage {
            prompt_token_count: self.input,
            cached_content_token_count: self.cached.filter(|cached| *cached > 0),
            candidates_token_count: visible,
            thoughts_token_count: thoughts,
            total_token_count: self.total.or_else(sum),
            ..Usage::default()
        };
        let written = self.written.filter(|written| *written > 0);
        let cache_write = written.map(|tokens| Object::from_iter([("tokens", number(tokens))]));
        Reported { usage, cache_write, top_level_input: None }
    }

    /// What was added to running totals; all of them, when they began anew.
    pub(crate) fn grown_since(self, before: Self) -> Self {
        let has_less =
            |now: Option<u64>, before: Option<u64>| Some(u64::from(now.unwrap_or(0) < before.unwrap_or(0)));
        let fell = self.with(before, has_less);
        let all = [fell.input, fell.cached, fell.written, fell.output, fell.thoughts, fell.total];
        if all.contains(&Some(1)) { self } else { self.less(before) }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        self.with(other, add)
    }

    pub(crate) fn less(self, other: Self) -> Self {
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

    pub(super) fn is_empty(&self) -> bool {
        self.input.is_none() && self.output.is_none() && self.total.is_none()
    }
}

impl Reported {
    /// The counts again, to add them up or take them apart.
    pub(crate) fn counts(&self) -> Counts {
        let usage = &self.usage;
        Counts {
            input: usage.prompt_token_count,
            cached: usage.cached_content_token_count,
            written: self.cache_write.as_ref().and_then(|write| count_of(write.get("tokens")?)),
            output: usage.output_tokens(),
            thoughts: usage.thoughts_token_count,
            total: usage.total_token_count,
        }
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
