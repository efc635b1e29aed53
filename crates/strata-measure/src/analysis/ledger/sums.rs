//! Adding up what pieces of prompts cost.

use std::collections::{BTreeMap, HashMap};

use strata_model::Origin;

use super::call_set::CallSet;
use super::pieces::{SentPiece, SentRun, SentTogether};
use crate::analysis::call_rates::{CallRates, PicoDollars, dollars};
use crate::analysis::kind::Kind;

/// What a source cost over all calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UseTotals {
    /// Calls that carried it.
    pub calls: u32,
    /// The first and the last of them; 0 if there is none.
    pub first_call: u32,
    pub last_call: u32,
    /// Tokens over all of them.
    pub lifetime: u64,
    /// Of these, tokens in a prefix that was sent before.
    pub matched: u64,
}

/// What a source cost in each of some consecutive calls, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CarriedTokens {
    pub first_call: u32,
    pub last_call: u32,
    pub tokens: u32,
    /// Of the tokens, those in a prefix that was sent before.
    pub matched: u32,
}

/// What a source comes to, call by call, while it is added up: what changes with a call.
#[derive(Debug, Default)]
pub(super) struct CarriedSums {
    changes: BTreeMap<u32, Change>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Change {
    pieces: i64,
    tokens: i64,
    matched: i64,
}

impl CarriedSums {
    /// Calls that sent a piece.
    pub(super) fn add(&mut self, run: &SentRun, sent: &SentPiece<'_>) {
        let (tokens, matched) = (i64::from(sent.piece.tokens), i64::from(run.matched(sent)));
        self.change(run.first_call, Change { pieces: 1, tokens, matched });
        self.change(run.last_call + 1, Change { pieces: -1, tokens: -tokens, matched: -matched });
    }

    fn change(&mut self, call: u32, by: Change) {
        let change = self.changes.entry(call).or_default();
        change.pieces += by.pieces;
        change.tokens += by.tokens;
        change.matched += by.matched;
    }

    /// As few runs as there can be, in order.
    pub(super) fn finish(self) -> Vec<CarriedTokens> {
        let mut runs: Vec<CarriedTokens> = Vec::new();
        let mut sum = Change::default();
        let ends = self.changes.keys().skip(1).copied().collect::<Vec<_>>();
        // After the last change nothing is sent.
        for ((first_call, change), end) in self.changes.into_iter().zip(ends) {
            sum.pieces += change.pieces;
            sum.tokens += change.tokens;
            sum.matched += change.matched;
            if sum.pieces == 0 {
                continue;
            }
            let (tokens, matched) = (sum.tokens as u32, sum.matched as u32);
            match runs.last_mut() {
                Some(last)
                    if last.last_call + 1 == first_call
                        && (last.tokens, last.matched) == (tokens, matched) =>
                {
                    last.last_call = end - 1;
                }
                _ => runs.push(CarriedTokens { first_call, last_call: end - 1, tokens, matched }),
            }
        }
        runs
    }
}

/// What a source that is not an event cost.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceUse {
    pub origin: Origin,
    pub kind: Kind,
    /// Tokens in the last call that carried it.
    pub tokens: u32,
    pub usage: UseTotals,
}

/// What everything with one key cost.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerSum {
    /// Tokens in the last call that carried it.
    pub tokens: u32,
    pub usage: UseTotals,
    /// US dollars over all calls. `None` when one of their models has no price.
    pub cost_usd: Option<f64>,
}

impl UseTotals {
    /// A source can stand in a prompt more than once: sets may overlap.
    pub(super) fn set_calls(&mut self, sets: &[&CallSet; 2]) {
        let [a, b] = sets;
        let first = [a.first(), b.first()].into_iter().filter(|call| *call > 0).min();
        self.first_call = first.unwrap_or(0);
        self.last_call = a.last().max(b.last());
        self.calls = a.len() + b.len() - a.n_shared(b);
    }
}

/// Pieces that were sent together, with what their runs come to.
pub(super) struct PieceGroup<'l> {
    /// Its place among all of them.
    nth: usize,
    pub pieces: Vec<SentPiece<'l>>,
    runs: Vec<SentRun>,
    n_calls: u64,
    /// Calls that had sent all of it before.
    n_whole: u64,
    /// Runs of calls that had sent a part of it before.
    partly: Vec<SentRun>,
    last_call: u32,
    /// It is one content, or what stands before the first.
    pub is_alone: bool,
}

impl<'l> PieceGroup<'l> {
    pub(super) fn of((nth, sent): (usize, SentTogether<'l>)) -> Self {
        let SentTogether { pieces, runs } = sent;
        let n_calls =
            |runs: &mut dyn Iterator<Item = &SentRun>| runs.map(|run| u64::from(run.n_calls())).sum();
        let is_partly = |run: &&SentRun| !run.is_matched_whole && !run.is_fresh;
        Self {
            nth,
            n_calls: n_calls(&mut runs.iter()),
            n_whole: n_calls(&mut runs.iter().filter(|run| run.is_matched_whole)),
            partly: runs.iter().filter(is_partly).copied().collect(),
            last_call: runs.iter().map(|run| run.last_call).max().unwrap_or(0),
            is_alone: pieces.iter().all(|piece| piece.is_in_same_content(&pieces[0])),
            pieces,
            runs,
        }
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = (u32, u32)> {
        self.runs.iter().map(|run| (run.first_call, run.last_call))
    }

    /// Adds a piece in all calls, but not which calls these are.
    pub(super) fn add_to(&self, usage: &mut UseTotals, sent: &SentPiece<'_>) {
        let partly = self.partly.iter().map(|run| u64::from(run.n_calls()) * u64::from(run.matched(sent)));
        usage.lifetime += self.n_calls * u64::from(sent.piece.tokens);
        usage.matched += self.n_whole * u64::from(sent.piece.tokens) + partly.sum::<u64>();
    }

    /// What a token costs in all calls that had not sent it, and in those that had. `None` without a price.
    pub(super) fn priced(&self, rates: &CallRates) -> Option<Rates> {
        let sum = |matched: u32, is_meant: &dyn Fn(&SentRun) -> bool| -> Option<PicoDollars> {
            let runs = self.runs.iter().filter(|run| is_meant(run));
            runs.map(|run| rates.cost((run.first_call, run.last_call), 1, matched)).sum()
        };
        let partly = self.partly.iter().map(|run| {
            let calls = (run.first_call, run.last_call);
            Some((rates.cost(calls, 1, 0)?, rates.cost(calls, 1, 1)?))
        });
        Some(Rates {
            fresh: sum(0, &|run| run.is_fresh)?,
            cached: sum(1, &|run| run.is_matched_whole && !run.is_fresh)?,
            partly: partly.collect::<Option<_>>()?,
        })
    }
}

/// What one token costs in all calls that sent it: where nothing sent together was sent before, where all of it was, and
/// in each run where a part was, as a new token and as a known one.
pub(super) struct Rates {
    fresh: PicoDollars,
    cached: PicoDollars,
    partly: Vec<(PicoDollars, PicoDollars)>,
}

impl Rates {
    fn of(&self, group: &PieceGroup<'_>, sent: &SentPiece<'_>) -> PicoDollars {
        let tokens = PicoDollars::from(sent.piece.tokens);
        let partly = group.partly.iter().zip(&self.partly).map(|(run, (fresh, cached))| {
            let matched = PicoDollars::from(run.matched(sent));
            tokens.saturating_sub(matched) * fresh + matched * cached
        });
        tokens * (self.fresh + self.cached) + partly.sum::<PicoDollars>()
    }
}

/// What several pieces cost, while it is summed up.
#[derive(Default)]
struct Sum {
    usage: UseTotals,
    calls: Vec<(u32, u32)>,
    /// The pieces whose calls were noted last.
    noted: Option<usize>,
    /// The last call, and the tokens in it.
    last: (u32, u32),
}

impl Sum {
    fn add(&mut self, group: &PieceGroup<'_>, sent: &SentPiece<'_>) {
        group.add_to(&mut self.usage, sent);
        if self.noted != Some(group.nth) {
            self.noted = Some(group.nth);
            self.calls.extend(group.calls());
        }
        match self.last.0.cmp(&group.last_call) {
            std::cmp::Ordering::Less => self.last = (group.last_call, sent.piece.tokens),
            std::cmp::Ordering::Equal => self.last.1 += sent.piece.tokens,
            std::cmp::Ordering::Greater => {}
        }
    }

    /// Tokens in the last call, and what all calls come to.
    fn totals(mut self) -> (u32, UseTotals) {
        self.usage.set_calls(&[&CallSet::of(self.calls), &CallSet::default()]);
        (self.last.1, self.usage)
    }
}

/// Sources in the order in which they were first sent.
#[derive(Default)]
pub(super) struct Sums<'l> {
    all: Vec<((&'l Origin, Kind), Sum)>,
    places: HashMap<(&'l Origin, Kind), usize>,
}

impl<'l> Sums<'l> {
    pub(super) fn add(&mut self, group: &PieceGroup<'_>, sent: &SentPiece<'l>) {
        let key = (&sent.piece.origin, sent.piece.kind);
        let place = *self.places.entry(key).or_insert(self.all.len());
        if place == self.all.len() {
            self.all.push((key, Sum::default()));
        }
        self.all[place].1.add(group, sent);
    }

    pub(super) fn finish(self) -> impl Iterator<Item = SourceUse> {
        self.all.into_iter().map(|((origin, kind), sum)| {
            let (tokens, usage) = sum.totals();
            SourceUse { origin: origin.clone(), kind, tokens, usage }
        })
    }
}

/// What everything with one key cost, while it is summed up.
pub(super) struct PricedSum {
    sum: Sum,
    cost: Option<PicoDollars>,
}

impl Default for PricedSum {
    fn default() -> Self {
        Self { sum: Sum::default(), cost: Some(0) }
    }
}

impl PricedSum {
    pub(super) fn add(&mut self, group: &PieceGroup<'_>, rates: Option<&Rates>, sent: &SentPiece<'_>) {
        self.sum.add(group, sent);
        self.cost = self.cost.zip(rates.map(|rates| rates.of(group, sent))).map(|(sum, more)| sum + more);
    }

    pub(super) fn finish(self) -> LedgerSum {
        let (tokens, usage) = self.sum.totals();
        LedgerSum { tokens, usage, cost_usd: self.cost.map(dollars) }
    }
}
