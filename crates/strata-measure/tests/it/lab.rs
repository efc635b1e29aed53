//! Compaction tried out: replays, sweeps, and what summaries lose.
#![expect(clippy::print_stdout, reason = "the figures of the loss report are what its test is run for")]

mod applied;
mod coverage;
mod planted;
mod regrets;
mod replays;
mod sweeps;

use strata_engine::Experiment;
use strata_measure::analysis::{CacheAnalysis, Counting, SessionAnalysis};
use strata_measure::lab::Lab;
use strata_measure::prices::Prices;
use strata_wire::CacheRules;

/// Prepares a session and shows it to `look`.
fn with_lab<T>(experiment: &Experiment, look: impl FnOnce(&Lab<'_>) -> T) -> T {
    let (counting, rules, prices) = (Counting::default(), CacheRules::embedded(), Prices::embedded());
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, &counting) {}
    let caches = CacheAnalysis::new(experiment, &analysis, &rules, &prices);
    look(&Lab::new(experiment, &analysis, &caches, &counting, &rules, &prices))
}
