//! Several configurations with several models: within a budget, stopped, resumed, and paid for once.

use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{ErrorCode, Strata};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use super::lab::ended;
use crate::{ask, refuse, sample, start, start_at, wait_until};

const CONFIGS: [&str; 2] = ["interval=6,overlap=1", "interval=8,overlap=0"];
const MODELS: [&str; 2] = ["scripted-1", "scripted-2"];

fn says(text: &str) -> Play {
    Play::Stream { body: chat_stream(text, 900, 30), piece: 17 }
}

fn endpoint(strata: &Arc<Strata>, server: &ModelServer) {
    let endpoint = json!({
        "name": "scripted", "api": "chatCompletions", "baseUrl": format!("{}/v1", server.url()),
        "model": "scripted-1", "headers": [], "keyVariable": null
    });
    ask(strata, "model/save", &json!({ "endpoint": endpoint }));
}

fn choice(session: &str, usd: Option<f64>, tokens: Option<f64>) -> Value {
    let models: Vec<Value> =
        MODELS.iter().map(|model| json!({ "writer": "scripted", "model": model })).collect();
    json!({ "choice": {
        "session": session, "configs": CONFIGS, "models": models, "prompt": null,
        "budget": { "usd": usd, "tokens": tokens }
    } })
}

fn result(strata: &Arc<Strata>, batch: &Value) -> Value {
    ask(strata, "lab/batchResult", &json!({ "batch": batch["batch"] }))
}

fn states(batch: &Value) -> Vec<&str> {
    let cells = batch["cells"].as_array().expect("cells");
    cells.iter().map(|cell| cell["state"].as_str().expect("a state")).collect()
}

/// No prompt went to the same model twice, unless its answer was cut.
fn assert_nothing_is_asked_twice(server: &ModelServer, n_cut: usize) {
    let asked: Vec<String> = server
        .received()
        .iter()
        .map(|request| {
            let of = |name| request.body.get(name).map(strata_model::json::to_compact).unwrap_or_default();
            of("model") + &of("messages")
        })
        .collect();
    let different: std::collections::BTreeSet<&String> = asked.iter().collect();
    assert_eq!(asked.len(), different.len() + n_cut);
    assert_eq!(server.problems(), [""; 0]);
}

#[test]
fn a_batch_goes_on_after_a_server_that_failed_and_a_restart_and_pays_for_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.db");
    // The first cell ends, the second breaks off in its second summary, and the server says nothing in the third.
    let cut = Play::Cut { body: chat_stream("Never told to its end.", 900, 30), after: 60 };
    let mut script = vec![says("One."), says("Two."), says("Three."), cut, Play::Silence];
    script.extend((0..20).map(|n| says(&format!("Later {n}."))));
    let server = ModelServer::start(script, None);
    let (session, batch) = {
        let strata = start_at(&path);
        endpoint(&strata, &server);
        let session = sample(&strata);
        let plan = ask(&strata, "lab/batchPlan", &choice(&session, None, None));
        assert_eq!(plan["cells"].as_array().map(Vec::len), Some(4));
        assert_eq!((&plan["nKept"], &plan["nLeftOut"]), (&json!(0), &json!(0)));
        assert_eq!(server.received().len(), 0, "a plan sends nothing");
        let batch = ask(&strata, "lab/batch", &choice(&session, None, None));
        wait_until(|| server.received().len() == 5);
        let goes_on = result(&strata, &batch);
        assert_eq!(states(&goes_on), ["done", "failed", "running", "waiting"]);
        assert_eq!((&goes_on["state"], &goes_on["canResume"]), (&json!("running"), &json!(false)));
        ask(&strata, "job/cancel", &json!({ "job": batch["job"] }));
        assert_eq!(ended(&strata, &batch)["state"], "cancelled");
        let stopped = result(&strata, &batch);
        assert_eq!(states(&stopped), ["done", "failed", "stopped", "waiting"]);
        assert_eq!(stopped["spentTokens"], json!(3.0 * 930.0), "three answers were told to their end");
        assert!(stopped["spentUsd"].is_null(), "a model without a price");
        assert!(stopped["cells"][1]["note"].as_str().expect("why").contains("Summary 2 was not written"));
        (session, batch)
    };
    let strata = start_at(&path);
    sample(&strata);
    let listed = ask(&strata, "lab/batches", &json!({ "session": session }));
    assert_eq!((&listed["rows"][0]["batch"], &listed["rows"][0]["done"]), (&batch["batch"], &json!(1)));
    let job = ask(&strata, "lab/batchResume", &json!({ "batch": batch["batch"], "budget": null }));
    assert_eq!(ended(&strata, &job)["state"], "done");
    let done = result(&strata, &batch);
    assert_eq!(states(&done), ["done"; 4]);
    assert_eq!(done["canResume"], false);
    assert_nothing_is_asked_twice(&server, 2);

    // What it spent is what the server answered, counted on its own.
    let n_whole = server.received().len() - 2;
    assert_eq!(done["spentTokens"], json!(n_whole as f64 * 930.0));
    // Every cell is a run that the Lab has, with the same figures.
    let runs = ask(&strata, "lab/runs", &json!({ "session": session }));
    assert_eq!(runs["rows"].as_array().map(Vec::len), Some(4), "a batch is no run");
    for cell in done["cells"].as_array().expect("cells") {
        let run = ask(&strata, "lab/runResult", &json!({ "run": cell["run"] }));
        assert_eq!(run["replay"]["bill"], cell["bill"]);
        assert_eq!(run["replay"]["nRegret"], cell["regret"]);
        let lost: u64 = run["replay"]["windows"]
            .as_array()
            .expect("windows")
            .iter()
            .map(|window| window["dropped"].as_u64().expect("a number"))
            .sum();
        assert_eq!(json!(lost), cell["dropped"]);
    }
    // These summaries tell nothing of the session: of the cells that lose what was used later none is to be taken.
    let cells = done["cells"].as_array().expect("cells");
    assert!(cells.iter().any(|cell| cell["regret"].as_u64() > Some(0)), "{done}");
    if let Some(best) = done["recommended"].as_u64() {
        assert_eq!(cells[best as usize]["regret"], 0, "{done}");
    }

    // Another batch of the same cells takes all of them from the store.
    let n_asked = server.received().len();
    let again = ask(&strata, "lab/batch", &choice(&session, None, Some(0.0)));
    assert_eq!(ended(&strata, &again)["state"], "done");
    let kept = result(&strata, &again);
    assert_eq!(states(&kept), ["kept"; 4]);
    assert!(kept["cells"][0]["keptMs"].as_f64() > Some(1e12));
    assert_eq!((&kept["spentTokens"], &kept["spentUsd"]), (&json!(0.0), &json!(0.0)));
    assert_eq!(server.received().len(), n_asked);
    ask(&strata, "lab/forgetBatch", &json!({ "batch": again["batch"] }));
    assert_eq!(
        refuse(&strata, "lab/batchResult", &json!({ "batch": again["batch"] })).0,
        ErrorCode::NotFound
    );
    assert_eq!(ask(&strata, "lab/runs", &json!({ "session": session })), runs);
}

#[test]
fn a_cell_that_does_not_fit_into_the_budget_is_left_out_and_said_to_be() {
    let strata = start();
    let session = sample(&strata);
    let server = ModelServer::start((0..20).map(|n| says(&format!("Summary {n}."))).collect(), None);
    endpoint(&strata, &server);
    let (code, message) = refuse(&strata, "lab/batch", &choice(&session, Some(1.0), None));
    assert_eq!(code, ErrorCode::BadInput);
    assert!(message.contains("scripted-1 has no price") && message.contains("budget in tokens"), "{message}");
    assert_eq!(refuse(&strata, "lab/batch", &choice(&session, None, Some(-1.0))).0, ErrorCode::BadInput);
    assert_eq!(server.received().len(), 0);

    let plan = ask(&strata, "lab/batchPlan", &choice(&session, None, None));
    let need = plan["cells"][0]["need"]["tokens"].as_f64().expect("tokens");
    let estimate = json!({
        "session": session, "config": CONFIGS[0], "prompt": null, "writer": "scripted", "model": MODELS[0]
    });
    let one = ask(&strata, "lab/estimate", &estimate);
    let of_run = one["inputTokens"].as_f64().expect("tokens") + one["outputTokens"].as_f64().expect("tokens");
    assert!((need - of_run).abs() < 0.5, "a cell needs what its run does: {need}, {of_run}");

    let batch = ask(&strata, "lab/batch", &choice(&session, Some(1.0), Some(need)));
    assert_eq!(ended(&strata, &batch)["state"], "done");
    let done = result(&strata, &batch);
    assert_eq!(states(&done)[0], "done");
    let left_out = done["cells"].as_array().expect("cells").iter().filter(|cell| cell["state"] == "leftOut");
    let left_out: Vec<&Value> = left_out.collect();
    assert!(!left_out.is_empty(), "{:?}", states(&done));
    for cell in left_out {
        let note = cell["note"].as_str().expect("why");
        assert!(note.starts_with("Left out: needs ≈ ") && note.ends_with(" are left."), "{note}");
        assert!(cell["run"].is_null());
    }
    assert!(done["spentTokens"].as_f64() <= Some(need));

    // With a larger budget it goes on with these alone.
    let more = json!({ "batch": batch["batch"], "budget": { "usd": null, "tokens": 1e6 } });
    let job = ask(&strata, "lab/batchResume", &more);
    assert_eq!(ended(&strata, &job)["state"], "done");
    assert_eq!(states(&result(&strata, &batch)), ["done"; 4]);
    assert_nothing_is_asked_twice(&server, 0);
}

#[test]
fn extracts_are_compared_without_a_model_and_the_best_loses_nothing_used_later() {
    let strata = start();
    let session = sample(&strata);
    let asked = json!({ "choice": {
        "session": session, "configs": ["interval=3,overlap=1", "interval=6,overlap=1", "threshold=20000,retention=5"],
        "models": [{ "writer": "extractive", "model": null }], "prompt": null,
        "budget": { "usd": 0.0, "tokens": 0.0 }
    } });
    let batch = ask(&strata, "lab/batch", &asked);
    assert_eq!(ended(&strata, &batch)["state"], "done");
    let done = result(&strata, &batch);
    assert_eq!(states(&done), ["done"; 3]);
    assert_eq!((&done["spentTokens"], &done["spentUsd"]), (&json!(0.0), &json!(0.0)));
    if let Some(at) = done["recommended"].as_u64() {
        assert_eq!(done["cells"][at as usize]["regret"], 0, "{}", done["reason"]);
    }
    assert_ne!(done["reason"], "");
    let empty = json!({ "choice": {
        "session": session, "configs": [], "models": [], "prompt": null, "budget": { "usd": null, "tokens": null }
    } });
    assert_eq!(refuse(&strata, "lab/batch", &empty).0, ErrorCode::BadInput);
}

#[test]
fn one_model_answers_questions_about_every_run_and_is_paid_once() {
    let says = says("Two rounding rules differ in invoice.py:214.");
    let server = ModelServer::start(vec![says; 80], None);
    let strata = start();
    endpoint(&strata, &server);
    let session = sample(&strata);
    let plain = choice(&session, None, None);
    let mut asked = plain.clone();
    asked["choice"]["probes"] = json!({ "questions": 3, "writer": "scripted", "model": "scripted-2" });
    let tokens = |choice: &Value| ask(&strata, "lab/batchPlan", choice)["tokens"].as_f64().expect("tokens");
    assert!(tokens(&asked) > tokens(&plain), "questions are in the plan");
    let batch = ask(&strata, "lab/batch", &asked);
    assert_eq!(ended(&strata, &batch)["state"], "done");
    let done = result(&strata, &batch);
    let answers = |batch: &Value| -> Vec<Value> {
        batch["cells"].as_array().expect("cells").iter().map(|cell| cell["answers"].clone()).collect()
    };
    for answered in answers(&done) {
        let counts = answered.as_object().expect("answers").values();
        assert_eq!(counts.filter_map(Value::as_u64).sum::<u64>(), 3, "{answered}");
    }
    assert_nothing_is_asked_twice(&server, 0);
    let n_asked = server.received().len();
    assert_eq!(done["spentTokens"], json!(n_asked as f64 * 930.0), "every answer is paid for");

    assert!(tokens(&asked) < 1.0, "all of it is known");
    let again = ask(&strata, "lab/batch", &asked);
    assert_eq!(ended(&strata, &again)["state"], "done");
    let kept = result(&strata, &again);
    assert_eq!(states(&kept), ["kept"; 4]);
    assert_eq!((answers(&kept), &kept["spentTokens"]), (answers(&done), &json!(0.0)));
    assert_eq!(server.received().len(), n_asked);
}

#[test]
fn questions_that_were_paid_for_count_when_the_batch_dies_among_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.db");
    // Three answers come, then nothing: the second question has its answer from the events alone.
    let mut script = vec![says("Two rounding rules differ."); 3];
    script.push(Play::Silence);
    script.extend(vec![says("Two rounding rules differ."); 20]);
    let server = ModelServer::start(script, None);
    let (session, batch) = {
        let strata = start_at(&path);
        endpoint(&strata, &server);
        let session = sample(&strata);
        let mut asked = choice(&session, None, None);
        asked["choice"]["models"] = json!([{ "writer": "extractive", "model": null }]);
        asked["choice"]["configs"] = json!([CONFIGS[0]]);
        asked["choice"]["probes"] = json!({ "questions": 4, "writer": "scripted", "model": null });
        let batch = ask(&strata, "lab/batch", &asked);
        wait_until(|| server.received().len() == 4);
        let goes_on = result(&strata, &batch);
        assert_eq!((states(&goes_on), &goes_on["spentTokens"]), (vec!["asking"], &json!(3.0 * 930.0)));
        // The store as it is when the program dies now, with what was not yet written into its file.
        let dead = folder.path().join("dead.db");
        std::fs::copy(&path, &dead).expect("a copy");
        std::fs::copy(path.with_extension("db-wal"), dead.with_extension("db-wal")).expect("a copy");
        let died = result(&start_at(&dead), &batch);
        assert_eq!(
            (states(&died), &died["spentTokens"]),
            (vec!["done"], &json!(3.0 * 930.0)),
            "when it died"
        );
        ask(&strata, "job/cancel", &json!({ "job": batch["job"] }));
        ended(&strata, &batch);
        assert_eq!(result(&strata, &batch)["spentTokens"], json!(3.0 * 930.0), "when it was stopped");
        (session, batch)
    };
    let strata = start_at(&path);
    sample(&strata);
    let rows = ask(&strata, "lab/batches", &json!({ "session": session }));
    assert_eq!(rows["rows"][0]["batch"], batch["batch"]);
    assert_eq!(result(&strata, &batch)["spentTokens"], json!(3.0 * 930.0), "after a restart");
    let job = ask(&strata, "lab/batchResume", &json!({ "batch": batch["batch"], "budget": null }));
    assert_eq!(ended(&strata, &job)["state"], "done");
    let done = result(&strata, &batch);
    assert!(done["cells"][0]["answers"].is_object(), "{done}");
    let n_whole = server.received().len() - 1;
    assert_eq!(done["spentTokens"], json!(n_whole as f64 * 930.0), "each answer once");
}

#[test]
fn questions_that_do_not_fit_a_budget_are_left_out_and_asked_when_it_grows() {
    let server = ModelServer::start(vec![says("Two rounding rules differ."); 80], None);
    let strata = start();
    endpoint(&strata, &server);
    let session = sample(&strata);
    let mut asked = choice(&session, None, None);
    asked["choice"]["models"] = json!([{ "writer": "extractive", "model": null }]);
    asked["choice"]["configs"] = json!([CONFIGS[0]]);
    asked["choice"]["probes"] = json!({ "questions": 2, "writer": "scripted", "model": null });
    asked["choice"]["budget"] = json!({ "usd": null, "tokens": 100.0 });
    let batch = ask(&strata, "lab/batch", &asked);
    ended(&strata, &batch);
    let short = result(&strata, &batch);
    assert_eq!((server.received().len(), &short["cells"][0]["answers"]), (0, &Value::Null));
    let note = short["cells"][0]["note"].as_str().expect("why");
    assert!(note.contains("could not be asked about: Left out: needs"), "{note}");
    assert_eq!(short["canResume"], true);
    let larger = json!({ "usd": null, "tokens": 1e6 });
    let job = ask(&strata, "lab/batchResume", &json!({ "batch": batch["batch"], "budget": larger }));
    ended(&strata, &job);
    let done = result(&strata, &batch);
    assert!(done["cells"][0]["answers"].is_object() && done["cells"][0]["note"].is_null(), "{done}");
    assert_eq!(done["canResume"], false);
}
