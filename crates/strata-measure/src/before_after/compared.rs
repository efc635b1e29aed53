//! One of two sessions that are compared.

use strata_engine::Experiment;

use crate::analysis::BilledCalls;

/// A session and what its calls come to.
#[derive(Clone, Copy)]
pub struct ComparedSession<'s> {
    pub experiment: &'s Experiment,
    pub billed: BilledCalls<'s>,
}
