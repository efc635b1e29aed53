//! What the sample session promises.

use std::path::Path;
use std::sync::Arc;

use strata_engine::turn::compaction::{Trigger, after_invocation};
use strata_engine::{
    Artifacts, Certainty, CompileContext, Experiment, FlowKind, Outcome, Services, StageCache, compile,
};
use strata_model::{App, Decoder, FromJson as _, Json, LlmRequest, Session, json};

use super::texts::answers;
use super::{REPORT, app, artifacts, files, session};
use crate::contents_shape;

fn experiment() -> Experiment {
    Experiment::new(Arc::new(session()), Arc::new(app()), FlowKind::Adk)
}

/// The working contexts of all calls.
fn requests(experiment: &Experiment) -> Vec<LlmRequest> {
    let mut cache = StageCache::new();
    let compile = |call| {
        let compilation = experiment.compile(call, &mut cache).expect("every agent is in the app");
        assert_eq!(compilation.outcome, Outcome::Request);
        compilation.working_context()
    };
    experiment.calls().iter().map(compile).collect()
}

#[test]
fn the_committed_files_are_what_is_generated() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in files() {
        let committed = std::fs::read_to_string(root.join(file.path)).unwrap_or_default();
        assert!(
            committed == file.text,
            "{} is not what the generator makes; run `cargo xtask gen` and commit the result",
            file.path
        );
    }
}

#[test]
fn what_is_generated_reads_back_without_a_finding() {
    let [session_file, app_file] = files();
    let mut decoder = Decoder::new();
    let read = Session::from_json(json::parse(session_file.text.as_bytes()).expect("JSON"), &mut decoder);
    assert_eq!(read, session());
    let read = App::from_json(json::parse(app_file.text.as_bytes()).expect("JSON"), &mut decoder);
    assert_eq!(read, Ok(app()));
    assert_eq!(decoder.into_diagnostics(), []);
}

#[test]
fn the_session_has_the_turns_calls_and_agents_of_the_script() {
    let experiment = experiment();
    assert_eq!(experiment.session().events.len(), 84);
    assert!(experiment.calls().iter().all(|call| call.certainty == Certainty::Sure));
    let mut spans: Vec<(u32, &str, u32, u32)> = Vec::new();
    for call in experiment.calls() {
        match spans.last_mut() {
            Some((turn, agent, _, last)) if (*turn, *agent) == (call.turn, &*call.invocation.agent) => {
                *last = call.number;
            }
            _ => spans.push((call.turn, &call.invocation.agent, call.number, call.number)),
        }
    }
    let (coordinator, analyst, writer) = ("coordinator", "log_analyst", "report_writer");
    assert_eq!(
        spans,
        [
            (1, coordinator, 1, 2),
            (1, analyst, 3, 5),
            (2, analyst, 6, 7),
            (3, analyst, 8, 10),
            (4, analyst, 11, 13),
            (5, analyst, 14, 15),
            (6, analyst, 16, 17),
            (7, analyst, 18, 18),
            (7, coordinator, 19, 19),
            (8, coordinator, 20, 20),
            (8, writer, 21, 22),
            (9, writer, 23, 23),
            (9, analyst, 24, 27),
            (10, analyst, 28, 29),
            (11, analyst, 30, 31),
            (12, analyst, 32, 34),
            (13, analyst, 35, 35),
            (13, writer, 36, 38),
            (14, writer, 39, 39),
            (14, coordinator, 40, 41),
        ]
    );
}

#[test]
fn compactions_are_where_adk_would_have_made_them() {
    let experiment = experiment();
    let config = app().events_compaction_config.expect("a configuration");
    let events = &experiment.session().events;
    let mut made = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let ends_turn = events.get(at + 1).is_none_or(|next| next.invocation_id != event.invocation_id);
        if event.is_compaction() || !ends_turn {
            continue;
        }
        let Some(window) = after_invocation(experiment.log().prefix(at + 1), &config).window else {
            continue;
        };
        assert_eq!(window.trigger, Trigger::SlidingWindow);
        let stored = events[at + 1].actions.compaction.as_ref().expect("the summary comes next");
        let (start, end) = window.span();
        assert_eq!((stored.start_timestamp, stored.end_timestamp), (Some(start), Some(end)));
        made.push(at + 2);
    }
    assert_eq!(made, [35, 70]);
}

/// Why a call does not continue the prefix of its agent's previous call.
#[derive(Debug, PartialEq)]
enum Break {
    Tools,
    SystemInstruction,
    /// From this content on.
    Contents(usize),
}

fn first_break(before: &LlmRequest, after: &LlmRequest) -> Option<Break> {
    let tools =
        |request: &LlmRequest| -> Vec<_> { request.tools.iter().map(|tool| tool.fingerprint()).collect() };
    let system = |request: &LlmRequest| request.system_instruction.as_ref().map(|text| text.to_text());
    let contents = |request: &LlmRequest| -> Vec<_> {
        request.contents.iter().map(|content| content.fingerprint).collect()
    };
    if tools(before) != tools(after) {
        return Some(Break::Tools);
    }
    if system(before) != system(after) {
        return Some(Break::SystemInstruction);
    }
    let (before, after) = (contents(before), contents(after));
    let common = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
    (common < before.len()).then_some(Break::Contents(common))
}

/// `(call, break)` of every call that has a predecessor and does not continue it.
fn breaks(experiment: &Experiment, requests: &[LlmRequest]) -> Vec<(u32, Break)> {
    let mut breaks = Vec::new();
    for (at, call) in experiment.calls().iter().enumerate() {
        let agent = &call.invocation.agent;
        let before = experiment.calls().range(0..at).rposition(|call| call.invocation.agent == *agent);
        if let Some(found) = before.and_then(|before| first_break(&requests[before], &requests[at])) {
            breaks.push((call.number, found));
        }
    }
    breaks
}

#[test]
fn two_breaks_are_avoidable_and_the_others_are_structural() {
    let experiment = experiment();
    let found = breaks(&experiment, &requests(&experiment));
    let (avoidable, structural): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(_, found)| !matches!(found, Break::Contents(_)));
    assert_eq!(avoidable, [(17, Break::SystemInstruction), (31, Break::SystemInstruction)]);
    for (call, _) in avoidable {
        assert_eq!(&*experiment.call(call).expect("a call").invocation.agent, "log_analyst");
    }
    assert_eq!(
        structural,
        [
            // The first summary replaced the history.
            (18, Break::Contents(0)),
            (19, Break::Contents(0)),
            // The writer sees the current turn only, and a new one began.
            (23, Break::Contents(0)),
            // The second summary stands behind the first.
            (35, Break::Contents(1)),
            (36, Break::Contents(0)),
            (39, Break::Contents(0)),
            (40, Break::Contents(1)),
        ]
    );
}

#[test]
fn hits_change_twice_between_calls_of_the_analyst() {
    let experiment = experiment();
    let hits = |call: u32| {
        let call = experiment.call(call).expect("a call");
        experiment.states().at(call.n_events()).get("hits").known().and_then(Json::as_i64)
    };
    assert_eq!([3, 16, 17, 30, 31, 35].map(hits), [41, 41, 2318, 2318, 2324, 2324].map(Some));
    let writers: Vec<_> = experiment.states().writes("hits").map(|(event, _)| event.number()).collect();
    assert_eq!(writers, [3, 33, 62]);
}

#[test]
fn the_writer_sees_the_current_turn_and_what_it_was_handed() {
    let experiment = experiment();
    insta::assert_snapshot!(contents_shape(&requests(&experiment)[20]), @r#"
    00 user   "Write the incident report."                        <- E40
    01 user   "For context: below is a transcript of what …"      <- contents
              "[coordinator] said: … | Facts for the report: …"   <- contents, E41
              "[coordinator] called … | {'agent_name': …"         <- contents, E41
    02 user   "For context: below is a transcript of what …"      <- contents
              "[coordinator] … | {'result': None}"                <- contents, E42
    "#);
}

#[test]
fn a_loaded_report_is_shown_once() {
    let experiment = experiment();
    let mut known = artifacts();
    // As of the call: the second report was not written yet.
    known[0].versions.truncate(2);
    let services = Services { artifacts: Some(Arc::new(Artifacts::new(known))), ..Services::default() };
    let shows_report = |number: u32| {
        let call = experiment.call(number).expect("a call");
        let context = experiment.context(call).expect("a known agent");
        let context = CompileContext { services: &services, ..context };
        let request = compile(experiment.flow(context.agent_id), &context, &mut StageCache::new());
        let last = request.working_context().contents.last().cloned().expect("contents");
        last.parts[0].part.text.as_deref() == Some(&*format!("Artifact {REPORT} is:"))
    };
    assert_eq!([36, 37, 38].map(shows_report), [false, true, false]);
}

#[test]
fn numbers_in_answers_are_in_the_results_before_them() {
    let session = session();
    let result = |number: usize| {
        let event = &session.events[number - 1];
        let response = event.function_responses().next().and_then(|response| response.response.clone());
        json::to_compact(&Json::Object(response.expect("a result").as_ref().clone()))
    };
    for (event, needles) in [
        (3, vec![r#""n_rows":41"#]),
        (7, vec![r#""n_rows":500"#, "09:14:02.917 bill-2", "line 218, in compute_total"]),
        (13, vec![r#""sum":1012"#, r#""sum":866"#, r#""build":"4f2c","since":"2026-11-17T09:00Z""#]),
        (17, vec![r#""files_changed":23,"insertions":418,"deletions":176"#, "max_error_ratio: 0.05"]),
        (
            29,
            vec![
                r#""row_count":1204,"rows_shown":400"#,
                r#""sum":"318440.00""#,
                r#""paid":62"#,
                r#""min":"9.52","max":"1904.00""#,
            ],
        ),
        (
            33,
            vec![
                r#""hits":1702"#,
                r#""hits":344"#,
                r#""hits":201"#,
                r#""hits":71"#,
                r#""sum":2318"#,
                r#""sum":1204"#,
            ],
        ),
        (50, vec![r#""files_changed":11,"insertions":142,"deletions":61"#, "+  max_error_ratio: 0.001"]),
        (58, vec![r#""row_count":1204,"rows_shown":450"#, r#""max":"0.50","sum":"1.70","not_zero":6"#]),
        (62, vec![r#""row_count":6"#, r#""currency":"JPY""#]),
    ] {
        let result = result(event);
        for needle in needles {
            assert!(result.contains(needle), "E{event} has no {needle}");
        }
    }
}

#[test]
fn every_answer_of_the_texts_is_in_the_session() {
    let session = session();
    let said: Vec<String> = session
        .events
        .iter()
        .enumerate()
        .filter(|(_, event)| !event.is_from_user())
        .flat_map(|(at, event)| event.parts().iter().map(move |part| (at, part)))
        .filter_map(|(at, part)| Some(format!("E{}: {}", at + 1, part.text.as_deref()?)))
        .collect();
    assert_eq!(said, answers());
}
