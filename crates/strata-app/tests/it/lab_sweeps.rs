//! Sweeps as the window asks for them, and what they are compared with.

use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::Strata;
use strata_testkit::samples;

use crate::{ask, compiled, import, sample, start, wait_until};

fn started(strata: &Arc<Strata>, session: &str, grid: &str) -> Value {
    let params = json!({ "session": session, "grid": grid, "summaryTokens": null });
    ask(strata, "lab/sweep", &params)["job"].clone()
}

fn rows_from(strata: &Arc<Strata>, job: &Value, from: usize) -> Value {
    ask(strata, "lab/sweepResult", &json!({ "job": job, "from": from }))
}

fn rows(sweep: &Value) -> Vec<Value> {
    sweep["rows"].as_array().cloned().unwrap_or_default()
}

fn job(strata: &Arc<Strata>, job: &Value) -> Value {
    let jobs = ask(strata, "job/list", &json!({}))["jobs"].as_array().expect("a list").clone();
    jobs.into_iter().find(|known| known["job"] == *job).unwrap_or_default()
}

/// Takes rows as they come until no more do.
fn taken(strata: &Arc<Strata>, job: &Value) -> (Vec<Value>, Value) {
    let mut all = Vec::new();
    let mut last = Value::Null;
    wait_until(|| {
        last = rows_from(strata, job, all.len());
        all.extend(rows(&last));
        last["isEnded"] == true
    });
    (all, last)
}

#[test]
fn rows_are_told_as_they_come_and_each_once() {
    let strata = start();
    let session = sample(&strata);
    let begun = started(&strata, &session, "interval=2..9,overlap=0..3");
    let (all, last) = taken(&strata, &begun);
    assert_eq!((all.len(), &last["total"]), (32, &json!(32)));
    let mut places: Vec<u64> = all.iter().filter_map(|row| row["place"].as_u64()).collect();
    places.sort_unstable();
    assert_eq!(places, (0..32).collect::<Vec<u64>>());
    // Whoever asks later is told the same.
    let mut in_order = all.clone();
    in_order.sort_by_key(|row| row["place"].as_u64());
    assert_eq!(rows(&rows_from(&strata, &begun, 0)), in_order);
    assert_eq!(rows(&rows_from(&strata, &begun, 30)), all[30..]);
    assert_eq!(rows(&rows_from(&strata, &begun, 99)), [Value::Null; 0]);
    let best = all.iter().find(|row| row["place"] == last["recommended"]).expect("a setting to take");
    assert!(last["reason"].as_str().expect("text").contains(best["config"].as_str().expect("text")));
    assert!(best["bill"]["costUsd"].as_f64() < last["recorded"]["costUsd"].as_f64());
    assert!(best["bill"]["peakTokens"].as_f64() <= last["recorded"]["peakTokens"].as_f64());
}

#[test]
fn a_sweep_that_is_stopped_keeps_the_rows_that_came() {
    let strata = start();
    let session = sample(&strata);
    let begun = started(&strata, &session, "interval=1..100,overlap=0..99");
    wait_until(|| !rows(&rows_from(&strata, &begun, 0)).is_empty());
    ask(&strata, "job/cancel", &json!({ "job": begun }));
    let (all, last) = taken(&strata, &begun);
    assert!(!all.is_empty() && all.len() < 10_000, "{} rows", all.len());
    assert_eq!((&last["total"], &last["isEnded"]), (&json!(10_000), &json!(true)));
    let n_rows = all.len();
    assert!(
        last["reason"].as_str().expect("text").starts_with(&format!("Of the {n_rows} of 10000 settings"))
    );
    wait_until(|| job(&strata, &begun)["state"] == "cancelled");
    let outcome = job(&strata, &begun)["outcome"].as_str().expect("text").to_owned();
    assert_eq!(
        outcome,
        format!("Stopped. {n_rows} of 10000 configurations were replayed; their rows are kept.")
    );
}

fn plan(strata: &Arc<Strata>, session: &str, config: &str) -> Value {
    let params = json!({ "session": session, "config": config, "prompt": null, "summaries": "sized" });
    ask(strata, "lab/plan", &params)
}

#[test]
fn an_experiment_is_compared_with_the_recording_it_was_laid_over() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session, "name": "Shorter" }));
    let experiment = made["experiment"].as_str().expect("an id").to_owned();
    let edit = json!({
        "edit": "insert_processor", "use": "truncate_middle", "params": { "max_chars": 400 }
    });
    let params = json!({ "experiment": experiment, "edits": [edit], "replacesLast": false });
    ask(&strata, "experiment/edit", &params);
    let (recorded, edited) = (compiled(&strata, &session), compiled(&strata, &experiment));
    assert_ne!(recorded["bill"]["promptTokens"], edited["bill"]["promptTokens"], "the edit does something");
    let over = plan(&strata, &experiment, "interval=3,overlap=1");
    let of = plan(&strata, &session, "interval=3,overlap=1");
    assert_eq!(over["recorded"], of["recorded"]);
    assert_eq!(over["recordedTokens"], of["recordedTokens"]);
    let tokens = |bill: &Value| bill["promptTokens"].as_f64().expect("a number");
    assert_eq!(tokens(&over["recorded"]).to_string(), tokens(&recorded["bill"]).to_string());
    assert_ne!(over["unchanged"], of["unchanged"]);
    // What the recording's own two summaries took is in its bill.
    assert_eq!(of["recorded"]["compactions"], 2);
    assert!(of["recorded"]["summaryCostUsd"].as_f64() > Some(0.0), "{}", of["recorded"]);
    let swept = |session: &str| taken(&strata, &started(&strata, session, "interval=3,overlap=1")).1;
    assert_eq!(swept(&experiment)["recorded"], of["recorded"]);
    assert_eq!(swept(&session)["recorded"], of["recorded"]);
}

#[test]
fn a_setting_is_copied_in_the_words_of_the_sessions_own_tool() {
    let strata = start();
    let own = |session: &str, config: &str| plan(&strata, session, config)["ownSetting"].clone();
    let adk = sample(&strata);
    assert_eq!(own(&adk, "interval=3,overlap=1")["tool"], "google-adk");
    assert_eq!(own(&adk, "limit=6000,keep=5"), Value::Null, "google-adk has no such trigger");
    for (file, tool) in [("claude-code.jsonl", None), ("codex.jsonl", Some("Codex"))] {
        let imported = import(&strata, &samples::of_formats().join(file));
        let session = imported["sessions"][0]["session"].as_str().expect("a session").to_owned();
        compiled(&strata, &session);
        assert_eq!(own(&session, "interval=3,overlap=1"), Value::Null, "{file}");
        let setting = own(&session, "limit=60000,keep=5");
        assert_eq!(setting["tool"].as_str(), tool, "{file}");
        if tool.is_some() {
            assert_eq!(setting["text"], "model_auto_compact_token_limit = 60000");
            assert_eq!(setting["place"], "~/.codex/config.toml");
        }
    }
}
