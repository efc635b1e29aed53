//! A prompt from its beginning to its end, by what the cache makes of it.

use strata_wire::{CacheRule, Machine};

use super::simulate::Prediction;

/// What the cache makes of a stretch of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zone {
    /// Found in the cache.
    Stable,
    /// Sent before, and too short to be cached.
    BelowMinimum,
    /// Sent before, but behind the last block or mark that could be found.
    Unmarked,
    /// Sent before, too long ago.
    Expired,
    /// Sent before, and other prompts have taken its place.
    Evicted,
    /// Not sent before.
    Variable,
}

impl Zone {
    /// A name for machines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::BelowMinimum => "below_minimum",
            Self::Unmarked => "unmarked",
            Self::Expired => "expired",
            Self::Evicted => "evicted",
            Self::Variable => "variable",
        }
    }
}

/// A stretch of a prompt, in tokens from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoneSpan {
    pub zone: Zone,
    pub from: u32,
    pub to: u32,
}

/// The zones of a prompt. They lie side by side and cover all of it.
pub(super) fn zones(rule: &CacheRule, prompt_tokens: u32, prediction: &Prediction) -> Vec<ZoneSpan> {
    let unused = if prediction.matched < rule.minimum_tokens() { Zone::BelowMinimum } else { Zone::Unmarked };
    let gone = match rule.machine {
        Machine::LcpSlot { .. } => Zone::Evicted,
        _ => Zone::Expired,
    };
    let ends = [
        (Zone::Stable, prediction.expected),
        (unused, prediction.matched),
        (gone, prediction.matched_ever),
        (Zone::Variable, prompt_tokens),
    ];
    let mut zones = Vec::new();
    let mut from = 0;
    for (zone, end) in ends {
        let to = end.min(prompt_tokens);
        if from < to {
            zones.push(ZoneSpan { zone, from, to });
            from = to;
        }
    }
    zones
}
