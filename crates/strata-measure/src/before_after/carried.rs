//! What the prompts of aligned calls carry, by its source and by the agent that carries it.

use std::collections::BTreeMap;

use strata_model::{Origin, Str};

use super::align::Alignment;
use super::call_costs::PairCost;
use super::cause::{Amount, CauseKind, Causes, Place, Side, Subject};
use super::compared::ComparedSession;
use super::places::{AgentCalls, CallSums};
use super::source::{SaidParts, Source, head_texts};
use super::turns::AlignedTurns;
use crate::analysis::SessionAnalysis;

/// Tokens of one source that an agent's calls carry.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    /// Over all calls.
    tokens: u64,
    /// US dollars, at what a token costs in each of the calls on average.
    cost: f64,
    carriers: CallSums,
    /// Some of it is not as it was said.
    is_rewritten: bool,
}

/// What both sides carry of a source.
type Loads = [Load; 2];

/// What aligned calls carry.
pub(super) struct Carried<'s> {
    loads: BTreeMap<(Source, Str), Loads>,
    said: [SaidParts<'s>; 2],
    /// Both sides count the same text as as many tokens.
    is_counted_alike: bool,
}

impl<'s> Carried<'s> {
    pub(super) fn of(
        sides: [ComparedSession<'s>; 2],
        turns: &AlignedTurns,
        alignment: &Alignment,
        costs: &[PairCost],
    ) -> Self {
        let mut carried = Self {
            loads: BTreeMap::new(),
            said: Side::BOTH.map(|side| SaidParts::of(sides[side as usize].experiment, side, turns)),
            is_counted_alike: is_counted_alike(sides.map(|side| side.billed.analysis)),
        };
        for side in Side::BOTH {
            let calls = AgentCalls::of(side, alignment.pairs().zip(costs));
            carried.read(side, sides[side as usize].billed.analysis, &calls);
        }
        carried
    }

    fn read(&mut self, side: Side, analysis: &SessionAnalysis, calls: &AgentCalls) {
        for group in analysis.ledger().sent() {
            let carriers = calls.within(&group.runs);
            if carriers.is_empty() {
                continue;
            }
            let is_head = group.pieces.first().is_some_and(|piece| piece.content.is_none());
            let first = group.runs.first().and_then(|run| analysis.call(run.first_call));
            let texts = first.filter(|_| is_head).map_or(Vec::new(), |call| head_texts(&call.request));
            for (at, sent) in group.pieces.iter().enumerate() {
                let said = &self.said[side as usize];
                let source = match texts.get(at) {
                    Some(text) => Source::Text { subject: said.subject(sent.piece), text: *text },
                    None => said.source(sent.piece),
                };
                let is_rewritten = matches!(sent.piece.origin, Origin::Rewritten { .. });
                for (agent, sums) in &carriers {
                    let key = (source.clone(), (*agent).clone());
                    let load = &mut self.loads.entry(key).or_default()[side as usize];
                    load.add(u64::from(sent.piece.tokens), *sums, is_rewritten);
                }
            }
        }
    }

    pub(super) fn add_to(&self, causes: &mut Causes) {
        for ((source, agent), loads) in &self.loads {
            let subject = source.subject();
            let [before, after] = loads;
            let first = |side: Side| loads[side as usize].carriers.first.map(|call| Place { side, call });
            let Some(place) = first(Side::After).or_else(|| first(Side::Before)) else { continue };
            let whole = Amount {
                tokens: difference(after.tokens, before.tokens),
                cost: after.cost - before.cost,
                ..Amount::default()
            };
            let more_often = more_often(loads);
            let rest = Amount {
                tokens: whole.tokens - more_often.tokens,
                cost: whole.cost - more_often.cost,
                ..whole
            };
            let history = Subject::named(CauseKind::History, agent);
            let counting = Subject::of(CauseKind::Counting);
            let texts = [0, 1].map(|side: usize| self.said[side].text(source));
            let is_rewritten = before.is_rewritten || after.is_rewritten;
            match (source, texts) {
                // Both sides say it: whoever carries it in more calls carries more history.
                (Source::Said { .. }, [Some(was), Some(now)]) => {
                    let is_counted_otherwise = was == now && !is_rewritten && !self.is_counted_alike;
                    causes.add(&history, more_often, place);
                    causes.add(if is_counted_otherwise { &counting } else { &subject }, rest, place);
                }
                (Source::Text { .. }, _)
                    if !self.is_counted_alike && before.tokens > 0 && after.tokens > 0 =>
                {
                    causes.add(&subject, more_often, place);
                    causes.add(&counting, rest, place);
                }
                _ => causes.add(&subject, whole, place),
            }
        }
    }
}

impl Load {
    /// A piece of so many tokens in some calls.
    fn add(&mut self, tokens: u64, carriers: CallSums, is_rewritten: bool) {
        self.tokens += tokens * carriers.calls;
        self.cost += tokens as f64 * carriers.per_token;
        self.carriers.calls += carriers.calls;
        self.carriers.per_token += carriers.per_token;
        self.carriers.first = [self.carriers.first, carriers.first].into_iter().flatten().min();
        self.is_rewritten |= is_rewritten;
    }

    /// Tokens a call. `None` where no call carries it.
    fn size(&self) -> Option<f64> {
        (self.carriers.calls > 0).then(|| self.tokens as f64 / self.carriers.calls as f64)
    }
}

/// What the later side has more because more of its calls carry the same, at the mean of both sizes.
fn more_often([before, after]: &Loads) -> Amount {
    let size = match (before.size(), after.size()) {
        (Some(was), Some(now)) => f64::midpoint(was, now),
        (was, now) => was.or(now).unwrap_or(0.0),
    };
    let calls = difference(after.carriers.calls, before.carriers.calls) as f64;
    // Halves are rounded away from zero, so that both directions say the same.
    let tokens = (calls * size).round() as i64;
    Amount {
        tokens,
        cost: (after.carriers.per_token - before.carriers.per_token) * size,
        ..Amount::default()
    }
}

fn difference(now: u64, was: u64) -> i64 {
    now as i64 - was as i64
}

/// Whether the same text is as many tokens on both sides: they ask the same models, and nothing that providers
/// reported of one tells otherwise.
fn is_counted_alike(sides: [&SessionAnalysis; 2]) -> bool {
    let models = |analysis: &SessionAnalysis| {
        let models = analysis.calls().iter().map(|call| call.model.clone());
        models.collect::<std::collections::BTreeSet<Str>>()
    };
    let [before, after] = sides;
    let is_same_fit = match (before.fits(), after.fits()) {
        (Some(was), Some(now)) => was.is_same(now),
        (was, now) => was.is_none() && now.is_none(),
    };
    is_same_fit && models(before) == models(after)
}

#[cfg(test)]
mod tests {
    use super::{CallSums, Load, more_often};

    fn load(tokens: u64, calls: u64) -> Load {
        let carriers = CallSums { calls, per_token: 0.0, first: Some(1) };
        Load { tokens, carriers, ..Load::default() }
    }

    #[test]
    fn what_is_carried_more_often_is_the_same_both_ways() {
        let (a, b) = (load(3, 1), load(20, 4));
        assert_eq!(more_often(&[a, b]).tokens, 12);
        assert_eq!(more_often(&[b, a]).tokens, -12);
        assert_eq!(more_often(&[a, load(0, 0)]).tokens, -3);
    }
}
