//! Writes examples for `oracle.py`: a line of JSON for every call, with the request Strata has after each stage.

use std::process::ExitCode;

use strata_engine::turn::compaction::{Decision, after_invocation, token_threshold};
use strata_engine::{Backend, CompileContext, Memory, Outcome};
use strata_model::{FromJson as _, Json, Object, json};

use crate::example::Example;
use crate::page::{Case, Page};
use crate::show::scope;

const PATH: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/spec.jsonl");

pub(crate) fn export(pages: &[Page]) -> ExitCode {
    match lines(pages) {
        Ok(lines) => {
            std::fs::write(PATH, lines).expect("cargo keeps a folder for tests");
            println!("{PATH}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn lines(pages: &[Page]) -> Result<String, String> {
    let mut lines = String::new();
    for page in pages {
        for case in &page.cases {
            let named = |message| format!("{} › {}: {message}", page.name, case.heading);
            let entries = [calls(page, case).map_err(named)?, turns(page, case).map_err(named)?];
            for entry in entries.concat() {
                lines += &format!("{}\n", json::to_compact(&entry));
            }
        }
    }
    Ok(lines)
}

/// Every call with its stages.
fn calls(page: &Page, case: &Case) -> Result<Vec<Json>, String> {
    let example = Example::of(case)?;
    // The oracle is 2.13.
    if example.experiment.index().app().other_writer().is_some() {
        return Ok(Vec::new());
    }
    let calls = example.experiment.calls().iter().map(|call| {
        let compilation = example.compile(call)?;
        let mut out = example.in_context(call, |context| given(context, case, &example))?;
        out.push("name", format!("{} › {} C{}", page.name, case.heading, call.number));
        let stages = compilation.stages.iter().map(|stage| {
            let fields =
                [("processor", stage.processor.clone().into()), ("request", stage.request.to_json())];
            Json::Object(fields.into_iter().collect())
        });
        out.push("stages", stages.collect::<Vec<_>>());
        if let Outcome::Failed { processor, error } = &compilation.outcome {
            out.push("error", format!("{processor}: {}: {}", error.kind.python_name(), error.message));
        }
        if let Some(config) = &example.experiment.index().app().events_compaction_config {
            let decide =
                |context: &CompileContext<'_>| window(&token_threshold(context.events, config, scope(call)));
            out.push("window", example.in_context(call, decide)?);
        }
        Ok(Json::Object(out))
    });
    calls.collect()
}

/// What a compaction after each turn would summarise.
fn turns(page: &Page, case: &Case) -> Result<Vec<Json>, String> {
    let example = Example::of(case)?;
    let app = example.experiment.index().app();
    let Some(config) = &app.events_compaction_config else { return Ok(Vec::new()) };
    let mut turns = Vec::new();
    let mut turn = 1;
    while let Ok(events) = example.turn(turn) {
        let mut out = Object::new();
        out.push("name", format!("{} › {} turn {turn}", page.name, case.heading));
        out.push("turn", i64::from(turn));
        out.push("app", app.to_json());
        out.push("events", events.iter().map(|logged| logged.event.to_json()).collect::<Vec<_>>());
        out.push("window", window(&after_invocation(events, config)));
        turns.push(Json::Object(out));
        turn += 1;
    }
    Ok(turns)
}

/// The ids of the events a summariser would be given.
fn window(decision: &Decision<'_>) -> Json {
    let Some(window) = &decision.window else { return Json::Null };
    let seed = window.seed.map(|_| "seed".into());
    let events = window.events.iter().map(|logged| logged.event.id.clone().into());
    Json::Array(seed.into_iter().chain(events).collect())
}

fn given(context: &CompileContext<'_>, case: &Case, example: &Example) -> Object {
    let mut out = Object::new();
    out.push("app", context.index.app().to_json());
    out.push("events", context.events.iter().map(|logged| logged.event.to_json()).collect::<Vec<_>>());
    out.push("state", state(context, example));
    out.push("app_name", context.session.app_name);
    out.push("user_id", context.session.user_id);
    out.push("session_id", context.session.session_id);
    let invocation = context.invocation;
    out.push("agent", invocation.agent.clone());
    out.push("invocation_id", invocation.invocation_id.clone());
    out.push_some("branch", invocation.branch.clone());
    out.push_some("isolation_scope", invocation.isolation_scope.clone());
    out.push("node_path", invocation.node_path.as_str());
    out.push_some("user_content", invocation.user_content.as_ref().map(|content| content.to_json()));
    out.push_some("include_contents", invocation.include_contents.map(|setting| setting.to_json()));
    out.push("vertex", context.backend == Backend::Vertex);
    out.push_some("run", case.given("run").and_then(|text| json::parse(text.as_bytes()).ok()));
    out.push("artifacts", artifacts(context));
    let memory = match &context.services.memory {
        Some(Memory::Sessions(sessions)) => sessions.as_slice(),
        _ => &[],
    };
    out.push("memory", memory.iter().map(|session| session.to_json()).collect::<Vec<_>>());
    out
}

/// State at the call.
fn state(context: &CompileContext<'_>, example: &Example) -> Object {
    let mut state = Object::new();
    for key in example.experiment.states().keys() {
        if let Some(value) = context.state.get(key).known() {
            state.insert(key.clone(), value.clone());
        }
    }
    state
}

fn artifacts(context: &CompileContext<'_>) -> Object {
    let mut out = Object::new();
    if let Some(artifacts) = &context.services.artifacts {
        for name in artifacts.names() {
            out.push(name.clone(), artifacts.load(&name).map_or(Json::Null, |part| part.to_json()));
        }
    }
    out
}
