//! Running agents.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use crate::strata::{Computer, Run};

fn apps() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/ads-report")
}

/// The arguments that run the sample app.
fn sample() -> String {
    let file = |name: &str| apps().join(name).display().to_string();
    let (app, tools, answers) = (file("app.yaml"), file("tools.js"), file("answers.yaml"));
    format!("run {app} --tools {tools} --model scripted:{answers}")
}

/// A program that is given its messages on standard input.
fn piped(computer: &Computer, arguments: &str, input: &str) -> Run {
    let mut command = computer.command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap().into()
}

fn app(computer: &Computer) -> String {
    let path = computer.path("app.yaml");
    std::fs::write(
        &path,
        "agent_class: LlmAgent\nname: helper\nmodel: gemini-3.5-flash\ninstruction: Help.\n",
    )
    .unwrap();
    path.display().to_string()
}

#[test]
fn a_turn_of_many_calls_comes_to_its_end() {
    let computer = Computer::new();
    let agent =
        json!({"type": "llm", "name": "step", "model": "gemini-3.5-flash", "include_contents": "none"});
    let app = json!({"name": "steps", "root_agent":
        {"type": "loop", "name": "again", "max_iterations": 300, "sub_agents": [agent]}});
    let path = computer.path("steps.json");
    std::fs::write(&path, app.to_string()).unwrap();
    let run = computer.run(&format!("run {} go --model echo --max-calls 0 --json", path.display()));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.document()["calls"].as_array().map(Vec::len), Some(300));
}

#[test]
fn the_sample_pipeline_runs_and_every_view_has_its_numbers() {
    let computer = Computer::new();
    let run = piped(
        &computer,
        &format!("{} --state currency=EUR --json", sample()),
        "How did the summer campaigns do?",
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    let document = run.document();
    let calls = document["calls"].as_array().unwrap();
    let agents: Vec<&str> = calls.iter().map(|call| call["agent"].as_str().unwrap()).collect();
    assert_eq!(
        agents,
        ["desk", "query_writer", "query_writer", "executor", "executor", "analyst", "report_writer"]
    );
    assert!(
        calls[0]["request"]["config"]["systemInstruction"].as_str().unwrap().contains("Amounts are in EUR")
    );
    let session = document["session"].as_str().unwrap();
    let shown = |command: &str| computer.run(&format!("{command} {session} --json")).json();
    assert_eq!(shown("show")["sessions"][0]["recordedRequests"], 7);
    assert_eq!(shown("show")["sessions"][0]["events"], document["events"].as_array().unwrap().len());
    let (tokens, cache) = (shown("tokens"), shown("cache"));
    for (at, call) in calls.iter().enumerate() {
        let number = at + 1;
        assert_eq!(call["call"], json!(number));
        assert_eq!(cache["calls"][at]["promptTokens"], call["promptTokens"]);
        assert_eq!(
            tokens["calls"][at]["tokens"], call["promptTokens"],
            "no report: the count is all there is"
        );
        let compiled = computer.run(&format!("compile {session} --call {number} --json")).json();
        assert_eq!(compiled["request"], call["request"], "C{number}");
    }
    let sums = &document["state"]["session"]["summary"];
    assert_eq!(sums["Sandals"]["clicks"].as_i64().unwrap(), 1534, "{sums}");
    let of_writer = calls[6]["request"].to_string();
    assert!(
        of_writer.contains("cost_per_click") && !of_writer.contains("cost_micros"),
        "rows stay out of the report"
    );
    let found = shown("findings")["findings"].as_array().unwrap().clone();
    assert!(found.iter().any(|finding| finding["code"] == "quoted-tool-results"), "{found:?}");
}

#[test]
fn what_agents_say_goes_to_standard_output() {
    let computer = Computer::new();
    let run = piped(&computer, &sample(), "How did the summer campaigns do?");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let speakers: Vec<&str> = run.stdout.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(speakers, ["query_writer", "executor", "analyst", "report_writer"], "{}", run.stdout);
    for told in
        ["desk calls transfer_to_agent", "run_query gives", "7 calls of models", "go on with `--session`"]
    {
        assert!(run.stderr.contains(told), "{told}: {}", run.stderr);
    }
}

#[test]
fn turns_come_from_arguments_and_files() {
    let computer = Computer::new();
    let (app, database) = (app(&computer), computer.path("x.db"));
    let turns = computer.path("turns.yaml");
    std::fs::write(&turns, "- one\n- two\n").unwrap();
    let run = |more: &str| {
        let command = format!("run {app} --model echo --json --db {} {more}", database.display());
        computer.run(&command).document()
    };
    let texts = |document: &Value| -> Vec<String> {
        let events = document["events"].as_array().unwrap();
        events.iter().map(|event| event["content"]["parts"][0]["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(texts(&run(&format!("--turns {}", turns.display()))), ["one", "one", "two", "two"]);
    let first = run("three four");
    assert_eq!(texts(&first), ["three", "three", "four", "four"]);
    let on = run(&format!("five --session {}", first["session"].as_str().unwrap()));
    assert_eq!((&on["session"], texts(&on)), (&first["session"], vec!["five".to_owned(), "five".to_owned()]));
    assert_eq!(on["calls"][0]["request"]["contents"].as_array().unwrap().len(), 5);
}

fn live(computer: &Computer, server: &ModelServer, arguments: &str) -> Command {
    let mut command = computer.command(arguments);
    command.env("STRATA_LIVE_BASE_URL", format!("{}/v1", server.url()));
    command.env("STRATA_LIVE_MODEL", "scripted-1").env_remove("DBUS_SESSION_BUS_ADDRESS");
    command
}

#[test]
fn ctrl_c_leaves_a_session_that_goes_on() {
    let computer = Computer::new();
    let (app, database) = (app(&computer), computer.path("x.db"));
    let stall = Play::Stall { body: chat_stream("A long story begins.", 40, 9), after: 120 };
    let answer = Play::Stream { body: chat_stream("The end.", 60, 3), piece: 20 };
    let server = ModelServer::start(vec![stall, answer], None);
    let command = format!("run {app} Tell --json --db {}", database.display());
    let child =
        live(&computer, &server, &command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while server.received().is_empty() {
        assert!(start.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let stopped = Run::from(child.wait_with_output().unwrap());
    assert_eq!(stopped.code, 130, "{}", stopped.stderr);
    let document = stopped.document();
    assert_eq!((&document["stopped"], &document["error"]), (&json!(true), &Value::Null));
    assert_eq!(document["calls"][0]["call"], 1);
    let last = document["events"].as_array().unwrap().last().unwrap();
    assert!(last["errorMessage"].as_str().unwrap().contains("abort"), "{last}");

    let session = document["session"].as_str().unwrap();
    let command = format!("run {app} Well? --session {session} --json --db {}", database.display());
    let on = Run::from(live(&computer, &server, &command).output().unwrap());
    assert_eq!(on.code, 0, "{}", on.stderr);
    let document = on.document();
    assert_eq!(document["session"], session);
    let said = document["calls"][0]["request"]["contents"].to_string();
    assert!(said.contains("Tell") && said.contains("Well?"), "{said}");
    assert_eq!(document["calls"][0]["promptTokens"], 60);
    assert_eq!(server.problems(), [""; 0]);
}

#[test]
fn a_run_that_fails_says_why_and_exits_with_one() {
    let computer = Computer::new();
    let app = app(&computer);
    let script = computer.path("answers.json");
    std::fs::write(&script, "[\"Only this.\"]").unwrap();
    let run = computer.run(&format!("run {app} one two --model scripted:{}", script.display()));
    assert_eq!(run.code, 1);
    assert_eq!(run.stdout, "helper: Only this.\n");
    assert!(
        run.stderr.contains("The run failed: The script holds no more answers for helper"),
        "{}",
        run.stderr
    );
    for (arguments, because) in [
        (format!("run {app} hi --model nobody"), "There is no endpoint called nobody"),
        (format!("run {app} hi --session nothing-like-it --model echo"), "nothing-like-it is neither"),
        ("run nowhere.yaml hi --model echo".to_owned(), "cannot be used as an app configuration"),
        (format!("run {app} hi --model echo --state x"), "should be NAME=VALUE"),
        (format!("run {app} --model echo --session x --answer c1={{conf"), "begins as JSON does and is none"),
        (format!("run {app} hi --model echo --max-cost nan"), "`nan` is no amount of US dollars"),
        (format!("run {app} hi --model echo --max-cost inf"), "`inf` is no amount of US dollars"),
        (format!("run {app} hi --model echo --max-cost=-1"), "`-1` is no amount of US dollars"),
    ] {
        let run = computer.run(&arguments);
        assert_eq!(run.code, 2, "{arguments}: {}", run.seen());
        assert!(run.stderr.contains(because), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn the_end_tells_what_was_reported_where_it_was() {
    let computer = Computer::new();
    let (app, script) = (computer.path("app.yaml"), computer.path("answers.yaml"));
    let reported = "- {text: One., usage: {prompt: 1200, cached: 1024, output: 20}}\n";
    let silent = "- {text: One., usage: {prompt: 1200, output: 20}}\n";
    let both = format!("{reported}- Two.\n");
    for (model, answers, messages, told) in [
        ("gemini-3.5-flash", reported, "one", " 1,200 tokens of prompts, 1,024 of them cached as reported; "),
        ("gemini-3.5-flash", &*both, "one two", ", 1,024 of them cached as reported and 0 as predicted; "),
        ("gemini-3.5-flash", "- One.\n", "one", ", 0 of them cached as predicted; "),
        ("gpt-4o", silent, "one", " 1,200 tokens of prompts, nothing reported of a cache; "),
    ] {
        std::fs::write(&app, format!("name: helper\nmodel: {model}\ninstruction: Help.\n")).unwrap();
        std::fs::write(&script, answers).unwrap();
        let (app, script) = (app.display(), script.display());
        let run = computer.run(&format!("run {app} {messages} --model scripted:{script}"));
        assert_eq!(run.code, 0, "{}", run.seen());
        assert!(run.stderr.contains(told), "{told}: {}", run.stderr);
    }
}

#[test]
fn a_held_call_is_shown_and_asked_about() {
    let computer = Computer::new();
    let app = app(&computer);
    let held = piped(&computer, &format!("run {app} Hello --model echo --hold always"), "what\ns\ny\n");
    assert_eq!((held.code, &*held.stdout), (0, "helper: Hello\n"), "{}", held.stderr);
    for told in [
        "Held: a call of helper. Every call is held.",
        "prompt  ",
        "\"systemInstruction\": \"Help.",
        "first call",
    ] {
        assert!(held.stderr.contains(told), "{told}: {}", held.stderr);
    }
    let stopped = piped(&computer, &format!("run {app} Hello --model echo --hold tokens=1"), "n\n");
    assert_eq!((stopped.code, &*stopped.stdout), (130, ""), "{}", stopped.stderr);
    let wrong = computer.run(&format!("run {app} Hello --model echo --hold sometimes"));
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("is no condition: there are always, agent=NAME"), "{}", wrong.stderr);
}
