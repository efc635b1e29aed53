//! Sweeping, compacting and asking models.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use crate::strata::{Computer, Run, strata};

const KEY: &str = "sk-planted-9876543210zyxwvutsrqponm";

#[test]
fn a_sweep_of_the_sample_says_which_setting_to_take() {
    let sweep = strata("sweep sample --grid interval=2..6/2,overlap=0|1;limit=15000,keep=10 --json").json();
    assert_eq!(sweep["rows"].as_array().unwrap().len(), 7);
    let recommended = sweep["recommended"].as_u64().unwrap() as usize;
    let row = &sweep["rows"][recommended];
    assert!(row["cost"].as_f64().unwrap() < sweep["baseline"]["cost"].as_f64().unwrap());
    assert!(sweep["reason"].as_str().unwrap().contains(row["config"].as_str().unwrap()));
    for field in ["billedTokens", "cachedTokens", "promptTokens", "peakTokens", "compactions", "breaks"] {
        assert!(row[field].is_u64(), "{field}: {row}");
    }
    let told = strata("sweep sample --grid interval=6,overlap=1").stdout;
    assert!(told.contains("no compaction") && told.contains("as recorded") && told.contains("★"), "{told}");
}

#[test]
fn extracts_are_labelled_and_their_losses_listed() {
    let document = strata("compact sample --config interval=6,overlap=1 --json").json();
    let windows = document["windows"].as_array().unwrap();
    assert_eq!(windows.len(), 2);
    assert_eq!((&windows[0]["atCall"], &windows[0]["events"]), (&18.into(), &serde_json::json!([1, 34])));
    assert_eq!(windows[0]["summarizer"], "extractive");
    let loss = &windows[0]["loss"];
    let counted = ["kept", "paraphrased", "dropped"].map(|verdict| loss[verdict].as_u64().unwrap());
    assert_eq!(counted.iter().sum::<u64>(), loss["items"].as_array().unwrap().len() as u64);
    assert!(strata("compact sample --config interval=6,overlap=1").stdout.contains("made without a model"));
}

#[test]
fn rows_of_a_sweep_come_as_lines_before_the_document() {
    let run = strata("sweep sample --grid interval=2..6/2,overlap=0|1 --json --lines");
    assert_eq!((run.code, &*run.stderr), (0, ""));
    let lines: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [rows @ .., document] = lines.as_slice() else { panic!("{}", run.stdout) };
    assert_eq!((rows.len(), &document["configs"]), (6, &6.into()));
    for row in document["rows"].as_array().unwrap() {
        assert_eq!(rows.iter().filter(|came| came["row"] == *row).count(), 1, "{row}");
    }
    let mut done: Vec<u64> = rows.iter().filter_map(|came| came["done"].as_u64()).collect();
    done.sort_unstable();
    assert_eq!(done, [1, 2, 3, 4, 5, 6]);
}

/// Four tables of 400 rows each, as an API gives them.
fn tables() -> String {
    let mut events = Vec::new();
    for turn in 0..5 {
        let call = format!("c{turn}");
        let mut add = |author: &str, role: &str, part: serde_json::Value| {
            let n = events.len();
            events.push(serde_json::json!({
                "id": format!("e{n}"), "author": author, "invocationId": format!("i{turn}"),
                "timestamp": n as f64, "content": { "role": role, "parts": [part] }, "actions": {}
            }));
        };
        add("user", "user", serde_json::json!({ "text": format!("What of region {turn}?") }));
        if turn == 4 {
            add("bot", "model", serde_json::json!({ "text": "Campaign CMP-2013 spent most: 7013219." }));
            break;
        }
        let row = |nth: usize| serde_json::json!({ "id": format!("CMP-{turn}{nth:03}"), "spend": 5_000_000 + turn * 1_006_603 + nth });
        let rows: Vec<serde_json::Value> = (0..400).map(row).collect();
        let name = "execute_gaql_query";
        add("bot", "model", serde_json::json!({ "functionCall": { "id": call, "name": name, "args": {} } }));
        let response = serde_json::json!({ "rows": rows });
        add(
            "bot",
            "user",
            serde_json::json!({ "functionResponse": { "id": call, "name": name, "response": response } }),
        );
        add("bot", "model", serde_json::json!({ "text": "Done." }));
    }
    serde_json::json!({ "id": "ads", "appName": "ads", "userId": "u", "state": {}, "events": events })
        .to_string()
}

#[test]
fn tables_that_became_the_name_of_a_tool_are_said_to_be_lost() {
    let computer = Computer::new();
    let path = computer.path("ads.session.json");
    std::fs::write(&path, tables()).unwrap();
    let server = ModelServer::start(vec![says("Called execute_gaql_query.")], Some(KEY));
    let command = format!("compact {} --config interval=4,overlap=0 --model live --json", path.display());
    let document = live(&computer, &server, &command).document();
    let told = &document["totals"]["told"];
    assert_eq!((&told["rows"], &told["rowsTold"]), (&1600.into(), &0.into()), "{told}");
    assert_eq!((&told["values"], &told["valuesTold"]), (&3200.into(), &0.into()), "{told}");
    // `{'rows': [{'id': 'CMP-0000', 'spend': 5000000}, …]}`: 36 characters a row, with `, ` between them.
    let spelled = 4 * (400 * 36 + 399 * 2 + "{'rows': []}".len());
    let others = 4 * ("What of region 0?".len() + "{}".len() + "Done.".len());
    assert_eq!(told["characters"], spelled + others);
    assert_eq!((&told["unreadCharacters"], &told["nCut"]), (&(spelled - 4 * 2_000).into(), &4.into()));
    let said = document["totals"]["said"].as_str().unwrap();
    assert!(
        said.starts_with("Of the results, 0 of 1,600 rows and 0 of 3,200 values can still be read."),
        "{said}"
    );
    assert!(said.contains("cuts each call and each result at 2,000 characters"), "{said}");
    let regret: Vec<[String; 3]> = document["regret"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| [&one["value"], &one["event"], &one["call"]].map(ToString::to_string))
        .collect();
    let expected = [["\"CMP-2013\"", "11", "9"], ["\"7013219\"", "11", "9"]];
    assert_eq!(regret.len(), 2);
    assert!(expected.iter().all(|one| regret.iter().any(|found| found == one)), "{regret:?}");
    assert_eq!(document["windows"][0]["loss"]["told"], *told);
    let shown = strata(&format!("compact {} --config interval=4,overlap=0", path.display())).stdout;
    assert!(shown.contains("of 1,600 rows") && shown.contains("Used later"), "{shown}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (command, because) in [
        ("compact sample --config interval=6", "interval and overlap must be set together"),
        ("sweep sample --grid interval=9..1,overlap=0", "is no range"),
        ("compact sample --config interval=6,overlap=1 --model nobody", "There is no endpoint called nobody"),
        ("compact sample --config interval=6,overlap=1 --model live", "STRATA_LIVE_BASE_URL"),
        ("replay sample --call 999 --endpoint live", "Its last call is C41"),
    ] {
        let run = strata(command);
        assert_eq!(run.code, 2, "{command}");
        let said = run.stderr.to_lowercase();
        assert!(said.contains(&because.to_lowercase()), "{command}: {}", run.stderr);
    }
}

/// A command with the scripted server as the live one.
fn asking(computer: &Computer, server: &ModelServer, arguments: &str) -> Command {
    let mut command: Command = computer.command(arguments);
    command.env("STRATA_LIVE_BASE_URL", format!("{}/v1", server.url()));
    command.env("STRATA_LIVE_MODEL", "scripted-1").env("STRATA_LIVE_API_KEY", KEY);
    command.env_remove("DBUS_SESSION_BUS_ADDRESS");
    command
}

fn live(computer: &Computer, server: &ModelServer, arguments: &str) -> Run {
    Run::from(asking(computer, server, arguments).output().unwrap())
}

fn says(text: &str) -> Play {
    Play::Stream { body: chat_stream(text, 900, 30), piece: 13 }
}

fn holds(path: &std::path::Path, needle: &str) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
}

#[test]
fn a_run_that_failed_goes_on_where_it_was_and_pays_for_nothing_twice() {
    let computer = Computer::new();
    let database = computer.path("lab.db");
    let command = format!(
        "compact sample --config interval=6,overlap=1 --model live --db {} --json",
        database.display()
    );
    let first = "The night job fails: load_rates() lost parse_float=str.";
    let cut = Play::Cut { body: chat_stream("Second, never told to the end.", 900, 30), after: 90 };
    let second = "The fix is on a branch; six rows differ by a cent.";
    let server = ModelServer::start(vec![says(first), cut, says(second)], Some(KEY));
    let failed = live(&computer, &server, &command);
    assert_eq!(failed.code, 2, "{failed:?}");
    assert!(failed.stderr.contains("Summary 2 was not written"), "{}", failed.stderr);
    assert!(failed.stderr.contains("The summary before it is kept"), "{}", failed.stderr);
    assert_eq!(server.received().len(), 2);

    let done = live(&computer, &server, &command).json();
    assert_eq!(server.received().len(), 3, "only the second is asked for");
    let repeated = live(&computer, &server, &command).json();
    assert_eq!(server.received().len(), 3, "nothing is asked for again");
    assert_eq!(server.problems(), [""; 0]);
    assert_eq!(done["windows"], repeated["windows"]);
    assert_eq!(done["windows"][0]["summary"], first);
    assert_eq!(done["totals"]["summaryInputTokens"], 1800);
    // The second window is summarised with the overlap, as google-adk would, from raw events.
    let asked = server.received();
    let prompt =
        asked[1].body.get("messages").and_then(|messages| messages.as_array()?[0].get("content")?.as_str());
    assert!(prompt.unwrap().starts_with("The following is a conversation history"));

    assert!(!failed.seen().contains(KEY) && !done.to_string().contains(KEY));
    let files = std::fs::read_dir(computer.path("")).unwrap().flatten();
    let with_key: Vec<_> =
        files.map(|file| file.path()).filter(|path| path.is_file() && holds(path, KEY)).collect();
    assert!(with_key.is_empty(), "the key is in {with_key:?}");
    assert!(holds(&database, "load_rates"), "what was paid for is in the store");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_model_that_is_silent_and_keeps_what_was_written() {
    let computer = Computer::new();
    let database = computer.path("lab.db");
    let command =
        format!("compact sample --config interval=6,overlap=1 --model live --db {}", database.display());
    let server =
        ModelServer::start(vec![says("What came first."), Play::Silence, says("What came then.")], Some(KEY));
    let run = asking(&computer, &server, &command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let run = run.unwrap();
    let start = Instant::now();
    while server.received().len() < 2 {
        assert!(start.elapsed() < Duration::from_mins(1));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    let stopped = Run::from(run.wait_with_output().unwrap());
    assert_eq!(stopped.code, 130);
    assert!(stopped.stderr.contains("Stopping.") && stopped.stderr.contains("Stopped"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("The summary before it is kept"), "{}", stopped.stderr);

    assert_eq!(live(&computer, &server, &command).code, 0);
    assert_eq!(server.received().len(), 3, "only what was not answered is asked for again");
}

#[test]
fn a_server_that_quotes_the_key_does_not_make_us_print_it() {
    let computer = Computer::new();
    let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}."}}}}"#);
    let refused = || Play::Status { status: 401, headers: Vec::new(), body: body.clone() };
    let server = ModelServer::start(vec![refused(), refused()], Some(KEY));
    let compact = live(&computer, &server, "compact sample --config interval=6,overlap=1 --model live");
    let replay = live(&computer, &server, "replay sample --call 3");
    for run in [compact, replay] {
        let seen = run.seen();
        assert!(seen.contains("does not take this key") && !seen.contains(KEY), "{seen}");
        assert_ne!(run.code, 0);
    }
}

#[test]
fn a_call_is_sent_again_beside_its_record() {
    let computer = Computer::new();
    let server = ModelServer::start(vec![says("Another answer.")], Some(KEY));
    let dry = live(&computer, &server, "replay sample --call C3 --dry-run --json").json();
    assert!(dry["body"].as_str().unwrap().contains("\"messages\"") && dry["answer"].is_null());
    assert_eq!(server.received().len(), 0, "nothing is sent on a dry run");
    let sent = live(&computer, &server, "replay sample --call C3 --json").json();
    assert_eq!(sent["answer"]["text"], "Another answer.");
    assert_eq!(
        (&sent["answer"]["reportedTokens"], &sent["answer"]["isSame"]),
        (&900.0.into(), &false.into())
    );
    assert_eq!(server.problems(), [""; 0]);
    let request = &server.received()[0];
    assert!(request.body.get("tools").is_some(), "the request is the compiled one");
}

#[test]
fn models_of_the_environment_are_listed() {
    let computer = Computer::new();
    let server = ModelServer::start(Vec::new(), None);
    let document = live(&computer, &server, "models --json").json();
    let live_one =
        document["endpoints"].as_array().unwrap().iter().find(|endpoint| endpoint["name"] == "live");
    let live_one = live_one.unwrap();
    assert_eq!(live_one["models"], serde_json::json!(["scripted-1", "scripted-2"]));
    assert_eq!(live_one["keyFrom"], "environment variable STRATA_LIVE_API_KEY");
    assert!(!document.to_string().contains(KEY));
}

/// Four turns of a chat completions client, each with one call of a tool, as pairs of requests and answers.
fn recorded_requests(system: impl Fn(usize) -> String) -> String {
    let mut told: Vec<serde_json::Value> = Vec::new();
    let mut lines = String::new();
    let mut send = |told: &mut Vec<serde_json::Value>, answer: serde_json::Value| {
        let n = lines.lines().count();
        let mut messages = vec![serde_json::json!({ "role": "system", "content": system(n) })];
        messages.extend(told.iter().cloned());
        let pair = serde_json::json!({
            "request": {
                "method": "POST", "url": "https://api.openai.com/v1/chat/completions",
                "body": { "model": "gpt-4.1", "messages": messages },
            },
            "response": {
                "status": 200, "content_type": "application/json",
                "body": {
                    "id": format!("chatcmpl-{n}"), "object": "chat.completion", "model": "gpt-4.1",
                    "choices": [{ "index": 0, "finish_reason": "stop", "message": answer }],
                },
            },
            "timestamp": format!("2026-11-20T10:{n:02}:00Z"),
        });
        told.push(answer);
        lines += &format!("{pair}\n");
    };
    for turn in 0..4 {
        told.push(serde_json::json!({ "role": "user", "content": format!("Which orders of week {turn} were late?") }));
        let id = format!("call_{turn}");
        let call = serde_json::json!({ "id": id, "type": "function", "function": { "name": "search", "arguments": "{}" } });
        send(&mut told, serde_json::json!({ "role": "assistant", "content": null, "tool_calls": [call] }));
        let rows: Vec<_> = (0..60)
            .map(|row| serde_json::json!({ "order": format!("A-{turn}{row:03}"), "late": row }))
            .collect();
        let result = serde_json::json!({ "rows": rows }).to_string();
        told.push(serde_json::json!({ "role": "tool", "tool_call_id": id, "content": result }));
        send(
            &mut told,
            serde_json::json!({ "role": "assistant", "content": format!("Order A-{turn}012 was.") }),
        );
    }
    lines
}

/// What the Lab makes of requests with a system text, but for what the prompts themselves cost.
fn compacted(system: impl Fn(usize) -> String) -> serde_json::Value {
    let computer = Computer::new();
    let path = computer.path("requests.jsonl");
    std::fs::write(&path, recorded_requests(system)).unwrap();
    let command = format!("compact {} --config interval=2,overlap=0 --json", path.display());
    let document = computer.run(&command).document();
    let windows = document["windows"].as_array().unwrap().iter();
    let windows: Vec<_> =
        windows.map(|window| (window["tokensBefore"].clone(), window["loss"]["told"].clone())).collect();
    assert!(!windows.is_empty(), "{document}");
    for window in document["windows"].as_array().unwrap() {
        assert!(!window["summary"].as_str().unwrap().contains("Rule"), "{window}");
    }
    serde_json::json!([windows, document["totals"]["told"], document["totals"]["summaryInputTokens"]])
}

#[test]
fn the_system_text_of_recorded_requests_is_no_part_of_what_is_summarised() {
    let rules = |n: usize| -> String {
        let rules = (0..n).map(|rule| format!("Rule {rule}: treat case R-{rule}00 with care."));
        rules.collect::<Vec<_>>().join("\n")
    };
    let short = compacted(|_| rules(1));
    assert_eq!(compacted(|_| rules(120)), short, "a longer one");
    // One that is new with every request is told anew between the messages.
    let each = compacted(|call| format!("{}The time is 10:{call:02}.", rules(120)));
    assert_eq!(each, short, "one that changes");
}

#[test]
fn the_recording_breaks_as_often_as_the_caches_say() {
    let mut most = 0;
    let formats = strata_testkit::samples::of_formats();
    let files = ["autogen-calls.jsonl", "claude-code.jsonl", "codex.jsonl", "smolagents.json"];
    let files = files.map(|file| formats.join(file).display().to_string());
    for file in ["sample", "weather.session.json"].into_iter().map(str::to_owned).chain(files) {
        let caches = strata(&format!("cache {file} --json")).document();
        let losses = caches["calls"].as_array().unwrap().iter().map(|call| &call["break"]["cause"]);
        let broken = losses.filter(|cause| cause.is_string() && *cause != "below_minimum").count() as u64;
        let sweep = strata(&format!("sweep {file} --grid interval=500,overlap=0 --json")).document();
        assert_eq!(sweep["baseline"]["breaks"], broken, "{file}");
        // A setting that does nothing breaks nothing, and mends nothing either.
        let show = strata(&format!("show {file} --json")).document();
        if show["sessions"][0]["compactions"] == 0 {
            assert_eq!(sweep["rows"][0]["breaks"], broken, "{file}");
            most = most.max(broken);
        }
    }
    assert!(most > 0, "some of them break");
}
