//! Scenarios: an app, what its models and tools answer, and what the user does, with what google-adk made of it
//! (`tests/conformance/runtime/FORMAT.md`). They are run on `strata-runtime` with a clock that jumps.

mod app;
mod behaviour;
mod compare;
mod content;
mod host;
mod journal;
mod node;
mod script;
mod scripted;
mod services;
mod shown;
mod time;
mod told;
mod tool;
mod turn;
mod value;

use std::sync::Arc;

use strata_model::{Json, Object};
use strata_runtime::{Failure as RunFailure, Host, Program, Runner};

use crate::Failure;
use scripted::Scripted;
use services::ScenarioServices;
use time::VirtualTime;

pub use told::{Told, told};

/// Whether a run does what the scenario says google-adk did.
pub fn check(scenario: &Json) -> Result<(), Failure> {
    let expected = scenario.get("expect").ok_or_else(|| vec!["the scenario expects nothing".to_owned()])?;
    crate::into_result(compare::differences(expected, &run(scenario)))
}

/// The `expect` of a scenario, from what google-adk answered: ids by their order of appearance.
pub fn expectation(answer: &Json) -> Json {
    compare::renamed(answer)
}

/// Runs a scenario, and tells what happened as its `expect` does.
pub fn run(scenario: &Json) -> Json {
    let program = match build(scenario) {
        Ok(program) => program,
        Err(failure) => return refused(&failure),
    };
    let Ran { turns, host, kept } = Ran::of(scenario, program);
    shown::result(&turns, &host.journal, &kept)
}

/// A scenario that was run.
struct Ran {
    turns: Vec<turn::Outcome>,
    host: Arc<Scripted>,
    kept: ScenarioServices,
}

impl Ran {
    fn of(scenario: &Json, program: Program) -> Self {
        let time = VirtualTime::default();
        let kept = ScenarioServices::default();
        let host = Arc::new(Scripted::new(scenario, Arc::new(program), time.clone()));
        let services = kept.services(scenario);
        let runner = Runner::new(host.program.clone(), host_of(&host), services);
        let is_creating = value::flag(scenario.get("services"), "auto_create_session");
        let runner = if is_creating { runner.creating_sessions() } else { runner };
        let turns = time.run(async {
            kept.prepare(scenario).await;
            turn::run_all(scenario, &runner, &host, &kept).await
        });
        Self { turns, host, kept }
    }
}

fn build(scenario: &Json) -> Result<Program, RunFailure> {
    let app = app::read(scenario);
    Program::with_library(app.app, &app.library)
}

fn host_of(scripted: &Arc<Scripted>) -> Host {
    Host {
        clock: Arc::new(scripted.time.clone()),
        chance: scripted.clone(),
        models: scripted.clone(),
        code: scripted.clone(),
        gate: Arc::new(strata_runtime::OpenGate),
    }
}

/// What there is to tell of an app that cannot be built.
fn refused(failure: &RunFailure) -> Json {
    let mut result = Object::new();
    result.push("build_error", shown::error(failure));
    result.push("turns", Vec::new());
    result.push("requests", Vec::new());
    result.push("state", Object::from_iter([("session", Object::new())]));
    result.into()
}
