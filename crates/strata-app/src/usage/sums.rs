//! Sums over calls.

use std::collections::BTreeSet;

use strata_measure::prices::{ChargedTokens, Price};

use super::call::{CallKind, UsedCall};
use crate::api::common::Basis;
use crate::api::usage::UsageSums;

/// What calls come to so far.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// By their numbers, those of sub-agents as the session they worked for.
    sessions: BTreeSet<usize>,
    n_calls: u32,
    n_combined: u32,
    n_unreported: u32,
    n_priced: u32,
    n_unpriced: u32,
    tokens: ChargedTokens,
    dollars: f64,
}

impl Sums {
    pub(crate) fn add(&mut self, session: usize, call: &UsedCall, price: Option<&Price>) {
        self.sessions.insert(session);
        match call.kind {
            CallKind::Unreported => self.n_unreported += 1,
            CallKind::Unpaid => return,
            CallKind::Combined => self.n_combined += 1,
            CallKind::Reported | CallKind::Relayed | CallKind::Summary => self.n_calls += 1,
        }
        let (sum, ChargedTokens { prompt, cached, written, written_long, output }) =
            (&mut self.tokens, call.tokens);
        sum.prompt += prompt;
        sum.cached += cached;
        sum.written += written;
        sum.written_long += written_long;
        sum.output += output;
        if call.has_tokens() {
            match price {
                Some(price) => {
                    self.dollars += price.cost(&call.tokens);
                    self.n_priced += 1;
                }
                // Those without a report are no calls of these sums.
                None => self.n_unpriced += u32::from(call.kind != CallKind::Unreported),
            }
        }
    }

    pub(crate) fn n_tokens(&self) -> u64 {
        self.tokens.prompt + self.tokens.output
    }

    pub(crate) fn told(&self) -> UsageSums {
        let ChargedTokens { prompt, cached, written, written_long, output } = self.tokens;
        // Where more was read from a cache or written to one than the prompt had, that is what there was of it.
        let from_cache = cached + written + written_long;
        let all = prompt.max(from_cache);
        UsageSums {
            sessions: self.sessions.len() as u32,
            calls: self.n_calls,
            combined_reports: self.n_combined,
            unreported_calls: self.n_unreported,
            input_tokens: all,
            uncached_tokens: all - from_cache,
            cached_tokens: cached,
            cache_write_tokens: written + written_long,
            output_tokens: output,
            cache_ratio: cached as f64 / all.max(1) as f64,
            // Whatever order files are read in: their sums differ in the last digits.
            cost: (self.n_priced > 0).then_some((self.dollars * 1e9).round() / 1e9),
            cost_basis: if self.n_combined > 0 { Basis::Estimated } else { Basis::Reported },
            unpriced_calls: self.n_unpriced,
        }
    }
}
