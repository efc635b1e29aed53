//! Edits over requests that were really sent.

use std::sync::Arc;

use strata_engine::{Experiment, StageCache};
use strata_model::app::IncludeContents;
use strata_model::{EventIndex, LlmRequest, Origin, RecordedCall};
use strata_testkit::{app, experiment_in, session};

use super::{compile_all, edited, edits, sample};

/// As somebody writes it down who knows nothing of where it is from.
fn without_sources(mut request: LlmRequest) -> LlmRequest {
    request.contents.rewrite(|_, content| {
        let parts = content.parts.iter();
        let parts = parts.map(|part| part.with_origin(Origin::Run { field: "request".into() }));
        Some(Arc::new(content.with_parts(parts.collect())))
    });
    request
}

/// The session with all of its requests, sent as they are compiled.
fn recorded(base: &Experiment) -> Experiment {
    let compiled = compile_all(base, &mut StageCache::new());
    let answers: Vec<EventIndex> = base.calls().iter().map(|call| call.answer).collect();
    let sent = answers.into_iter().zip(compiled);
    let sent = sent.filter_map(|(answer, request)| Some((answer, without_sources(request?))));
    Experiment::new(base.session().clone(), base.app().clone(), base.kind()).with_requests(sent)
}

/// What was sent as it is compiled is changed by edits as what is compiled.
#[track_caller]
fn check(base: &Experiment, recorded: &Experiment, text: &str) {
    let edits = edits(text);
    let compiled = compile_all(&edited(base, &edits).experiment, &mut StageCache::new());
    let sent = compile_all(&edited(recorded, &edits).experiment, &mut StageCache::new());
    assert!(!compiled.is_empty());
    for (at, (compiled, sent)) in compiled.iter().zip(&sent).enumerate() {
        let (Some(compiled), Some(sent)) = (compiled, sent) else { continue };
        let shape = strata_testkit::contents_shape;
        assert_eq!(shape(sent), shape(compiled), "C{} with {text}", at + 1);
    }
}

/// Agents that say and do the same in every turn.
const ROUNDS: &str = r#"
    user: How did it go?
    writer: -> save(id="a")
    tool: {"saved": "a"}
    writer: Stored.
    critic: Fine.
    user: How did it go?
    writer: -> save(id="a")
    tool: {"saved": "a"}
    writer: Stored.
    critic: Fine.
    user: Shorter.
    writer: Stored.
    critic: Fine.
"#;

fn rounds() -> Experiment {
    let app = app(
        r#"{"name": "rounds", "rootAgent": {"agentClass": "SequentialAgent", "name": "pipeline", "subAgents": [
            {"agentClass": "LlmAgent", "name": "writer", "model": "gemini-2.5-flash", "instruction": "Write."},
            {"agentClass": "LlmAgent", "name": "critic", "model": "gemini-2.5-flash", "instruction": "Judge."}]}}"#,
    );
    experiment_in(app, session(ROUNDS))
}

#[test]
fn what_other_agents_repeat_is_taken_out_each_time() {
    let base = rounds();
    check(
        &base,
        &recorded(&base),
        r#"[{"edit": "insert_processor", "use": "strip_agent_traffic", "params": {}}]"#,
    );
}

#[test]
fn an_edited_scope_counts_more_than_the_recorded_one() {
    let base = rounds();
    let whole = |call: &strata_engine::Call| {
        let call_of =
            RecordedCall { include_contents: Some(IncludeContents::Default), ..RecordedCall::default() };
        (call.answer, call_of)
    };
    let calls: Vec<_> = base.calls().iter().map(whole).collect();
    let seen = recorded(&base).with_recorded_calls(calls);
    let text = r#"[{"edit": "set_include_contents", "agent": "critic", "value": "none"}]"#;
    check(&base, &seen, text);
    let last = compile_all(&edited(&seen, &edits(text)).experiment, &mut StageCache::new()).pop();
    let last = last.flatten().expect("a request");
    assert!(last.contents.len() < 3, "{}", strata_testkit::contents_shape(&last));
}

#[test]
fn requests_of_the_sample_change_as_they_compile() {
    let base = sample();
    let recorded = recorded(&base);
    for text in [
        r#"[{"edit": "insert_processor", "use": "strip_agent_traffic", "params": {}}]"#,
        r#"[{"edit": "insert_processor", "use": "cap_rows", "params": {"max_rows": 2}}]"#,
        r#"[{"edit": "set_include_contents", "agent": "log_analyst", "value": "none"}]"#,
    ] {
        check(&base, &recorded, text);
    }
}
