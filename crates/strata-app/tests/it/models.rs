//! Servers as people set them up: what is shown is what is asked, and what is predicted is set beside what is reported.

use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{ErrorCode, Strata};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use crate::lab::ended;
use crate::{ask, refuse, sample, start, wait_until};

const CONFIG: &str = "interval=6,overlap=1";

/// Sets the server up as `mine`, with whatever else is set.
fn set_up(strata: &Arc<Strata>, server: &ModelServer, settings: &Value) -> Value {
    let mut endpoint = json!({
        "name": "mine", "api": "chatCompletions", "baseUrl": format!("{}/v1", server.url()),
        "model": null, "headers": [], "keyVariable": null
    });
    for (name, value) in settings.as_object().expect("settings") {
        endpoint[name] = value.clone();
    }
    let list = ask(strata, "model/save", &json!({ "endpoint": endpoint }));
    let rows = list["endpoints"].as_array().expect("rows");
    rows.iter().find(|row| row["endpoint"]["name"] == "mine").expect("it is listed").clone()
}

fn says(text: &str, input: u32) -> Play {
    Play::Stream { body: chat_stream(text, input, 30), piece: 17 }
}

/// As a llama.cpp server tells of itself.
fn llama_cpp(server: &ModelServer, context: u32) {
    let props = json!({ "default_generation_settings": { "n_ctx": context }, "total_slots": 1 });
    server.tell("/props", &props.to_string());
}

fn run_params(session: &str) -> Value {
    json!({ "session": session, "config": CONFIG, "prompt": null, "writer": "mine", "model": null })
}

fn run(strata: &Arc<Strata>, session: &str) -> Value {
    let job = ask(strata, "lab/run", &run_params(session));
    ended(strata, &job);
    ask(strata, "lab/runResult", &json!({ "run": job["job"] }))
}

fn replay_params(session: &str, call: u32) -> Value {
    json!({ "session": session, "call": call, "endpoint": "mine", "model": null, "run": null })
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_server_without_a_model_of_its_own_is_asked_for_the_first_it_lists() {
    let strata = start();
    let session = sample(&strata);
    let server = ModelServer::start(vec![says("One.", 900), says("Two.", 900)], None);
    let row = set_up(&strata, &server, &json!({}));
    assert_eq!(row["ownModel"], "scripted-1");
    let estimate = ask(&strata, "lab/estimate", &run_params(&session));
    assert_eq!(estimate["model"], "scripted-1");
    let result = run(&strata, &session);
    assert_eq!((&result["state"], &result["model"]), (&json!("done"), &json!("scripted-1")));
    for request in server.received() {
        assert_eq!(request.body.get("model").and_then(|model| model.as_str()), Some("scripted-1"));
    }
    let list = ask(&strata, "lab/runs", &json!({ "session": session }));
    assert_eq!(list["rows"][0]["model"], "scripted-1", "whoever runs it again asks the same one");
}

#[test]
fn what_is_set_is_shown_and_what_makes_no_sense_is_refused() {
    let strata = start();
    let server = ModelServer::start(Vec::new(), None);
    llama_cpp(&server, 4096);
    let row = set_up(&strata, &server, &json!({}));
    assert_eq!(
        (&row["software"], &row["contextTokens"], &row["slots"]),
        (&json!("llama.cpp"), &json!(4096), &json!(1))
    );
    assert_eq!((&row["cacheRule"], &row["isFree"]), (&json!("llama.cpp"), &json!(true)));
    let set = json!({ "contextTokens": 2048, "cacheRule": "vLLM", "slots": 3, "firstByteS": 900 });
    let row = set_up(&strata, &server, &set);
    assert_eq!(
        (&row["contextTokens"], &row["cacheRule"], &row["slots"]),
        (&json!(2048), &json!("vLLM"), &json!(3))
    );
    assert_eq!(row["endpoint"]["firstByteS"], 900);
    let mut endpoint = row["endpoint"].clone();
    endpoint["cacheRule"] = json!("house rule");
    let (code, message) = refuse(&strata, "model/save", &json!({ "endpoint": endpoint }));
    assert_eq!(code, ErrorCode::BadInput);
    assert!(
        message.contains("no cache rule called house rule") && message.contains("llama.cpp"),
        "{message}"
    );
    let list = ask(&strata, "model/forget", &json!({ "name": "mine" }));
    let rows = list["endpoints"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["endpoint"]["name"] != "mine"));
}

#[test]
fn a_replay_is_predicted_by_what_this_server_was_sent() {
    let strata = start();
    let session = sample(&strata);
    let server = ModelServer::start(vec![says("Again.", 1000), says("Once more.", 1000)], None);
    llama_cpp(&server, 1_000_000);
    set_up(&strata, &server, &json!({}));
    let preview = |call| ask(&strata, "call/replayPreview", &replay_params(&session, call));
    let cold = preview(12);
    assert_eq!(cold["predictedCached"]["tokens"], 0, "it was never sent anything: {cold}");
    assert!(cold["cacheSaid"].as_str().expect("words").contains("nothing was sent"), "{cold}");
    assert_eq!((&cold["problem"], &cold["contextTokens"]), (&Value::Null, &json!(1_000_000)));
    assert_eq!(cold["estimatedCostUsd"], 0.0, "a server on this computer is paid by nobody");

    let job = ask(&strata, "call/replay", &replay_params(&session, 12));
    ended(&strata, &job);
    let warm = preview(12);
    let (tokens, cached) = (number(&warm["predicted"]["tokens"]), number(&warm["predictedCached"]["tokens"]));
    assert_eq!(warm["predictedCached"]["basis"], "estimated", "the server does not count");
    assert!(cached < tokens && cached >= tokens - 2.0, "all but the last token: {cached} of {tokens}");
    assert!(warm["cacheSaid"].as_str().expect("words").contains("1 prompt sent to it"), "{warm}");
    let answer = ask(&strata, "call/replayResult", &job);
    assert!(number(&answer["firstTokenS"]) >= 0.0, "{answer}");
    let other = preview(13);
    let (all, shared) = (number(&other["predicted"]["tokens"]), number(&other["predictedCached"]["tokens"]));
    assert!(shared <= all, "never more than there is: {shared} of {all}");
}

#[test]
fn a_server_that_counts_is_believed() {
    let strata = start();
    let session = sample(&strata);
    let server = ModelServer::start(Vec::new(), None);
    llama_cpp(&server, 1_000_000);
    server.tell("/apply-template", r#"{"prompt": "<|im_start|>"}"#);
    let tokens: Vec<u32> = (0..1234).collect();
    server.tell("/tokenize", &json!({ "tokens": tokens }).to_string());
    set_up(&strata, &server, &json!({}));
    let preview = ask(&strata, "call/replayPreview", &replay_params(&session, 5));
    assert_eq!(
        (&preview["predicted"]["tokens"], &preview["predicted"]["basis"]),
        (&json!(1234), &json!("exact"))
    );
    let estimate = ask(&strata, "lab/estimate", &run_params(&session));
    assert_eq!((&estimate["inputTokens"], &estimate["inputBasis"]), (&json!(2468.0), &json!("exact")));
}

/// A server that reads prompts with a template and a vocabulary of its own.
fn reading(script: Vec<Play>) -> ModelServer {
    let server = ModelServer::start(script, None);
    llama_cpp(&server, 1_000_000);
    server.read_prompts();
    server
}

#[test]
fn what_is_found_again_is_predicted_to_the_token_where_the_server_tells_its_own() {
    let strata = start();
    let session = sample(&strata);
    let server = reading(vec![Play::Says("Again.".to_owned()); 8]);
    // It has one slot, and keeps nothing beside it.
    set_up(&strata, &server, &json!({ "slots": 1 }));
    // Calls that go on, that leave off earlier, and that are of another agent.
    for (at, call) in [12, 12, 13, 5, 14, 2, 13, 1].into_iter().enumerate() {
        let preview = ask(&strata, "call/replayPreview", &replay_params(&session, call));
        assert_eq!(preview["isCountedByServer"], true);
        assert_eq!(preview["predictedCached"]["basis"], "exact", "{preview}");
        let said = preview["cacheSaid"].as_str().expect("words");
        assert_eq!(said.contains("compared in its own tokens"), at > 0, "{said}");
        let job = ask(&strata, "call/replay", &replay_params(&session, call));
        ended(&strata, &job);
        let answer = ask(&strata, "call/replayResult", &job);
        assert_eq!(answer["failure"], Value::Null, "{answer}");
        let reported = (number(&answer["reportedTokens"]), number(&answer["reportedCachedTokens"]));
        let predicted =
            (number(&preview["predicted"]["tokens"]), number(&preview["predictedCached"]["tokens"]));
        assert_eq!(predicted, reported, "C{call}");
        // Its template says something before the instruction, and every prompt begins with that.
        assert!(at == 0 || predicted.1 > 10.0, "C{call}: {predicted:?}");
    }
    assert_eq!(server.problems(), [""; 0]);
}

#[test]
fn what_may_lie_in_main_memory_is_not_said_to_be_there() {
    let strata = start();
    let session = sample(&strata);
    let server = reading(vec![Play::Says("Again.".to_owned()); 2]);
    set_up(&strata, &server, &json!({}));
    for call in [12, 1] {
        ended(&strata, &ask(&strata, "call/replay", &replay_params(&session, call)));
    }
    let preview = ask(&strata, "call/replayPreview", &replay_params(&session, 12));
    let cached = &preview["predictedCached"];
    assert_eq!(cached["basis"], "estimated", "{preview}");
    let all = number(&preview["predicted"]["tokens"]);
    assert!((number(&cached["high"]) - (all - 1.0)).abs() < 0.5, "{preview}");
    assert!(number(&cached["low"]) > 10.0 && number(&cached["low"]) < number(&cached["high"]), "{cached}");
    let said = preview["cacheSaid"].as_str().expect("words");
    assert!(said.contains("its slot has") && said.contains("main memory"), "{said}");
}

#[test]
fn a_server_that_fails_to_count_stops_nothing_and_is_said_to() {
    let strata = start();
    let session = sample(&strata);
    let server = reading(vec![Play::Says("Again.".to_owned()); 4]);
    set_up(&strata, &server, &json!({}));
    let send = || {
        let job = ask(&strata, "call/replay", &replay_params(&session, 12));
        ended(&strata, &job);
        ask(&strata, "call/replayResult", &job)
    };
    let preview = || ask(&strata, "call/replayPreview", &replay_params(&session, 12));
    send();
    let busy = json!({ "error": { "message": "all slots are busy" } }).to_string();
    server.play_at("/tokenize", Play::Status { status: 500, headers: Vec::new(), body: busy });
    let other = json!({ "session": session, "call": 13, "endpoint": "mine", "model": null, "run": null });
    let failed = ask(&strata, "call/replayPreview", &other);
    assert_eq!(
        (&failed["isCountedByServer"], &failed["predicted"]["basis"]),
        (&json!(false), &json!("estimated"))
    );
    assert_eq!(failed["predictedCached"]["basis"], "estimated");
    let said = failed["cacheSaid"].as_str().expect("words");
    assert!(
        said.contains("compared by our count") && said.contains("It did not count this prompt:"),
        "{said}"
    );
    assert!(said.contains("all slots are busy"), "{said}");
    assert_eq!(preview()["predictedCached"]["basis"], "exact", "what was counted before is known");
    let job = ask(&strata, "call/replay", &other);
    assert_eq!(ended(&strata, &job)["state"], "done", "it is sent all the same");
    // It counts again; but what it made of one prompt is not known, and nobody says that it is.
    server.forget_at("/tokenize");
    let after = preview();
    assert_eq!(
        (&after["isCountedByServer"], &after["predictedCached"]["basis"]),
        (&json!(true), &json!("estimated"))
    );
    assert_eq!(send()["failure"], Value::Null);
}

#[test]
fn a_run_is_predicted_before_it_and_set_beside_what_was_reported() {
    let strata = start();
    let session = sample(&strata);
    let server = reading(vec![Play::Says("Two rounding rules differ.".to_owned()); 4]);
    set_up(&strata, &server, &json!({}));
    let before = ask(&strata, "lab/estimate", &run_params(&session));
    assert_eq!(
        (&before["inputBasis"], &before["inputSaid"], &before["cached"]["basis"]),
        (&json!("exact"), &json!("counted by the server"), &json!("exact"))
    );
    assert!(number(&before["cached"]["tokens"]) > 10.0, "every prompt for a summary begins alike: {before}");
    let result = run(&strata, &session);
    assert_eq!(result["state"], "done", "{result}");
    let prompts = &result["prompts"];
    assert_eq!(prompts["isExact"], true);
    assert_eq!(prompts["predictedTokens"], prompts["reportedTokens"]);
    assert_eq!(prompts["predictedCachedTokens"], prompts["reportedCachedTokens"]);
    assert_eq!(prompts["reportedTokens"], before["inputTokens"]);
    let found = number(&prompts["reportedCachedTokens"]);
    assert!((found - number(&before["cached"]["tokens"])).abs() < 0.5, "{before} {prompts}");
    let after = ask(&strata, "lab/estimate", &run_params(&session));
    assert_eq!((&after["fromBefore"], &after["inputSaid"]), (&after["summaries"], &json!("")));
}

#[test]
fn a_server_that_fails_to_count_is_left_alone_whatever_is_planned() {
    let strata = start();
    let session = sample(&strata);
    let server = reading(Vec::new());
    server.play_at("/apply-template", Play::Page("<html>Sign in</html>".to_owned()));
    set_up(&strata, &server, &json!({}));
    let of = |model: &str| json!({ "writer": "mine", "model": model });
    let probes = json!({ "questions": 3, "writer": "mine", "model": "scripted-2" });
    let mut choice = json!({ "choice": {
        "session": session, "configs": [CONFIG, "interval=8,overlap=0"], "models": [of("scripted-1"), of("scripted-2")],
        "prompt": null, "budget": { "usd": null, "tokens": null }, "probes": probes
    } });
    let plan = ask(&strata, "lab/batchPlan", &choice);
    assert_eq!(plan["cells"].as_array().map(Vec::len), Some(4));
    assert_eq!(
        server.asked("/apply-template"),
        1,
        "four runs, two of them with the model that answers questions"
    );
    choice["choice"]["probes"]["model"] = json!("scripted-3");
    ask(&strata, "lab/batchPlan", &choice);
    assert_eq!(server.asked("/apply-template"), 1, "four runs, and each setting with a third model");
}

#[test]
fn a_prompt_that_does_not_fit_is_not_sent() {
    let strata = start();
    let session = sample(&strata);
    let server = ModelServer::start(Vec::new(), None);
    llama_cpp(&server, 512);
    set_up(&strata, &server, &json!({}));
    let preview = ask(&strata, "call/replayPreview", &replay_params(&session, 5));
    let problem = preview["problem"].as_str().expect("a problem");
    assert!(problem.contains("takes 512 with its answer. Nothing was sent."), "{problem}");
    let (code, message) = refuse(&strata, "call/replay", &replay_params(&session, 5));
    assert_eq!((code, &*message), (ErrorCode::BadInput, problem));
    let estimate = ask(&strata, "lab/estimate", &run_params(&session));
    assert_eq!((&estimate["tooLong"], &estimate["contextTokens"]), (&json!(2), &json!(512)));
    let result = run(&strata, &session);
    assert_eq!(result["state"], "failed");
    let failure = result["failure"].as_str().expect("why");
    assert!(failure.starts_with("Summary 1 was not written. The prompt has"), "{failure}");
    assert_eq!(server.received().len(), 0);
}

#[test]
fn what_a_model_thinks_is_no_summary() {
    let strata = start();
    let session = sample(&strata);
    let thinks = |thought: &str| {
        let piece = json!({ "choices": [{ "delta": { "reasoning_content": thought } }] });
        let end = chat_stream("Nothing to say.", 900, 30);
        Play::Stream { body: format!("data: {piece}\n\n{end}"), piece: 40 }
    };
    let facts =
        "INV-20260301-0042 in /srv/billing/money.py: parse_float=str, 12,480.55 EUR, branch fix/decimal.";
    let server = ModelServer::start(vec![thinks(facts), thinks(facts)], None);
    llama_cpp(&server, 1_000_000);
    set_up(&strata, &server, &json!({}));
    let result = run(&strata, &session);
    assert_eq!(result["state"], "done", "{result}");
    assert_eq!(result["replay"]["windows"][0]["summary"], "Nothing to say.");
    let loss = json!({ "run": result["run"], "window": 0, "offset": 0, "limit": 1 });
    let loss = ask(&strata, "lab/loss", &loss);
    assert_eq!((&loss["kept"], &loss["summary"]), (&json!(0), &json!("Nothing to say.")));
    assert!(number(&result["replay"]["windows"][0]["tokensAfter"]) < 10.0);
    // Nobody is paid for it, and that is no reason to know no price of the session.
    assert_eq!(result["costUsd"], 0.0);
    assert_eq!(result["replay"]["bill"]["summaryCostUsd"], 0.0);
    assert!(number(&result["replay"]["bill"]["costUsd"]) > 0.0);
    let made = ask(&strata, "lab/apply", &json!({ "run": result["run"], "name": null }));
    let experiment = made["experiment"].clone();
    wait_until(|| {
        let header = ask(&strata, "session/header", &json!({ "session": experiment }));
        header["compiledCalls"] == header["calls"]
    });
    let last = ask(&strata, "call/get", &json!({ "session": experiment, "call": 41 }));
    let sizes = result["replay"]["promptTokens"].as_array().expect("sizes");
    assert_eq!(
        &last["prompt"]["tokens"],
        sizes.last().expect("41 calls"),
        "the experiment has the size of the run"
    );
}

#[test]
fn the_beginning_of_a_summary_that_breaks_off_is_kept_and_marked() {
    let strata = start();
    let session = sample(&strata);
    let body = chat_stream("The night job fails at dawn.", 900, 30);
    let after = body.find("dawn").expect("it says so");
    let server = ModelServer::start(vec![Play::Cut { body, after }, Play::Silence], None);
    set_up(&strata, &server, &json!({}));
    let result = run(&strata, &session);
    assert_eq!(result["state"], "failed");
    assert_eq!(result["partial"], json!({ "number": 1, "text": "The night job fails at" }));
    let failure = result["failure"].as_str().expect("why");
    assert!(failure.ends_with("Its beginning is shown, and laid over nothing."), "{failure}");
    assert_eq!(failure.matches("kept").count(), 0, "nothing was kept: {failure}");

    // Resumed, it runs, for everybody who looks.
    let resumed = ask(&strata, "lab/resume", &json!({ "run": result["run"] }));
    wait_until(|| server.received().len() == 2);
    let list = ask(&strata, "lab/runs", &json!({ "session": session }));
    let row = &list["rows"][0];
    assert_eq!(
        (&row["state"], &row["failure"], &row["expected"]),
        (&json!("running"), &Value::Null, &json!(2))
    );
    let (_, message) = refuse(&strata, "lab/resume", &json!({ "run": result["run"] }));
    assert!(message.contains("goes on already"), "{message}");
    let again = ask(&strata, "lab/runResult", &json!({ "run": result["run"] }));
    assert_eq!(again["job"], resumed["job"], "who loads the page again finds the job");
    ask(&strata, "job/cancel", &resumed);
    ended(&strata, &resumed);
}

#[test]
fn a_picture_that_is_refused_can_be_left_out() {
    let strata = start();
    let session = sample(&strata);
    let body = r#"{"error":{"code":500,"message":"image input is not supported - hint: you may need to provide the mmproj"}}"#;
    let refused = Play::Status { status: 500, headers: Vec::new(), body: body.to_owned() };
    let server = ModelServer::start(vec![refused], None);
    set_up(&strata, &server, &json!({}));
    let job = ask(&strata, "call/replay", &replay_params(&session, 5));
    ended(&strata, &job);
    let answer = ask(&strata, "call/replayResult", &job);
    assert_eq!(answer["isPictureRefused"], true, "{answer}");
    assert_eq!(server.received().len(), 1, "it is not tried again");
}
