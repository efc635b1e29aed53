//! Experiments: edits laid over recorded sessions.

mod events;
mod forms;
mod kinds;
mod misfits;
mod reuse;

use std::sync::Arc;

use strata_engine::{Catalog, Edit, Edited, Experiment, FlowKind};
use strata_model::{Json, json};
use strata_testkit::{contents_shape, experiment_in, invoice_triage, request};

fn sample() -> Experiment {
    experiment_in(invoice_triage::app(), invoice_triage::session())
}

/// Edits as a file has them.
#[track_caller]
fn edits(text: &str) -> Vec<Edit> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A session with edits that all fit.
#[track_caller]
fn edited(experiment: &Experiment, text: &str) -> Experiment {
    let Edited { experiment, notes } = experiment.lay(&edits(text), &Catalog::new()).finish();
    assert!(notes.is_empty(), "{notes:?}");
    experiment
}

/// The contents of the last call, a row a part.
#[track_caller]
fn last_contents(experiment: &Experiment) -> Vec<String> {
    let shape = contents_shape(&request(experiment, experiment.calls().len() as u32));
    shape.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// A transcript in an app of one agent with this instruction.
fn with_instruction(transcript: &str, instruction: &str) -> Experiment {
    let name = format!(
        r#"{{"name": "app", "root_agent": {{"type": "llm", "name": "bot", "model": "gemini-2.5-flash", "instruction": {}}}}}"#,
        json::to_compact(&Json::from(instruction))
    );
    let session = Arc::new(strata_testkit::session(transcript));
    Experiment::new(session, Arc::new(strata_testkit::app(&name)), FlowKind::Adk)
}
