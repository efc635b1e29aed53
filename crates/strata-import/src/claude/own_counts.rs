//! Tokens that the client has counted itself.

use std::collections::BTreeMap;

use strata_model::take::take_count;
use strata_model::{Object, Str};

/// The client's own counts so far.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnCounts {
    /// By model, as the last record has them.
    pub(super) by_model: BTreeMap<Str, Spent>,
    /// Entries before it, and where it stands.
    pub(super) n_entries: usize,
    pub(super) place: String,
    /// In dollars, as the client has it.
    pub(super) cost: Option<f64>,
}

/// Tokens of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spent {
    pub(super) input: u64,
    pub(super) cached: u64,
    pub(super) written: u64,
    /// Of these, for the longer lifetime.
    pub(super) written_long: u64,
    /// Thoughts included.
    pub(super) output: u64,
}

impl Spent {
    pub(super) fn read(mut usage: Object) -> Self {
        let mut count = |key| take_count(&mut usage, key).unwrap_or(0);
        let (fresh, output) = (count("inputTokens"), count("outputTokens"));
        let (cached, written) = (count("cacheReadInputTokens"), count("cacheCreationInputTokens"));
        let written_long = count("cacheCreationEphemeral1hInputTokens");
        let input = fresh.saturating_add(cached).saturating_add(written);
        Self { input, cached, written, written_long, output }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached: self.cached.saturating_add(other.cached),
            written: self.written.saturating_add(other.written),
            written_long: self.written_long.saturating_add(other.written_long),
            output: self.output.saturating_add(other.output),
        }
    }

    /// `None` where it has less of anything.
    pub(super) fn checked_less(self, other: Self) -> Option<Self> {
        Some(Self {
            input: self.input.checked_sub(other.input)?,
            cached: self.cached.checked_sub(other.cached)?,
            written: self.written.checked_sub(other.written)?,
            written_long: self.written_long.checked_sub(other.written_long)?,
            output: self.output.checked_sub(other.output)?,
        })
    }
}
