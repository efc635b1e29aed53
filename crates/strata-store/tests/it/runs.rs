//! Runs of compaction, and what models reported.

use strata_model::Fingerprint;
use strata_store::{LabRunId, LabRunState, MeasuredCall, PromptShape, StoreError};

use crate::{Place, import, session, source};

#[test]
fn a_run_is_there_after_a_start_with_all_it_came_to() {
    let place = Place::new();
    let mut store = place.open();
    let session = import(&mut store, source("a.jsonl"), &[session("s1", 3, "text")]).remove(0).id;
    let first = store.begin_lab_run(&session, session.as_str(), "{}", 1).unwrap().unwrap();
    assert!(store.set_lab_run(first, LabRunState::Running, r#"{"n":1}"#, 2).unwrap());
    let second = store.begin_lab_run(&session, "x7", "{}", 3).unwrap().unwrap();
    assert!(store.set_lab_run(second, LabRunState::Done, "{}", 4).unwrap());
    drop(store);
    let mut store = place.open();
    let runs: Vec<_> =
        store.lab_runs(&session).unwrap().into_iter().map(|run| (run.id, run.state, run.result)).collect();
    let expected = [
        (second, LabRunState::Done, "{}".to_owned()),
        (first, LabRunState::Running, r#"{"n":1}"#.to_owned()),
    ];
    assert_eq!(runs, expected);
    assert_eq!(LabRunId::parse(&first.to_string()), Some(first));
    assert!(store.delete_lab_run(first).unwrap() && !store.delete_lab_run(first).unwrap());
    assert!(!store.set_lab_run(first, LabRunState::Done, "{}", 5).unwrap());
    store.delete_session(&session).unwrap();
    assert_eq!(store.lab_run(second).unwrap(), None, "runs go with their session");
    assert_eq!(store.begin_lab_run(&session, "x", "{}", 6).unwrap(), None);
}

#[test]
fn a_key_in_a_summary_is_not_written() {
    let place = Place::new();
    let mut store = place.open();
    let session = import(&mut store, source("a.jsonl"), &[session("s1", 3, "text")]).remove(0).id;
    let run = store.begin_lab_run(&session, "s", "{}", 1).unwrap().unwrap();
    let refused = store.set_lab_run(run, LabRunState::Done, "sk-planted0123456789abcdefghij", 2);
    assert!(matches!(refused, Err(StoreError::HoldsCredential { .. })));
    assert_eq!(store.lab_run(run).unwrap().unwrap().state, LabRunState::Running);
}

#[test]
fn a_request_is_measured_once_and_the_oldest_are_forgotten() {
    let place = Place::new();
    let mut store = place.open();
    let call = |n: u32| MeasuredCall {
        request: Fingerprint(n.into()),
        counted: n,
        reported: n + 1,
        expected_cached: None,
        reported_cached: Some(n / 2),
        at_ms: n.into(),
    };
    for n in 0..300 {
        store.add_measured_call("m", PromptShape::Text, &call(n)).unwrap();
    }
    store.add_measured_call("m", PromptShape::Text, &MeasuredCall { reported: 9, ..call(299) }).unwrap();
    store.add_measured_call("m", PromptShape::Conversation, &call(1)).unwrap();
    let known = store.measured_calls("m", PromptShape::Text).unwrap();
    assert_eq!((known.len(), known[0], known[255].reported), (256, call(44), 9));
    assert_eq!(store.measured_calls("m", PromptShape::Conversation).unwrap(), [call(1)]);
}
