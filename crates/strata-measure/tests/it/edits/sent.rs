//! Edits over requests that were really sent.

use std::sync::Arc;

use strata_engine::{Experiment, StageCache};
use strata_model::app::IncludeContents;
use strata_model::{
    Decoder, EventIndex, FromJson as _, LlmRequest, Origin, RecordedCall, RequestContent, RichText, json,
};
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

/// A callback of the app cuts a result and leaves the rest alone.
const TRIMMED: &str = r#"
    user: Which rows are there?
    reader: -> rows(n=4)
    tool: {"rows": [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}], "log": "four rows read"}
    reader: Four of them.
    user: And which is the first?
    reader: The first.
"#;

/// The calls of [`TRIMMED`] as a recorder saw them, with what the callback did to each request.
fn trimmed() -> Experiment {
    let app =
        app(r#"{"name": "desk", "root_agent": {"type": "llm", "name": "reader", "model": "gemini-2.5-flash",
            "instruction": "Read.", "before_model_callbacks": [{"type": "code", "name": "desk.trim"}]}}"#);
    let base = experiment_in(app, session(TRIMMED));
    let called = r#"{"parts": [{"functionCall": {"args": {"n": 4}, "name": "rows"}}], "role": "model"}"#;
    let cut = r#"{"parts": [{"functionResponse": {"name": "rows", "response": {"rows": [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]}}}], "role": "user"}"#;
    let calls: Vec<_> = base.calls().iter().map(|call| {
        let n_behind = call.number.saturating_sub(2) * 2;
        let splice = match call.number {
            1 => "null".to_owned(),
            // The call before the result comes back as it was.
            _ => format!(
                r#"{{"contents": {{"before": {}, "keep": 1, "end": {n_behind}, "add": [{called}, {cut}]}}}}"#,
                3 + n_behind
            ),
        };
        let stage = format!(r#"{{"kind": "callback", "name": "desk.trim", "position": 0, "changes": {splice}}}"#);
        let json = json::parse(format!(r#"{{"agent": "reader", "stages": [{stage}]}}"#).as_bytes());
        let recorded = RecordedCall::from_json(json.expect("JSON"), &mut Decoder::new());
        (call.answer, recorded.expect("a recorded call"))
    }).collect();
    let seen = base.with_recorded_calls(calls);
    let sent =
        compile_all(&seen, &mut StageCache::new()).into_iter().map(|request| request.expect("a request"));
    let answers: Vec<EventIndex> = seen.calls().iter().map(|call| call.answer).collect();
    // Something else went out with it, so that edits are made in what was sent and not in what is compiled.
    let sent = sent.map(|mut request| {
        let words = RichText::from_span("Mind the rules.", Origin::Run { field: "request".into() });
        request.contents.push(Arc::new(RequestContent::user_text(&words, words.spans()[0].origin.clone())));
        without_sources(request)
    });
    let sent: Vec<_> = answers.into_iter().zip(sent).collect();
    seen.with_requests(sent)
}

#[test]
fn what_is_added_stands_where_it_is_compiled() {
    let tool = r#"{"type": "function", "declaration": {"name": "save", "parameters": {"type": "OBJECT"}}}"#;
    let app = app(&format!(
        r#"{{"name": "desk", "root_agent": {{"type": "llm", "name": "writer", "model": "gemini-2.5-flash",
            "instruction": "Write.", "tools": [{tool}]}}}}"#
    ));
    let base = experiment_in(app, session("user: Write.\nwriter: Done.\n"));
    let schema = edits(
        r#"[{"edit": "set_output_schema", "agent": "writer",
             "schema": {"type": "object", "properties": {"status": {"type": "string"}}}}]"#,
    );
    let last = |experiment: &Experiment| {
        let edited = edited(experiment, &schema).experiment;
        compile_all(&edited, &mut StageCache::new()).pop().flatten().expect("a request").to_json()
    };
    let compiled = json::to_compact(&last(&base));
    assert_eq!(json::to_compact(&last(&recorded(&base))), compiled);
    // As pydantic writes it.
    assert!(
        compiled.contains(r#"{"additionalProperties":true,"title":"Response","type":"object"}"#),
        "{compiled}"
    );
}

/// The text of a call's contents under an edit, and what is said of the edit.
fn under(experiment: &Experiment, edit: &str) -> (String, Vec<String>) {
    let edited = edited(experiment, &edits(edit));
    let last = compile_all(&edited.experiment, &mut StageCache::new()).pop().flatten().expect("a request");
    let notes = edited.notes.into_iter().map(|note| note.message).collect();
    (json::to_compact(&last.contents.to_json()), notes)
}

#[test]
fn an_edit_of_an_event_holds_in_what_a_recorded_callback_passed_on() {
    let call = r#"{"functionCall": {"name": "rows", "args": {"n": 77}}}"#;
    let edit = format!(
        r#"[{{"edit": "edit_event", "event": 2, "content": {{"role": "model", "parts": [{call}]}}}}]"#
    );
    let (contents, notes) = under(&trimmed(), &edit);
    assert!(contents.contains(r#"{"args":{"n":77},"name":"rows"}"#), "{contents}");
    assert!(!contents.contains("four rows read"), "the result is cut as before: {contents}");
    assert_eq!(notes, [] as [&str; 0]);
}

#[test]
fn an_edit_of_what_a_recorded_callback_rewrote_is_said_not_to_reach_it() {
    let result = r#"{"functionResponse": {"id": "adk-1", "name": "rows", "response": {"rows": [{"a": 9}]}}}"#;
    let edit = format!(
        r#"[{{"edit": "pin_event", "event": 1}},
            {{"edit": "edit_event", "event": 3, "content": {{"role": "user", "parts": [{result}]}}}}]"#
    );
    let (contents, notes) = under(&trimmed(), &edit);
    assert!(contents.contains(r#"[{"a":1},{"a":2},{"a":3},{"a":4}]"#), "{contents}");
    let said = "callback:desk.trim wrote contents of C2 and 1 later call from E3 itself, and they stay as it was \
                recorded: the edit does not reach them.";
    assert_eq!(notes, [said]);
    let (contents, notes) = under(&trimmed(), r#"[{"edit": "drop_event", "event": 3}]"#);
    assert!(!contents.contains("functionResponse"), "{contents}");
    assert!(!notes.iter().any(|note| note.contains("desk.trim")), "{notes:?}");
}

#[test]
fn what_a_recorded_callback_rewrote_is_still_the_result() {
    let seen = trimmed();
    let last = |experiment: &Experiment| {
        compile_all(experiment, &mut StageCache::new()).pop().flatten().expect("a request")
    };
    let request = last(&seen);
    let result = &request.contents.get(2).expect("the result").parts[0];
    assert_eq!(
        *result.main_origin(),
        Origin::Rewritten { by: "desk.trim".into(), event: Some(EventIndex(2)), part: 0 }
    );
    assert!(!json::to_compact(&result.part.to_json()).contains("four rows read"));
    let called = &request.contents.get(1).expect("the call").parts[0];
    assert_eq!(*called.main_origin(), Origin::Event { event: EventIndex(1), part: 0 });

    let cap = edits(r#"[{"edit": "insert_processor", "use": "cap_rows", "params": {"max_rows": 1}}]"#);
    let capped = last(&edited(&seen, &cap).experiment);
    assert_eq!(
        json::to_compact(&capped.contents.to_json()),
        json::to_compact(&request.contents.to_json()).replace(
            r#"[{"a":1},{"a":2},{"a":3},{"a":4}]"#,
            r#"[{"a":1}],"_row_limits":{"rows":{"shown":1,"total":4}}"#
        )
    );
    let dropped = last(&edited(&seen, &edits(r#"[{"edit": "drop_event", "event": 3}]"#)).experiment);
    assert!(!json::to_compact(&dropped.contents.to_json()).contains("functionResponse"));
}
