//! Two recordings of one task, before and after something was changed: what they come to, and what makes the
//! difference.
//!
//! 1. Turns are aligned by what the user says; calls by turn and agent, and by their order within: [`AlignedCalls`].
//! 2. Where both sides have a call, its prompts are compared by what they carry; a call that only one side has is a
//!    cause by itself.
//! 3. What a call costs is taken apart into its tokens, the share of them that a cache gave, and what a token costs.
//!
//! The causes add up to the difference of the bills, in tokens of prompts, tokens read from a cache, tokens of answers
//! and dollars; and they are the same with the sign turned when the sides are.

mod align;
mod call_costs;
mod carried;
mod cause;
mod compared;
mod composition;
mod places;
mod promise;
mod source;
mod turns;

use crate::analysis::{BillTotals, CallBill, CallCache};
use crate::prices::Prices;
use crate::tokens::Basis;

pub use align::AlignedCalls;
pub use cause::{BrokenPrefix, Cause, CauseKind, Place, Ranking, Side};
pub use compared::ComparedSession;
pub use composition::{AgentComposition, CarriedPart, Composition, GrownPart};
pub use promise::Promise;

use align::Alignment;
use call_costs::PairCost;
use carried::Carried;
use cause::{Amount, Causes, Subject};
use compared::residual;
use turns::AlignedTurns;

/// What two sessions come to, and why not to the same.
#[derive(Debug, Clone, PartialEq)]
pub struct BeforeAfter {
    pub before: BillTotals,
    pub after: BillTotals,
    /// All calls but those that are held, in the order of their turns.
    pub calls: Vec<AlignedCalls>,
    /// The greatest first, by tokens of prompts.
    pub causes: Vec<Cause>,
}

impl BeforeAfter {
    pub fn of(before: ComparedSession<'_>, after: ComparedSession<'_>, prices: &Prices) -> Self {
        let sides = [before, after];
        let turns = AlignedTurns::of(sides.map(|side| side.experiment));
        let alignment = Alignment::of(sides, &turns);
        let totals = sides.map(|side| side.billed.caches.bill());
        let is_priced = totals.iter().all(|bill| bill.cost.is_some() || bill.calls == 0);
        let mut causes = Causes::default();
        let costs: Vec<PairCost> = alignment.pairs().map(|pair| PairCost::of(sides, pair, prices)).collect();
        for (calls, cost) in alignment.pairs().zip(&costs) {
            compare_pair(sides, calls, cost, &mut causes);
        }
        for side in Side::BOTH {
            for alone in alignment.alone(side) {
                add_alone(sides[side as usize], side, &alone, &mut causes);
            }
        }
        Carried::of(sides, &turns, &alignment, &costs).add_to(&mut causes);
        let causes = causes.finish(is_priced, |kind| basis(kind, &totals));
        let [before, after] = totals;
        Self { before, after, calls: alignment.into_calls(), causes }
    }

    /// The causes with the greatest first.
    pub fn ranked(&self, by: Ranking) -> Vec<&Cause> {
        let mut causes: Vec<&Cause> = self.causes.iter().collect();
        if by == Ranking::Cost {
            let dollars = |cause: &Cause| cause.cost_usd.unwrap_or(0.0).abs();
            causes.sort_by(|a, b| dollars(b).total_cmp(&dollars(a)));
        }
        causes
    }
}

/// What differs between two calls beside what their prompts carry.
fn compare_pair(sides: [ComparedSession<'_>; 2], calls: &AlignedCalls, cost: &PairCost, causes: &mut Causes) {
    let (Some(before), Some(after)) = (calls.before, calls.after) else { return };
    let place = Place { side: Side::After, call: after };
    let billed = |side: Side| sides[side as usize].billed;
    let cache = |side: Side, call: u32| billed(side).caches.call(call);
    let (Some(was), Some(now)) = (cache(Side::Before, before), cache(Side::After, after)) else { return };
    let overhead =
        |side: Side, call: u32| billed(side).analysis.call(call).map_or(0, |call| i64::from(call.overhead));
    let framing = overhead(Side::After, after) - overhead(Side::Before, before);
    let (was_bill, now_bill) = (&was.bill, &now.bill);
    let tokens = |tokens: i64| Amount { tokens, cost: tokens as f64 * cost.per_token, ..Amount::default() };
    causes.add(&Subject::of(CauseKind::Framing), tokens(framing), place);
    causes.add(&Subject::of(CauseKind::Hidden), tokens(residual(now_bill) - residual(was_bill)), place);

    let agent = |kind| Subject::named(kind, &calls.agent);
    let cached_tokens = i64::from(now_bill.cached_tokens) - i64::from(was_bill.cached_tokens);
    let cached = Amount { cached_tokens, cost: cost.cache, ..Amount::default() };
    causes.add(&agent(CauseKind::Cache), cached, place);
    for (side, call) in [(Side::Before, was), (Side::After, now)] {
        if let Some(broken) = broken(side, call) {
            causes.add_break(&agent(CauseKind::Cache), broken);
        }
    }
    let output = |bill: &CallBill| i64::from(bill.output_tokens.unwrap_or(0));
    let output_tokens = output(now_bill) - output(was_bill);
    let answers = Amount { output_tokens, cost: cost.output, ..Amount::default() };
    causes.add(&agent(CauseKind::Output), answers, place);
    causes.add(&cost.price_subject, Amount { cost: cost.price, ..Amount::default() }, place);
    causes.add(&agent(CauseKind::Unpaid), Amount { cost: cost.unpaid, ..Amount::default() }, place);
}

/// A call that the other side has not.
fn add_alone(session: ComparedSession<'_>, side: Side, alone: &align::Alone, causes: &mut Causes) {
    let Some(call) = session.billed.caches.call(alone.call) else { return };
    let bill = &call.bill;
    let amount = Amount {
        calls: 1,
        tokens: i64::from(bill.prompt_tokens),
        cached_tokens: i64::from(bill.cached_tokens),
        output_tokens: i64::from(bill.output_tokens.unwrap_or(0)),
        cost: bill.cost_usd().unwrap_or(0.0),
    };
    causes.add(&alone.subject, amount.signed(side), Place { side, call: alone.call });
}

fn broken(side: Side, call: &CallCache) -> Option<BrokenPrefix> {
    let loss = call.broken()?;
    Some(BrokenPrefix {
        place: Place { side, call: call.call },
        tokens: loss.tokens,
        cost_usd: loss.cost_usd,
    })
}

/// What an amount of a cause rests on: the weaker of both sides.
fn basis(kind: CauseKind, totals: &[BillTotals; 2]) -> Basis {
    let weakest = |of: fn(&BillTotals) -> Basis| of(&totals[0]).max(of(&totals[1]));
    match kind {
        CauseKind::Turns | CauseKind::Calls | CauseKind::Price | CauseKind::Unpaid => {
            weakest(|bill| bill.basis)
        }
        CauseKind::Output => Basis::Reported,
        CauseKind::Cache => weakest(|bill| {
            if bill.cache_reported_calls == bill.calls {
                Basis::Reported
            } else {
                bill.basis.max(Basis::Estimated)
            }
        }),
        CauseKind::Declarations
        | CauseKind::Instructions
        | CauseKind::Memory
        | CauseKind::Summaries
        | CauseKind::UserMessages
        | CauseKind::Answers
        | CauseKind::Thoughts
        | CauseKind::ToolCalls
        | CauseKind::Results
        | CauseKind::HandOff
        | CauseKind::History
        | CauseKind::Framing
        | CauseKind::Hidden
        | CauseKind::Counting => weakest(|bill| bill.counted_basis),
    }
}
