//! Experiments over recorded sessions: edits laid over them, undone, and laid over one another.

mod law;
mod sent;

use strata_engine::{Catalog, Edit, Edited, Experiment, StageCache};
use strata_measure::analysis::Counting;
use strata_model::LlmRequest;
use strata_testkit::{experiment_in, invoice_triage};

fn sample() -> Experiment {
    experiment_in(invoice_triage::app(), invoice_triage::session())
}

/// Edits as a file has them.
#[track_caller]
fn edits(text: &str) -> Vec<Edit> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn edited(base: &Experiment, edits: &[Edit]) -> Edited {
    strata_measure::edited(base, edits, &Catalog::new(), &Counting::default())
}

fn compile_all(experiment: &Experiment, cache: &mut StageCache) -> Vec<Option<LlmRequest>> {
    let compile = |call| experiment.compile(call, cache).map(|compiled| compiled.working_context());
    experiment.calls().iter().map(compile).collect()
}
