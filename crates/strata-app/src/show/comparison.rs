//! Calls of two sides beside each other.

use strata_measure::analysis::{BilledCalls, CallAnalysis, CallCache};

use crate::api::experiment::ComparedCall;

/// A call and what it comes to.
type Paid<'c> = (&'c CallAnalysis, &'c CallCache);

/// The calls of both sides, each with what it comes to.
pub(crate) fn pairs<'m>(
    a: BilledCalls<'m>,
    b: BilledCalls<'m>,
) -> impl Iterator<Item = (Paid<'m>, Paid<'m>)> {
    let paid = |of: BilledCalls<'m>| of.analysis.calls().iter().zip(&of.caches.calls);
    paid(a).zip(paid(b))
}

pub(crate) fn compared(agent: String, (a, paid_a): Paid<'_>, (b, paid_b): Paid<'_>) -> ComparedCall {
    ComparedCall {
        call: a.number,
        agent,
        is_changed: !a.request.is_same_prompt(&b.request),
        tokens_a: paid_a.bill.prompt_tokens,
        tokens_b: paid_b.bill.prompt_tokens,
        cached_a: paid_a.bill.cached_tokens,
        cached_b: paid_b.bill.cached_tokens,
        cost_a_usd: paid_a.bill.cost_usd(),
        cost_b_usd: paid_b.bill.cost_usd(),
        breaks_a: paid_a.broken().is_some(),
        breaks_b: paid_b.broken().is_some(),
    }
}
