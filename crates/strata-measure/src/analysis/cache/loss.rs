//! What a call could have found and did not, and why.

use strata_model::{AgentField, Origin, SharedList, Str};
use strata_wire::{CacheRule, Machine};

use super::bill::CallBill;
use super::reported::Comparison;
use super::simulate::Prediction;
use super::timeline::Timeline;
use crate::analysis::blame::{Cause, Link};
use crate::analysis::call::CallAnalysis;
use crate::analysis::difference::Difference;
use crate::analysis::matches::PromptMatches;
use crate::prices::Price;
use crate::tokens::Basis;

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
    /// Tokens that are paid in full and could have been cached: by the report where there is one, else as predicted.
    pub tokens: u32,
    /// Whether that is reported.
    pub is_reported: bool,
    /// The same as it is predicted.
    pub predicted_tokens: u32,
    /// What that cost more, in US dollars. `None` without a price.
    pub cost_usd: Option<f64>,
}

pub(super) struct Losses<'l> {
    pub calls: &'l SharedList<CallAnalysis>,
    /// What a call is predicted to find and what it comes to, in the provider's tokens, as all sizes here.
    pub found: &'l dyn Fn(usize) -> (&'l Prediction, &'l CallBill),
    /// As they are measured: sizes are of what later calls can find of them, which a report may say is less than was sent.
    pub prompts: &'l [PromptMatches],
    pub timeline: &'l Timeline,
    /// Why less of each call was found than was predicted of it, when it was recorded: of an edited one, less will be
    /// again.
    pub missed_before: &'l dyn Fn(usize) -> Option<Difference>,
}

impl Losses<'_> {
    /// `None` where all was found that could be, or nothing came before. `found` is what the provider reported, and how
    /// that differs from the prediction.
    pub(super) fn of(&self, at: usize, price: Option<&Price>, found: Option<&Comparison>) -> Option<Loss> {
        if self.calls[at].is_unpaid {
            return None;
        }
        let predicted = match self.calls[at].previous {
            Some(previous) => self.of_lineage(at, previous as usize - 1),
            None => self.of_model_change(at),
        };
        let mut loss = match found {
            Some(found) if !found.difference.is_some_and(Difference::is_of_all) => {
                self.reported(at, predicted, found)?
            }
            _ => predicted?,
        };
        let bill = self.bill(at);
        loss.cost_usd = price.map(|price| bill.cost_at(price, 0) - bill.cost_at(price, loss.tokens));
        Some(loss)
    }

    /// What the report says of a call: a loss that was predicted and did not come true is none, one that was not
    /// predicted is one.
    fn reported(&self, at: usize, predicted: Option<Loss>, found: &Comparison) -> Option<Loss> {
        let of_lineage = self.calls[at].previous;
        let previous = predicted.as_ref().map(|loss| loss.against).or(of_lineage)?;
        let (rule, bill) = (&self.timeline.rules[at], self.bill(at));
        // Of another model nothing is kept that this one could find.
        let kept_before = of_lineage.and_then(|_| (self.found)(at).0.kept_before);
        let stored = kept_before.unwrap_or(self.prompts[previous as usize - 1].tokens);
        // What was sent before has a size of ours alone, where nothing is reported of it.
        let is_counted = (self.found)(previous as usize - 1).1.basis != Basis::Reported;
        let tolerance = tolerance(rule, bill) * if is_counted { COUNTED_OFF } else { 1 };
        let could_be = rule.usable_tokens(stored.min(bill.prompt_tokens));
        let tokens = could_be.saturating_sub(found.reported);
        if tokens <= tolerance {
            // A prompt that is too short finds nothing at all.
            let is_too_short =
                |loss: &Loss| matches!(loss.cause, Cause::BelowMinimum { .. }) && found.reported == 0;
            return predicted.filter(is_too_short);
        }
        let predicted_tokens = predicted.as_ref().map_or(0, |loss| loss.tokens);
        // What was predicted explains a report that is near it, or the greater part of what was lost. A summary takes the
        // place of all that was said, wherever that began.
        let is_summary = |loss: &Loss| matches!(loss.cause, Cause::Compacted { .. });
        let is_head = found.difference == Some(Difference::HeadOnly);
        let explains = |loss: &Loss| {
            found.difference.is_none()
                || loss.tokens.saturating_mul(2) >= tokens
                || (is_head && is_summary(loss))
        };
        let changed = &self.timeline.resets[at];
        let loss = match (predicted.filter(explains), found.difference) {
            (Some(loss), _) => loss,
            (None, Some(_)) if !changed.is_empty() => {
                let cause = Cause::Parameters { changed: changed.clone() };
                let stage = Some(self.setter(at));
                Loss { stage, ..without_difference(previous, cause, found.reported, tokens) }
            }
            (None, Some(why)) => without_difference(previous, Cause::Missed { why }, found.reported, tokens),
            (None, None) => return None,
        };
        // What was found ends there, unless the prompts themselves part somewhere.
        let is_at_head = is_head && is_summary(&loss);
        let at_token = if loss.path.is_empty() || is_at_head { found.reported } else { loss.at_token };
        Some(Loss { tokens, at_token, is_reported: true, predicted_tokens, ..loss })
    }

    fn of_lineage(&self, at: usize, before: usize) -> Option<Loss> {
        let (call, previous) = (&self.calls[at], &self.calls[before]);
        let (rule, prediction) = (&self.timeline.rules[at], (self.found)(at).0);
        // A shorter prompt, as after a compaction, cannot lose more than it is long.
        let (size_before, size) = (self.prompts[before].tokens, self.bill(at).prompt_tokens);
        let held = rule.usable_tokens(prediction.kept_before.unwrap_or(size_before).min(size));
        let idle_s = (self.timeline.times[at] - self.timeline.times[before]).max(0.0);
        let lifetime_s = self.timeline.lifetimes[before].or(rule.lifetime_s);
        let is_expired = lifetime_s.is_some_and(|lifetime_s| idle_s > lifetime_s);
        // A prediction is corrected by what the provider is known to do, as the bill is; a report is looked at afterwards,
        // and one that says nothing of a cache corrects nothing.
        let bill = self.bill(at);
        let is_off = bill.cached_tokens.abs_diff(prediction.expected) > tolerance(rule, bill);
        // Where nothing is ever kept, nothing is lost, edited or not.
        let is_unused = (self.missed_before)(at).is_some_and(Difference::is_of_all);
        let is_corrected = !bill.is_cache_reported && !bill.is_cache_unsaid && is_off && !is_unused;
        let found = if is_corrected { bill.cached_tokens } else { prediction.expected };
        let tokens = held.saturating_sub(found);
        // Where marks are known, what changes behind the last that both have costs nothing.
        if prediction.kept_before.is_some_and(|kept| kept > 0) && tokens <= tolerance(rule, bill) {
            return None;
        }
        // What had expired is not lost by a difference.
        if let Some(found) = call.prefix_break.as_ref().filter(|_| !is_expired) {
            return Some(Loss {
                against: previous.number,
                cause: found.cause.clone(),
                at_token: bill.place_of(found.at_token),
                path: found.path.clone(),
                stage: found.stage.clone(),
                origin: found.origin.clone(),
                chain: found.chain.clone(),
                tokens,
                is_reported: false,
                predicted_tokens: tokens,
                cost_usd: None,
            });
        }
        let without_difference = |cause: Cause, tokens: u32| {
            without_difference(previous.number, cause, prediction.expected, tokens)
        };
        if held == 0 {
            let minimum_tokens = rule.minimum_tokens();
            let is_short = prediction.kept_before.is_none() || size_before.min(size) < minimum_tokens;
            let is_lost = prediction.expected == 0 && prediction.matched > 0 && is_short;
            let cause = Cause::BelowMinimum { minimum_tokens };
            return is_lost.then(|| without_difference(cause, size_before.min(size)));
        }
        // The last token is always computed, and a prompt that is sent again as it was loses only that.
        if tokens <= 1 {
            return None;
        }
        let lifetime_s = lifetime_s.unwrap_or(0.0);
        let changed = &self.timeline.resets[at];
        let n_blocks = call.matches.n_parts.saturating_sub(previous.matches.n_parts);
        let missed_before = (self.missed_before)(at).filter(|_| found < prediction.expected);
        let cause = match (&rule.machine, missed_before) {
            _ if is_expired => Cause::Expired {
                idle_s: idle_s as u32,
                lifetime_s: lifetime_s as u32,
                longest_s: rule
                    .longest_lifetime_s
                    .filter(|longest_s| *longest_s > lifetime_s)
                    .map(|longest_s| longest_s as u32),
            },
            _ if !changed.is_empty() => Cause::Parameters { changed: changed.clone() },
            (_, Some(why)) => Cause::Missed { why },
            (Machine::LcpSlot { .. }, None) => Cause::Evicted,
            (Machine::Breakpoints { lookback_blocks, .. }, None) if n_blocks > *lookback_blocks => {
                Cause::NoBreakpoint { n_blocks, lookback_blocks: *lookback_blocks }
            }
            (Machine::Breakpoints { .. } | Machine::AutoPrefix { .. } | Machine::Units { .. }, None) => {
                Cause::Unknown { origin: None }
            }
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
        let mut of_planner = fields.filter(|field| {
            changed.iter().any(|setting| *setting.name == *field.name) && is_planners(&field.origin)
        });
        if of_planner.next().is_some() { "nl_planning".into() } else { "basic".into() }
    }

    /// The first call of a lineage, where the same agent asked another model before.
    fn of_model_change(&self, at: usize) -> Option<Loss> {
        let call = &self.calls[at];
        let agents = &self.timeline.agents;
        let before = (0..at).rev().find(|before| {
            !self.calls[*before].is_unpaid
                && agents[*before] == agents[at]
                && self.is_of_one_branch(*before, at)
        })?;
        let previous = &self.calls[before];
        let sizes = (self.bill(before).prompt_tokens, self.bill(at).prompt_tokens);
        let tokens = self.timeline.rules[at].usable_tokens(sizes.0.min(sizes.1));
        let tokens = tokens.saturating_sub((self.found)(at).0.expected);
        let is_other = previous.sent_to != call.sent_to;
        is_other.then(|| Loss {
            against: previous.number,
            cause: Cause::Model {
                before: previous.sent_to.clone(),
                after: call.sent_to.clone(),
                staying_micros: None,
            },
            at_token: 0,
            path: "request.model".to_owned(),
            stage: Some("basic".into()),
            origin: None,
            chain: Vec::new(),
            tokens,
            is_reported: false,
            predicted_tokens: tokens,
            cost_usd: None,
        })
    }

    fn bill(&self, at: usize) -> &CallBill {
        (self.found)(at).1
    }

    fn is_of_one_branch(&self, a: usize, b: usize) -> bool {
        self.timeline.branches[a] == self.timeline.branches[b]
    }
}

/// How much more a size of ours may be off than one that was reported.
const COUNTED_OFF: u32 = 3;

/// Tokens by which a prediction may be off without a reason: caches go by blocks, and counts of parts are not exact.
fn tolerance(rule: &CacheRule, bill: &CallBill) -> u32 {
    rule.block_tokens().max(bill.prompt_tokens / 100).max(16)
}

/// A loss though the prompts do not differ.
fn without_difference(against: u32, cause: Cause, at_token: u32, tokens: u32) -> Loss {
    Loss {
        against,
        cause,
        at_token,
        path: String::new(),
        stage: None,
        origin: None,
        chain: Vec::new(),
        tokens,
        is_reported: false,
        predicted_tokens: tokens,
        cost_usd: None,
    }
}
