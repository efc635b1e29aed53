//! In which calls something stood, and what it cost there.

use std::collections::BTreeMap;

use strata_measure::analysis::{CallRates, Piece};

use super::CompiledSession;
use crate::api::common::CallRange;
use crate::api::stores_kept::Carried;

/// Runs of calls that something is shown with.
const RANGES: usize = 12;

/// Tokens of something in one call, and of these the ones that a provider had seen before.
#[derive(Debug, Clone, Copy, Default)]
struct InCall {
    tokens: u32,
    matched: u32,
}

/// What the pieces with one key come to, call by call.
#[derive(Debug, Clone, Default)]
pub(super) struct CarriedCalls(BTreeMap<u32, InCall>);

/// What all pieces come to, by `key`; those without one are left out.
pub(super) fn carried_by<K: Ord>(
    of: CompiledSession<'_>,
    key: impl Fn(&Piece) -> Option<K>,
) -> BTreeMap<K, CarriedCalls> {
    let mut by_key: BTreeMap<K, CarriedCalls> = BTreeMap::new();
    for group in of.analysis.ledger().sent() {
        for sent in &group.pieces {
            let Some(key) = key(sent.piece) else { continue };
            let calls = by_key.entry(key).or_default();
            for run in &group.runs {
                for call in run.first_call..=run.last_call {
                    let there = calls.0.entry(call).or_default();
                    there.tokens += sent.piece.tokens;
                    there.matched += run.matched(sent);
                }
            }
        }
    }
    by_key
}

impl CarriedCalls {
    /// Of some of the calls alone.
    pub(super) fn only(&self, has: impl Fn(u32) -> bool) -> Self {
        Self(self.0.iter().filter(|(call, _)| has(**call)).map(|(call, there)| (*call, *there)).collect())
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.keys().copied()
    }

    pub(super) fn shown(&self, rates: &CallRates, of_calls: u32) -> Carried {
        let costs = self.0.iter().map(|(call, there)| rates.of_call(*call, there.tokens, there.matched));
        let last = self.0.keys().next_back().copied();
        // The sum of no floats is −0: 0 is added.
        Carried {
            calls: self.0.len() as u32,
            ranges: ranges(self.0.keys().copied()),
            tokens: self.0.values().next_back().map_or(0, |there| there.tokens),
            lifetime_tokens: self.0.values().map(|there| f64::from(there.tokens)).sum::<f64>() + 0.0,
            cached_tokens: self.0.values().map(|there| f64::from(there.matched)).sum::<f64>() + 0.0,
            cost_usd: costs.sum::<Option<f64>>().map(|usd| usd + 0.0),
            left_at: last.filter(|last| *last < of_calls).map(|last| last + 1),
            unknown_calls: 0,
        }
    }
}

pub(super) fn ranges(calls: impl Iterator<Item = u32>) -> Vec<CallRange> {
    let mut ranges: Vec<CallRange> = Vec::new();
    for call in calls {
        match ranges.last_mut() {
            Some(last) if last.to + 1 == call => last.to = call,
            _ => ranges.push(CallRange { from: call, to: call }),
        }
    }
    ranges.truncate(RANGES);
    ranges
}
