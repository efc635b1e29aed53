//! The commands of the Stores view beside what other commands say of the same sample.

use serde_json::{Value, json};
use strata_app::report;

use crate::samples::{Unwatched, of_formats, source};
use crate::{ask, sample, start};

fn rows<'v>(page: &'v Value, name: &str) -> &'v Vec<Value> {
    page[name].as_array().expect("rows")
}

#[test]
fn a_change_of_a_key_costs_what_the_cache_view_says() {
    let strata = start();
    let session = sample(&strata);
    let losses = json!({ "session": session, "order": "inOrder", "offset": 0, "limit": 500 });
    let losses = ask(&strata, "cache/breaks", &losses);
    let of_state: Vec<&Value> =
        rows(&losses, "rows").iter().filter(|row| row["cause"] == "state_in_instruction").collect();
    let state = json!({ "session": session, "call": 17, "maxColumns": 100, "offset": 0, "limit": 500 });
    let state = ask(&strata, "stores/state", &state);
    let mut found = Vec::new();
    for row in rows(&state, "rows") {
        let asked = json!({ "session": session, "key": row["key"], "call": 17, "offset": 0, "limit": 500 });
        let key = ask(&strata, "stores/key", &asked);
        let tokens: u64 =
            rows(&key, "breaks").iter().map(|row| row["rebilledTokens"].as_u64().expect("tokens")).sum();
        assert_eq!(key["rebilledTokens"], tokens);
        assert_eq!(rows(&key, "versions").len() as u64, key["total"].as_u64().expect("a number"));
        found.extend(rows(&key, "breaks").clone());
    }
    assert!(!of_state.is_empty());
    assert_eq!(found.iter().collect::<Vec<_>>(), of_state);
}

#[test]
fn the_key_to_see_is_the_one_that_broke_the_cache_however_few_columns_there_are() {
    let strata = start();
    let session = sample(&strata);
    let broken = json!({ "session": session, "order": "inOrder", "offset": 0, "limit": 500 });
    let broken = ask(&strata, "cache/breaks", &broken);
    let of_state = rows(&broken, "rows").iter().filter(|row| row["cause"] == "state_in_instruction");
    let calls: Vec<u64> = of_state.map(|row| row["call"].as_u64().expect("a call")).collect();
    assert!(!calls.is_empty());
    for call in calls {
        // With one key on the page, and one column for all calls.
        let state = json!({ "session": session, "call": call, "maxColumns": 1, "offset": 0, "limit": 1 });
        let key = ask(&strata, "stores/state", &state)["keyToSee"].clone();
        let asked = json!({ "session": session, "key": key, "call": call, "offset": 0, "limit": 1 });
        let breaks = ask(&strata, "stores/key", &asked)["breaks"].clone();
        let breaks = breaks.as_array().expect("rows");
        assert!(breaks.iter().any(|row| row["call"] == call), "C{call} {key}: {breaks:?}");
    }
}

#[test]
fn versions_say_what_their_events_say() {
    let strata = start();
    let session = sample(&strata);
    let asked = json!({ "session": session, "key": "hits", "call": 17, "offset": 0, "limit": 500 });
    let key = ask(&strata, "stores/key", &asked);
    let mut n_written = 0;
    for version in rows(&key, "versions").iter().filter(|version| !version["event"].is_null()) {
        let event = ask(&strata, "event/get", &json!({ "session": session, "event": version["event"] }));
        let deltas = rows(&event, "stateDelta");
        assert!(deltas.iter().any(|change| change["key"] == "hits"), "{version}");
        n_written += 1;
    }
    assert!(n_written > 0);
}

#[test]
fn what_a_hand_off_kept_and_dropped_adds_up_to_both_prompts() {
    let strata = start();
    let session = sample(&strata);
    let asked = json!({ "session": session, "order": "inOrder", "offset": 0, "limit": 500 });
    let page = ask(&strata, "stores/agents", &asked);
    assert!(!rows(&page, "rows").is_empty());
    for row in rows(&page, "rows") {
        let asked = json!({ "session": session, "number": row["number"], "offset": 0, "limit": 500 });
        let detail = ask(&strata, "stores/handOff", &asked);
        for (sum, total) in [("tokensBefore", "fromTokens"), ("tokensAfter", "toTokens")] {
            let of = |fate: &str| detail[fate][sum].as_u64().expect("tokens");
            let all = ["kept", "reframed", "dropped", "added", "framing"].into_iter().map(of).sum::<u64>();
            assert_eq!(row[total], all, "H{} {sum}", row["number"]);
            let parts = rows(&detail, "parts").iter().map(|part| part[sum].as_u64().expect("tokens"));
            assert_eq!(parts.sum::<u64>() + of("framing"), all, "H{}", row["number"]);
        }
    }
}

/// The recorder saw what searches found, also where that was nothing, and what was in files.
#[test]
fn what_a_recorder_saw_of_memory_and_files_is_shown() {
    const CALL: &str = r#"{"record":"call""#;
    let sample = std::fs::read_to_string(of_formats().join("adk-recording.jsonl")).expect("the sample");
    let loaded = r#"{"record":"artifact","time":1.0,"app":"desk_app","user":"ada","session":"desk-1","operation":"load","name":"menu.txt","part":{"value":{"text":"Soup."}}}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("recording.jsonl");
    std::fs::write(&path, sample.replacen(CALL, &format!("{loaded}\n{CALL}"), 1)).expect("a file");
    let choice = report::StoresChoice { call: None };
    let stores =
        report::stores(&source(&path), None, choice, &Unwatched::default()).expect("the recording is read");
    let searches = stores.memory.rows.iter().map(|row| (&*row.query, row.call, row.found.len()));
    let question = "What is the weather by the window, and the menu?";
    assert_eq!(searches.collect::<Vec<_>>(), [("Hello", 1, 0), (question, 2, 1)]);
    let [menu] = &stores.artifacts.rows[..] else { panic!("{:?}", stores.artifacts.rows) };
    assert_eq!(menu.name, "menu.txt");
    assert!(menu.versions[0].is_known);
    assert_eq!(menu.versions[0].bytes, Some(5.0));
}
