//! One of two sessions that are compared.

use strata_engine::Experiment;

use crate::analysis::{BilledCalls, CallBill};

/// A session and what its calls come to.
#[derive(Clone, Copy)]
pub struct ComparedSession<'s> {
    pub experiment: &'s Experiment,
    pub billed: BilledCalls<'s>,
}

/// What the provider counted beyond our count; negative where we count too much.
pub(super) fn residual(bill: &CallBill) -> i64 {
    i64::from(bill.prompt_tokens) - i64::from(bill.counted.tokens)
}
