//! Recorded sessions go in and come out the same.

use std::path::Path;

use strata_model::{Decoder, FromJson, Json, Session, json};
use strata_store::Store;
use strata_testkit::samples;

use crate::{import_one, text};

#[test]
fn adk_samples() {
    let files = samples::files("adk");
    let sessions: Vec<_> =
        files.iter().filter(|file| file.to_string_lossy().ends_with(".session.json")).collect();
    assert!(sessions.len() >= 3, "{sessions:?}");
    for file in sessions {
        check(&read(file), file);
    }
}

#[test]
fn conformance_vectors() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/vectors");
    let mut n_sessions = 0;
    for file in
        samples::files_below(&vectors).iter().filter(|file| file.extension().is_some_and(|it| it == "json"))
    {
        let mut sessions = Vec::new();
        find_sessions(&read(file), &mut sessions);
        for session in &sessions {
            check(session, file);
        }
        n_sessions += sessions.len();
    }
    assert!(n_sessions > 100, "{n_sessions}");
}

#[test]
fn oddities() {
    for text in [
        r#"{}"#,
        r#"{"id":"","events":[]}"#,
        r#"{"id":"s\u0000\n'\"","state":{"":1,"app:":2,"user:app:x":3,"b":{"temp:kept":1},"temp:x":0,"a":1.0,"n":null}}"#,
        r#"{"id":"s","state":[1],"events":["no event",{"id":5,"timestamp":"late","content":{"parts":"x"}}]}"#,
        r#"{"id":"s","lastUpdateTime":1e300,"events":[{"timestamp":1e-300},{"timestamp":-1.5}]}"#,
        r#"{"id":"s","events":[{"id":"same"},{"id":"same","branch":"a.b"},{"branch":""}],"other":{"deep":[[[]]]}}"#,
        r#"{"id":"s","events":[{"content":{"parts":[{"text":"😀 \u2028 é"},{"functionCall":{"args":{"n":123456789012345678901234567890,"f":1.0,"i":1}}}]}}]}"#,
    ] {
        check(&json::parse(text.as_bytes()).unwrap(), Path::new(text));
    }
}

#[test]
fn states_of_any_size_keep_their_keys_and_their_order() {
    for n_keys in [100, 101, 20_000] {
        let keys =
            (0..n_keys).map(|nth| format!(r#""{}key {nth}":{{"n":{nth}}}"#, ["", "app:", "user:"][nth % 3]));
        let keys: Vec<String> = keys.chain([r#""app:":{"a":1}"#.to_owned(), r#""":[]"#.to_owned()]).collect();
        let text = format!(r#"{{"id":"s","state":{{{}}}}}"#, keys.join(","));
        check(&json::parse(text.as_bytes()).unwrap(), Path::new(&format!("{n_keys} keys")));
    }
}

#[test]
fn a_state_of_many_small_keys_takes_no_more_room_than_its_text() {
    let keys: Vec<String> = (0..100_000).map(|nth| format!(r#""key_{nth}":{nth}"#)).collect();
    let state = format!(r#"{{{}}}"#, keys.join(","));
    let session = json::parse(format!(r#"{{"id":"s","state":{state}}}"#).as_bytes()).unwrap();
    let place = crate::Place::new();
    let mut store = place.open();
    let empty = store.sizes().unwrap().bytes;
    import_one(&mut store, "many", &Session::from_json(session, &mut Decoder::new()));
    let taken = store.sizes().unwrap().bytes - empty;
    assert!(taken < state.len() as u64 * 11 / 10, "{taken} bytes for {}", state.len());
}

/// What a file says may be nested as deep as files may be, and an event has some levels around it.
#[test]
fn what_is_nested_as_deep_as_may_be_is_read_again() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(255), "}".repeat(255));
    let mut recorded = crate::session("s", 1, "hello");
    let event = std::sync::Arc::make_mut(&mut recorded.events[0]);
    event.actions.state_delta.insert("deep", json::parse(deep.as_bytes()).unwrap());
    let mut store = Store::in_memory().unwrap();
    let id = import_one(&mut store, "deep", &recorded);
    assert!(store.read_session(&id).unwrap().unwrap() == recorded);
}

#[test]
fn numbers_that_json_has_not_read_as_their_json_does() {
    let value = json::parse(
        br#"{"id":"s","lastUpdateTime":NaN,"events":[{"timestamp":Infinity},{"timestamp":NaN}]}"#,
    );
    let session = Session::from_json(value.unwrap(), &mut Decoder::new());
    let mut store = Store::in_memory().unwrap();
    let id = import_one(&mut store, "a", &session);
    assert_eq!(
        text(&store.read_session(&id).unwrap().unwrap()),
        text(&session).replace(r#""timestamp":null"#, r#""timestamp":0.0"#)
    );
    assert_eq!(store.event_rows(&id, 0..2).unwrap()[0].timestamp.to_bits(), 0);
}

#[track_caller]
fn check(value: &Json, file: &Path) {
    let recorded = Session::from_json(value.clone(), &mut Decoder::new());
    let mut store = Store::in_memory().unwrap();
    let id = import_one(&mut store, "sample", &recorded);
    let stored = store.read_session(&id).unwrap().unwrap();
    assert_eq!(text(&stored), text(&recorded), "{}", file.display());
    assert!(stored == recorded, "{}", file.display());
    for (seq, event) in recorded.events.iter().enumerate() {
        let json = store.event_json(&id, seq as u32).unwrap().unwrap();
        assert_eq!(json, json::to_compact(&event.to_json()), "event {seq} of {}", file.display());
    }
}

fn find_sessions(value: &Json, found: &mut Vec<Json>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| find_sessions(item, found)),
        Json::Object(object) => {
            for (key, value) in object.iter() {
                match (&**key, value) {
                    ("session", Json::Object(_)) => found.push(value.clone()),
                    ("sessions", Json::Array(sessions)) => found.extend(sessions.iter().cloned()),
                    _ => find_sessions(value, found),
                }
            }
        }
        _ => {}
    }
}

fn read(file: &Path) -> Json {
    json::parse(&std::fs::read(file).unwrap()).unwrap()
}
