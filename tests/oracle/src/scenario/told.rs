//! What the events of a scenario's session tell of the requests that its models were sent.

use std::sync::Arc;

use strata_engine::{Compilation, Experiment, FlowKind, StageCache};
use strata_model::{Gap, Json};
use strata_runtime::Program;

use super::{Ran, app, services};

/// The requests of a run, beside those that are compiled from the session that is left of it.
#[derive(Debug)]
pub struct Told {
    pub n_sent: usize,
    /// Compiled, and sent otherwise or not at all.
    pub n_wrong: usize,
    /// Of these, those of which it is said what they lack, or that they may not have been sent.
    pub n_said: usize,
    /// Compiled as it was sent, and said to lack what a node was given.
    pub n_doubted: usize,
    /// Sent, and not compiled like this or at all.
    pub n_missing: usize,
}

/// Runs a scenario and compiles the calls of its session from the events alone. `None` where there is no session.
pub fn told(scenario: &Json) -> Option<Told> {
    let read = app::read(scenario);
    let configured = read.app.clone();
    let Ran { host, kept, .. } = Ran::of(scenario, Program::with_library(read.app, &read.library).ok()?);
    let key = services::key(scenario, None, None);
    let session = futures_util::FutureExt::now_or_never(kept.session(&key))??;
    let part = |entry: &Json, name: &str| entry.get(name).cloned().unwrap_or_default();
    let requests = host.journal.entries().requests;
    let mut left: Vec<(Json, Json)> =
        requests.iter().map(|entry| (part(entry, "agent"), part(entry, "request"))).collect();
    let mut told = Told { n_sent: left.len(), n_wrong: 0, n_said: 0, n_doubted: 0, n_missing: 0 };
    let experiment = Experiment::new(Arc::new(session), configured, FlowKind::Adk);
    let mut cache = StageCache::new();
    for call in experiment.calls() {
        let Some(compiled) = experiment.compile(call, &mut cache) else {
            // Its agent is in no configuration, which is said where the request would stand.
            told.n_wrong += 1;
            told.n_said += 1;
            continue;
        };
        let gaps = compiled.gaps();
        let is_said = !gaps.is_empty() || call.certainty.said().is_some() || has_unknown_values(&compiled);
        let compiled = (Json::from(call.invocation.agent.clone()), compiled.working_context().to_json());
        match left.iter().position(|sent| *sent == compiled) {
            Some(at) => {
                left.remove(at);
                told.n_doubted += usize::from(gaps.contains(&Gap::NodeInput));
            }
            None => {
                told.n_wrong += 1;
                told.n_said += usize::from(is_said);
            }
        }
    }
    told.n_missing = left.len();
    Some(told)
}

fn has_unknown_values(compiled: &Compilation) -> bool {
    let mut said = compiled.stages.iter().flat_map(|stage| &stage.output.diagnostics);
    said.any(|said| said.code == "value-not-recorded")
}
