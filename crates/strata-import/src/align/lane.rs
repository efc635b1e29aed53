//! The history of one agent, and how a request stands to it.

use std::collections::HashSet;

use strata_model::Str;

use super::unit::{Overlap, Unit, overlap};
use crate::exchange::Exchange;

/// An agent's own history.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// Who is told this.
    pub(super) agent: Option<Str>,
    /// Who its requests say that asks: of sub-agents, a client may name its main agent alone.
    pub(super) named: Option<Str>,
    pub(super) branch: Option<Str>,
    /// What the next request is expected to begin with.
    pub(super) units: Vec<Unit>,
    /// How many of them were in the last request; the rest is its answer.
    pub(super) n_requested: usize,
    /// How many were in the first request.
    pub(super) n_first: usize,
    pub(super) is_answered: bool,
    /// When the last request was sent and when it was answered, where of the answer no time of its own is recorded.
    pub(super) answered_behind: Option<(f64, f64)>,
    /// The event that waits for the answer to the last request, when that is not in the log: the next request may
    /// repeat it.
    pub(super) awaited: Option<usize>,
    /// The event of the last request's error, where it was answered by nothing else.
    pub(super) refused: Option<usize>,
    pub(super) answer_ids: HashSet<Str>,
    /// The ids of the calls in the last answer.
    pub(super) calls: Vec<Str>,
    /// Those of all answers.
    pub(super) all_calls: HashSet<Str>,
    pub(super) system: String,
}

/// How well a request continues a lane; the best is the greatest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The session is the same and nothing else is.
    Hinted,
    Rewritten(usize),
    /// It begins with all that was there, or asks the same again: so many units.
    Continued(usize),
    /// It is what comes next: all that was there, the answer too, and nothing behind it that a model said.
    Next {
        shared: usize,
        /// The last call in it was made here.
        is_own: bool,
    },
    /// The same, and it answers the very calls of the answer, by their ids. That may be in other words than it was given in.
    Answers(usize),
    /// It names the answer it follows.
    Named,
}

impl Lane {
    /// When what a request adds was said, which a coarse clock may put before the answer that it follows.
    pub(super) fn time_behind_answer(&self, sent: f64) -> f64 {
        match self.answered_behind {
            Some((asked, answered)) if asked <= sent => sent.max(answered),
            _ => sent,
        }
    }

    pub(super) fn fit(&self, exchange: &Exchange, units: &[Unit], has_key: bool) -> Option<Fit> {
        if exchange.continues.as_ref().is_some_and(|id| self.answer_ids.contains(id)) {
            return Some(Fit::Named);
        }
        if self.named.is_some() && exchange.about.agent.is_some() && self.named != exchange.about.agent {
            return None;
        }
        let overlap = overlap(&self.units, units);
        let n_common = overlap.shared + overlap.kept.len();
        if let Some(next) = self.next(exchange, units, overlap.shared) {
            return Some(next);
        }
        if overlap.shared == self.units.len() && overlap.shared > 0 {
            return Some(Fit::Continued(overlap.shared));
        }
        let is_echoed =
            overlap.shared >= self.n_requested && overlap.shared > 0 && units.len() > overlap.shared;
        // The same is asked again, in the middle of a conversation or because nothing came back. A first prompt that was
        // answered may as well begin another conversation.
        let is_repeated = overlap.shared == units.len()
            && overlap.shared == self.n_requested
            && (!self.is_answered || self.has_grown() || (has_key && units.iter().any(|unit| unit.is_model)));
        if is_echoed || is_repeated {
            return Some(Fit::Continued(overlap.shared));
        }
        if self.is_compacted(&overlap) {
            return Some(Fit::Rewritten(n_common));
        }
        // Where every message of the user has another time in it, the answers between them are left.
        let is_same = n_common >= 2
            && n_common * 2 + 1 >= units.len()
            && units.len() > overlap.shared
            && (has_key || self.has_said(&overlap));
        if is_same || (has_key && overlap.shared > 0) {
            return Some(Fit::Rewritten(n_common));
        }
        (has_key && self.agent == exchange.about.agent).then_some(Fit::Hinted)
    }

    /// Whether a request that shares so many units is what comes after the last answer.
    fn next(&self, exchange: &Exchange, units: &[Unit], shared: usize) -> Option<Fit> {
        if !self.is_answered || shared == 0 || shared < self.n_requested {
            return None;
        }
        let is_whole = shared == self.units.len();
        let behind = &units[shared..];
        let n_echoed = if is_whole { 0 } else { behind.iter().take_while(|unit| unit.is_model).count() };
        let new = &behind[n_echoed..];
        if new.is_empty() || new.iter().any(|unit| unit.is_model) {
            return None;
        }
        let mut ids = new.iter().filter_map(|unit| answered_id(exchange, unit));
        if ids.any(|id| self.calls.contains(id)) {
            return Some(Fit::Answers(shared));
        }
        let is_own = || {
            let mut ids = units[..shared].iter().rev().filter_map(|unit| call_id(exchange, unit));
            ids.next().is_some_and(|id| self.all_calls.contains(id))
        };
        is_whole.then(|| Fit::Next { shared, is_own: is_own() })
    }

    /// More was asked than what it began with.
    fn has_grown(&self) -> bool {
        self.n_requested > self.n_first
    }

    /// Something in common was said since the first request: clients may put the same words before every first prompt.
    fn has_said(&self, overlap: &Overlap) -> bool {
        overlap.shared > self.n_first || overlap.kept.iter().any(|(old, _)| *old >= self.n_first)
    }

    /// The request begins with the last answer, and what was before that is gone: the provider summarised it.
    pub(super) fn is_compacted(&self, overlap: &Overlap) -> bool {
        overlap.shared == 0
            && overlap.kept.first().is_some_and(|(old, new)| *new == 0 && *old >= self.n_requested)
    }
}

/// The id of the call that a part of a request answers.
fn answered_id<'e>(exchange: &'e Exchange, unit: &Unit) -> Option<&'e Str> {
    let part = unit.part_of(&exchange.turns);
    part.function_response.as_ref()?.id.as_ref()
}

/// The id of the call that a part of a request repeats.
fn call_id<'e>(exchange: &'e Exchange, unit: &Unit) -> Option<&'e Str> {
    let part = unit.part_of(&exchange.turns);
    part.function_call.as_ref()?.id.as_ref()
}
