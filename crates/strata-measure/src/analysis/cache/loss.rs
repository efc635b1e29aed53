//! What a call could have found and did not, and why.

use strata_model::{AgentField, Origin, Str};
use strata_wire::Machine;

use super::simulate::Prediction;
use super::timeline::Timeline;
use crate::analysis::blame::{Cause, Link};
use crate::analysis::call::CallAnalysis;
use crate::prices::Price;

/// Why less of a prompt is found than the one before it in its lineage held.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// The call whose prompt could have been found.
    pub against: u32,
    pub cause: Cause,
    /// Where the common prefix ends, in tokens of the later prompt.
    pub at_token: u32,
    /// The segment in which the first difference stands; empty where the prompts do not differ.
    pub path: String,
    pub stage: Option<Str>,
    pub origin: Option<Origin>,
    pub chain: Vec<Link>,
    /// Tokens that are paid in full and could have been cached.
    pub tokens: u32,
    /// What that cost more, in US dollars. `None` without a price.
    pub cost_usd: Option<f64>,
}

pub(super) struct Losses<'l> {
    pub calls: &'l [CallAnalysis],
    pub predictions: &'l [Prediction],
    pub timeline: &'l Timeline<'l>,
}

impl Losses<'_> {
    /// `None` where all was found that could be, or nothing came before.
    pub(super) fn of(&self, at: usize, price: Option<&Price>) -> Option<Loss> {
        let mut loss = match self.calls[at].previous {
            Some(previous) => self.of_lineage(at, previous as usize - 1)?,
            None => self.of_model_change(at)?,
        };
        let rates = price.map(|price| price.rates_for(self.calls[at].total.tokens.into()));
        loss.cost_usd = rates.map(|rates| {
            let fresh = match self.timeline.rules[at].machine {
                Machine::Breakpoints { .. } => rates.cache_write.unwrap_or(rates.input),
                _ => rates.input,
            };
            f64::from(loss.tokens) * (fresh - rates.cached_read) / 1e6
        });
        Some(loss)
    }

    fn of_lineage(&self, at: usize, before: usize) -> Option<Loss> {
        let (call, previous) = (&self.calls[at], &self.calls[before]);
        let (rule, prediction) = (self.timeline.rules[at], &self.predictions[at]);
        // A shorter prompt, as after a compaction, cannot lose more than it is long.
        let held = rule.usable_tokens(previous.total.tokens.min(call.total.tokens));
        let idle_s = (self.timeline.times[at] - self.timeline.times[before]).max(0.0);
        let lifetime_s = self.timeline.lifetimes[before].or(rule.lifetime_s);
        let is_expired = lifetime_s.is_some_and(|lifetime_s| idle_s > lifetime_s);
        let tokens = held.saturating_sub(prediction.expected);
        if let Some(found) = &call.prefix_break {
            return Some(Loss {
                against: previous.number,
                cause: found.cause.clone(),
                at_token: found.at_token,
                path: found.path.clone(),
                stage: found.stage.clone(),
                origin: found.origin.clone(),
                chain: found.chain.clone(),
                // What had expired is not lost by a difference.
                tokens: if is_expired { 0 } else { tokens },
                cost_usd: None,
            });
        }
        let without_difference = |cause: Cause, tokens: u32| Loss {
            against: previous.number,
            cause,
            at_token: prediction.expected,
            path: String::new(),
            stage: None,
            origin: None,
            chain: Vec::new(),
            tokens,
            cost_usd: None,
        };
        if held == 0 {
            let minimum_tokens = rule.minimum_tokens();
            let is_lost = prediction.expected == 0 && prediction.matched > 0;
            let cause = Cause::BelowMinimum { minimum_tokens };
            return is_lost.then(|| without_difference(cause, previous.total.tokens.min(call.total.tokens)));
        }
        // The last token is always computed, and a prompt that is sent again as it was loses only that.
        if tokens <= 1 {
            return None;
        }
        let lifetime_s = lifetime_s.unwrap_or(0.0);
        let changed = &self.timeline.resets[at];
        let cause = match &rule.machine {
            _ if is_expired => Cause::Expired { idle_s: idle_s as u32, lifetime_s: lifetime_s as u32 },
            _ if !changed.is_empty() => Cause::Parameters { changed: changed.clone() },
            Machine::LcpSlot { .. } => Cause::Evicted,
            Machine::Breakpoints { lookback_blocks, .. } => {
                Cause::NoBreakpoint { lookback_blocks: *lookback_blocks }
            }
            Machine::AutoPrefix { .. } | Machine::Units { .. } => Cause::Unknown { origin: None },
        };
        let stage = matches!(cause, Cause::Parameters { .. }).then(|| self.setter(at));
        Some(Loss { stage, ..without_difference(cause, tokens) })
    }

    /// The stage that sets what changed: `basic`, but for what a planner sets.
    fn setter(&self, at: usize) -> Str {
        let changed = &self.timeline.resets[at];
        let fields = self.calls[at].request.config.iter();
        let is_planners = |origin: &Origin| {
            matches!(origin, Origin::Agent { field: AgentField::Planner, .. })
                || matches!(origin, Origin::Processor { name } if **name == *"nl_planning")
        };
        let mut of_planner = fields
            .filter(|field| changed.iter().any(|name| **name == *field.name) && is_planners(&field.origin));
        if of_planner.next().is_some() { "nl_planning".into() } else { "basic".into() }
    }

    /// The first call of a lineage, where the same agent asked another model before.
    fn of_model_change(&self, at: usize) -> Option<Loss> {
        let call = &self.calls[at];
        let agents = &self.timeline.agents;
        let before = (0..at)
            .rev()
            .find(|before| agents[*before] == agents[at] && self.is_of_one_branch(*before, at))?;
        let previous = &self.calls[before];
        let tokens = self.timeline.rules[at].usable_tokens(previous.total.tokens.min(call.total.tokens));
        let is_other = previous.sent_to != call.sent_to;
        is_other.then(|| Loss {
            against: previous.number,
            cause: Cause::Model { before: previous.sent_to.clone(), after: call.sent_to.clone() },
            at_token: 0,
            path: "request.model".to_owned(),
            stage: Some("basic".into()),
            origin: None,
            chain: Vec::new(),
            tokens: tokens.saturating_sub(self.predictions[at].expected),
            cost_usd: None,
        })
    }

    fn is_of_one_branch(&self, a: usize, b: usize) -> bool {
        self.timeline.branches[a] == self.timeline.branches[b]
    }
}
