//! Runs of compaction: priced, stored, resumed, applied; and calls sent again.

use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{ErrorCode, Strata};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use crate::{ask, refuse, sample, start, start_at, wait_until};

const CONFIG: &str = "interval=6,overlap=1";

fn says(text: &str, input: u32) -> Play {
    Play::Stream { body: chat_stream(text, input, 30), piece: 17 }
}

/// Sets the scripted server up as the endpoint `scripted`.
fn endpoint(strata: &Arc<Strata>, server: &ModelServer) {
    let endpoint = json!({
        "name": "scripted", "api": "chatCompletions", "baseUrl": format!("{}/v1", server.url()),
        "model": "scripted-1", "headers": [], "keyVariable": null
    });
    ask(strata, "model/save", &json!({ "endpoint": endpoint }));
}

/// Waits for a job and returns it.
pub(super) fn ended(strata: &Arc<Strata>, job: &Value) -> Value {
    let mut found = Value::Null;
    wait_until(|| {
        let jobs = ask(strata, "job/list", &json!({}));
        let jobs = jobs["jobs"].as_array().expect("a list").clone();
        found = jobs.into_iter().find(|known| known["job"] == job["job"]).unwrap_or_default();
        found["state"] != "running"
    });
    found
}

fn run(strata: &Arc<Strata>, session: &str, writer: &str) -> Value {
    let params =
        json!({ "session": session, "config": CONFIG, "prompt": null, "writer": writer, "model": null });
    let job = ask(strata, "lab/run", &params);
    ended(strata, &job);
    ask(strata, "lab/runResult", &json!({ "run": job["job"] }))
}

fn runs(strata: &Arc<Strata>, session: &str) -> Vec<Value> {
    let list = ask(strata, "lab/runs", &json!({ "session": session }));
    list["rows"].as_array().expect("a list").clone()
}

/// The prompts of the first so many calls, as text.
fn prompts(strata: &Arc<Strata>, session: &str) -> Vec<String> {
    wait_until(|| {
        let header = ask(strata, "session/header", &json!({ "session": session }));
        header["compiledCalls"] == header["calls"]
    });
    let of_call = |call: u32| {
        let stages = ask(strata, "call/stages", &json!({ "session": session, "call": call }));
        let last = stages["rows"].as_array().expect("stages").len();
        let params =
            json!({ "session": session, "call": call, "stage": last, "offset": 0, "limit": 200_000 });
        ask(strata, "call/json", &params)["text"].as_str().expect("text").to_owned()
    };
    [1, 17, 18, 30, 41].map(of_call).to_vec()
}

#[test]
fn a_run_becomes_an_experiment_that_is_undone_and_compared() {
    let strata = start();
    let session = sample(&strata);
    let recorded = prompts(&strata, &session);
    let result = run(&strata, &session, "extractive");
    assert_eq!((&result["state"], &result["written"]), (&json!("done"), &json!(2)));
    let made = ask(&strata, "lab/apply", &json!({ "run": result["run"], "name": null }));
    assert_eq!(made["name"], "Compacted: interval=6,overlap=1");
    assert_eq!(made["list"][0]["title"], "2 summaries for interval=6,overlap=1");
    assert_eq!(made["list"][0]["diagnostics"], json!([]));
    let experiment = made["experiment"].as_str().expect("an id").to_owned();

    // Every view goes by it: sizes of prompts, the event table, what became of an event.
    let compacted = prompts(&strata, &experiment);
    let header = ask(&strata, "session/header", &json!({ "session": experiment }));
    assert_eq!((&header["compactions"], &header["events"]), (&json!(2), &json!(86)));
    assert_eq!(compacted[..2], recorded[..2], "nothing changes before the first summary");
    assert_ne!(compacted[2], recorded[2]);
    assert!(compacted[2].contains("made without a model"), "{}", compacted[2]);
    let sizes: Vec<Value> = result["replay"]["promptTokens"].as_array().expect("sizes").clone();
    for (call, size) in (1..=41).zip(sizes) {
        let call = ask(&strata, "call/get", &json!({ "session": experiment, "call": call }));
        assert_eq!(call["prompt"]["tokens"], size, "as the Lab said, C{}", call["call"]);
    }
    let summary = ask(&strata, "event/get", &json!({ "session": experiment, "event": 85 }));
    assert_eq!(summary["title"], "Summary");
    assert_eq!(summary["subtitle"], "user · compaction · by extractive");
    let first = ask(&strata, "event/get", &json!({ "session": experiment, "event": 1 }));
    assert!(first["fate"].as_str().expect("a fate").contains("summarised by E85"), "{}", first["fate"]);

    let pair = json!({ "a": session, "b": experiment, "onlyChanged": true, "offset": 0, "limit": 100 });
    let compared = ask(&strata, "experiment/compare", &pair);
    assert_eq!(compared["effect"]["tokensAfter"].as_f64(), header["bill"]["promptTokens"].as_f64());
    assert!(compared["total"].as_u64() > Some(0), "{compared}");

    ask(&strata, "experiment/undo", &json!({ "experiment": experiment }));
    assert_eq!(prompts(&strata, &experiment), recorded);
    ask(&strata, "experiment/redo", &json!({ "experiment": experiment }));
    assert_eq!(prompts(&strata, &experiment), compacted);
    // A run over the experiment, too, goes back to the recording; its result is one more edit.
    let over = run(&strata, &experiment, "extractive");
    let both = ask(&strata, "lab/apply", &json!({ "run": over["run"], "name": null }));
    assert_eq!((&both["experiment"], &both["edits"]), (&json!(experiment), &json!(2)));
    assert_eq!(prompts(&strata, &experiment), compacted);
}

#[test]
fn a_run_that_failed_is_resumed_after_a_restart_and_pays_for_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.db");
    let cut = Play::Cut { body: chat_stream("Never told to its end.", 900, 30), after: 60 };
    let server = ModelServer::start(vec![says("First.", 900), cut, says("Second.", 901)], None);
    let (session, failed) = {
        let strata = start_at(&path);
        endpoint(&strata, &server);
        let session = sample(&strata);
        let estimate = json!({
            "session": session, "config": CONFIG, "prompt": null, "writer": "scripted", "model": null
        });
        let before = ask(&strata, "lab/estimate", &estimate);
        assert_eq!((&before["summaries"], &before["fromBefore"]), (&json!(2), &json!(0)));
        assert!(before["inputTokens"].as_f64().expect("tokens") > 1000.0 && before["costUsd"].is_null());
        assert!(before["address"].as_str().expect("an address").ends_with("/v1/chat/completions"));
        assert_eq!(server.received().len(), 0, "an estimate sends nothing");
        let failed = run(&strata, &session, "scripted");
        assert_eq!((&failed["state"], &failed["written"]), (&json!("failed"), &json!(1)));
        let (code, message) = refuse(&strata, "lab/apply", &json!({ "run": failed["run"], "name": null }));
        assert_eq!(code, ErrorCode::BadInput);
        assert!(message.contains("Resume it first"), "{message}");
        let after = ask(&strata, "lab/estimate", &estimate);
        assert_eq!((&after["summaries"], &after["fromBefore"]), (&json!(2), &json!(1)));
        assert!(after["inputTokens"].as_f64() < before["inputTokens"].as_f64());
        (session, failed["run"].clone())
    };
    let strata = start_at(&path);
    sample(&strata);
    let listed = runs(&strata, &session);
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0]["run"], &listed[0]["state"]), (&failed, &json!("failed")));
    assert_eq!((&listed[0]["written"], &listed[0]["expected"]), (&json!(1), &json!(2)));
    assert!(listed[0]["failure"].as_str().expect("why").contains("Summary 2 was not written"));
    let job = ask(&strata, "lab/resume", &json!({ "run": failed }));
    assert_eq!(ended(&strata, &job)["state"], "done");
    assert_eq!(server.received().len(), 3, "only the second is asked for");
    let listed = runs(&strata, &session);
    assert_eq!((listed.len(), &listed[0]["state"]), (1, &json!("done")), "it is the same run");
    assert_eq!(listed[0]["failure"], Value::Null);
    drop(strata);

    // Once more, after another start: what was written is shown and laid over the session without asking anybody.
    let strata = start_at(&path);
    sample(&strata);
    let again = ask(&strata, "lab/runResult", &json!({ "run": failed }));
    let summaries: Vec<&Value> = again["replay"]["windows"]
        .as_array()
        .expect("windows")
        .iter()
        .map(|window| &window["summary"])
        .collect();
    assert_eq!(summaries, ["First.", "Second."]);
    let loss = json!({ "run": failed, "window": 0, "offset": 0, "limit": 10 });
    assert!(ask(&strata, "lab/loss", &loss)["dropped"].as_u64().expect("a number") > 0);
    let made = ask(&strata, "lab/apply", &json!({ "run": failed, "name": "Live" }));
    assert_eq!(made["name"], "Live");
    assert_eq!(server.received().len(), 3);
    ask(&strata, "lab/forgetRun", &json!({ "run": failed }));
    assert_eq!(runs(&strata, &session), [Value::Null; 0]);
    assert_eq!(server.problems(), [""; 0]);
}

#[test]
fn a_run_that_is_stopped_while_the_model_is_silent_ends_and_is_resumed_from_there() {
    let strata = start();
    let session = sample(&strata);
    let first = "The night job fails: load_rates() lost parse_float=str.";
    let server =
        ModelServer::start(vec![says(first, 900), Play::Silence, says("The fix is on a branch.", 900)], None);
    endpoint(&strata, &server);
    let params = json!({
        "session": session, "config": CONFIG, "prompt": null, "writer": "scripted", "model": null
    });
    let job = ask(&strata, "lab/run", &params);
    wait_until(|| server.received().len() == 2);
    ask(&strata, "job/cancel", &job);
    assert_eq!(ended(&strata, &job)["state"], "cancelled");
    let result = ask(&strata, "lab/runResult", &json!({ "run": job["job"] }));
    assert_eq!((&result["state"], &result["written"]), (&json!("cancelled"), &json!(1)));
    let failure = result["failure"].as_str().expect("a reason");
    assert!(failure.contains("Stopped") && failure.contains("The summary before it is kept"), "{failure}");

    let again = ask(&strata, "lab/resume", &json!({ "run": result["run"] }));
    assert_eq!(ended(&strata, &again)["state"], "done");
    let done = ask(&strata, "lab/runResult", &json!({ "run": again["job"] }));
    assert_eq!((&done["written"], &done["fromBefore"]), (&json!(2), &json!(1)));
    assert_eq!(server.received().len(), 3, "what was paid for is not asked for again");
}

#[test]
fn an_edit_of_the_setting_is_summarised_offline() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session, "name": "Often" }));
    let experiment = made["experiment"].clone();
    let edit = json!({ "edit": "set_compaction", "config": { "compactionInterval": 2, "overlapSize": 0 } });
    let params = json!({ "experiment": experiment, "edits": [edit], "replacesLast": false });
    let made = ask(&strata, "experiment/edit", &params);
    let said = made["list"][0]["diagnostics"][0]["message"].as_str().expect("a note");
    assert!(said.contains("extractive, made offline without a model"), "{said}");
    let header = ask(&strata, "session/header", &json!({ "session": experiment }));
    assert!(header["compactions"].as_u64() > Some(2), "{header}");
}

#[test]
fn answers_calibrate_what_is_predicted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("lab.db");
    let strata = start_at(&path);
    let session = sample(&strata);
    let model = ask(&strata, "call/get", &json!({ "session": session, "call": 5 }))["model"].clone();
    // A provider that counts a fifth more than we do, and 50 tokens around each prompt.
    let preview = |strata: &Arc<Strata>, call: u32| {
        let params =
            json!({ "session": session, "call": call, "endpoint": "scripted", "model": model, "run": null });
        ask(strata, "call/replayPreview", &params)["predicted"].clone()
    };
    let server = ModelServer::start(Vec::new(), None);
    endpoint(&strata, &server);
    let counted: Vec<u32> = [3, 5, 8, 12, 20]
        .map(|call| preview(&strata, call)["tokens"].as_u64().expect("tokens") as u32)
        .to_vec();
    drop(server);
    let reported = |counted: u32| counted + counted / 5 + 50;
    let plays = counted[..4].iter().map(|counted| says("Same\nline two", reported(*counted))).collect();
    let server = ModelServer::start(plays, None);
    endpoint(&strata, &server);
    for (nth, call) in [3, 5, 8, 12].into_iter().enumerate() {
        let params =
            json!({ "session": session, "call": call, "endpoint": "scripted", "model": model, "run": null });
        let job = ask(&strata, "call/replay", &params);
        ended(&strata, &job);
        let answer = ask(&strata, "call/replayResult", &job);
        assert_eq!(answer["measuredCalls"], nth + 1);
        assert_eq!(answer["reportedTokens"], f64::from(reported(counted[nth])));
        let added: Vec<&Value> = answer["difference"]
            .as_array()
            .expect("lines")
            .iter()
            .filter(|line| line["sign"] == "added")
            .map(|line| &line["runs"][0]["text"])
            .collect();
        assert_eq!(added, ["Same", "line two"]);
    }
    drop(strata);
    let strata = start_at(&path);
    sample(&strata);
    let predicted = preview(&strata, 20);
    assert_eq!(predicted["basis"], "calibrated");
    let number = |of: &Value| of.as_f64().expect("a number");
    let truth = f64::from(reported(counted[4]));
    assert!(
        number(&predicted["low"]) <= truth && truth <= number(&predicted["high"]),
        "{predicted}, {truth}"
    );
}

#[test]
fn questions_about_a_window_say_what_its_summary_does_not_tell() {
    let strata = start();
    let session = sample(&strata);
    let result = run(&strata, &session, "extractive");
    let choice = |writer: &str| {
        json!({ "choice": {
            "run": result["run"], "window": 0, "facts": 2, "questions": ["What does the user want?"],
            "writer": writer, "model": null
        } })
    };
    let server = ModelServer::start(Vec::new(), None);
    endpoint(&strata, &server);
    let plan = ask(&strata, "lab/probePlan", &choice("scripted"));
    assert_eq!((&plan["prompts"], &plan["fromBefore"]), (&json!(6), &json!(0)));
    assert!(plan["inputTokens"].as_f64().expect("tokens") > 1000.0);
    let questions = plan["questions"].as_array().expect("questions").clone();
    assert!(questions[0].as_str().expect("text").contains("____"), "{questions:?}");
    assert_eq!(server.received().len(), 0, "a plan sends nothing");
    drop(server);

    let loss = json!({ "run": result["run"], "window": 0, "offset": 0, "limit": 1000 });
    let items = ask(&strata, "lab/loss", &loss)["items"].as_array().expect("facts").clone();
    let heaviest = items.iter().map(|item| item["weight"].as_f64().expect("a weight")).fold(0.0, f64::max);
    assert!(heaviest > 0.0);
    // The first fact is found in the events only, the second in neither, though it stands there; the question of ours is
    // answered from both.
    let first = |strata: &Arc<Strata>, server: &ModelServer| {
        endpoint(strata, server);
        let job = ask(strata, "lab/probe", &choice("scripted"));
        let job_row = ended(strata, &job);
        (job_row, ask(strata, "lab/probeResult", &job))
    };
    let server = ModelServer::start(vec![says("unknown", 900), says("unknown", 300)], None);
    let (job, so_far) = first(&strata, &server);
    assert_eq!(job["state"], "failed", "the script ends after one question");
    let expected = so_far["rows"][0]["expected"].as_str().expect("a fact").to_owned();
    assert_eq!(
        so_far["rows"][0]["grade"], "missed",
        "it stands in the events, and the model did not find it"
    );
    assert!(so_far["failure"].as_str().expect("why").contains("not asked for again"), "{so_far}");
    drop(server);
    // Another server is another endpoint, so everything is asked anew.
    let answers = [
        &*expected,
        "unknown",
        "no idea",
        "unknown",
        "Find the failing invoice",
        "find the failing invoice.",
    ];
    let server = ModelServer::start(answers.map(|answer| says(answer, 800)).to_vec(), None);
    let (job, probes) = first(&strata, &server);
    assert_eq!(job["state"], "done", "{job}");
    let grades: Vec<&Value> =
        probes["rows"].as_array().expect("rows").iter().map(|row| &row["grade"]).collect();
    assert_eq!(grades, ["lost", "missed", "kept"]);
    let counts = ["kept", "lost", "unanswered", "missed"].map(|name| probes[name].as_u64().expect("a count"));
    assert_eq!(counts, [1, 1, 0, 1]);
    assert_eq!(
        job["outcome"],
        "1 of 2 questions that were answered from the events or the summary are answered from the summary. 1 more stand \
         in the events, and the model found them in neither."
    );
    let asked = server.received();
    let prompt = |at: usize| {
        let messages = asked[at].body.get("messages").and_then(|messages| messages.as_array());
        messages.expect("messages")[0]
            .get("content")
            .and_then(|content| content.as_str())
            .expect("text")
            .to_owned()
    };
    assert!(!prompt(0).contains("made without a model") && prompt(1).contains("made without a model"));
    assert_eq!(ask(&strata, "lab/probePlan", &choice("scripted"))["fromBefore"], 6);
    assert_eq!(server.problems(), [""; 0]);
}
