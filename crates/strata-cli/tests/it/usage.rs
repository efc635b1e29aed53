//! `strata usage`, on computers with a home of their own.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::strata::{Computer, Run, samples};

const CLAUDE: &str = ".claude/projects/-home-ada-work";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn lines(records: &[Value]) -> String {
    records.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n"
}

fn prompt(session: &str, time: &str) -> Value {
    json!({
        "type": "user", "uuid": format!("{session}-prompt"), "parentUuid": null, "isSidechain": false, "sessionId": session,
        "cwd": "/home/ada/work", "timestamp": time, "message": { "role": "user", "content": "Fix the tests" }
    })
}

/// The n-th answer of all sessions, with usage that is told from others'.
fn answer(session: &str, n: u64, model: &str, time: &str) -> Value {
    json!({
        "type": "assistant", "uuid": format!("{session}-{n}"), "parentUuid": format!("{session}-prompt"),
        "isSidechain": false, "sessionId": session, "cwd": "/home/ada/work", "timestamp": time,
        "requestId": format!("req_{n}"),
        "message": {
            "id": format!("msg_0123456789_{n}"), "type": "message", "role": "assistant", "model": model,
            "content": [{ "type": "text", "text": format!("Answer {n}") }],
            "usage": {
                "input_tokens": n, "cache_read_input_tokens": 1000 * n, "cache_creation_input_tokens": 100 * n,
                "output_tokens": 10 * n
            }
        }
    })
}

fn of_agent(mut record: Value, agent: &str) -> Value {
    record["isSidechain"] = json!(true);
    record["agentId"] = json!(agent);
    record
}

fn token_count(time: &str, total: u64, last: u64) -> Value {
    let usage = |input: u64| json!({ "input_tokens": input, "cached_input_tokens": input / 2, "output_tokens": input / 10 });
    let info = json!({ "total_token_usage": usage(total), "last_token_usage": usage(last) });
    json!({ "timestamp": time, "type": "event_msg", "payload": { "type": "token_count", "info": info } })
}

fn message(time: &str, role: &str, text: &str) -> Value {
    let kind = if role == "user" { "input_text" } else { "output_text" };
    let content = json!([{ "type": kind, "text": text }]);
    json!({ "timestamp": time, "type": "response_item", "payload": { "type": "message", "role": role, "content": content } })
}

fn rollout() -> String {
    let meta = json!({ "id": "thread-1", "timestamp": "2026-01-03T10:00:00Z", "cwd": "/home/ada/shop" });
    lines(&[
        json!({ "timestamp": "2026-01-03T10:00:00Z", "type": "session_meta", "payload": meta }),
        json!({ "timestamp": "2026-01-03T10:00:01Z", "type": "turn_context", "payload": { "model": "gpt-5.5" } }),
        message("2026-01-03T10:00:02Z", "user", "Add a basket"),
        message("2026-01-03T10:00:03Z", "assistant", "I look at it."),
        token_count("2026-01-03T10:00:04Z", 2000, 2000),
        token_count("2026-01-03T10:00:05Z", 2000, 2000),
        message("2026-01-03T10:00:06Z", "assistant", "It is there."),
        token_count("2026-01-03T10:00:07Z", 5000, 3000),
    ])
}

/// A computer on which Claude Code and Codex worked. One session was resumed, and had a sub-agent.
fn computer() -> Computer {
    let computer = Computer::new();
    let sonnet = "claude-sonnet-4-5-20250929";
    let first = [
        prompt("first", "2026-01-02T09:00:00Z"),
        answer("first", 1, sonnet, "2026-01-02T09:00:05Z"),
        answer("first", 2, sonnet, "2026-01-02T23:30:00Z"),
    ];
    write(&computer.path(&format!("{CLAUDE}/first.jsonl")), &lines(&first));
    let resumed = [
        prompt("second", "2026-01-02T09:00:00Z"),
        answer("second", 1, sonnet, "2026-01-02T09:00:05Z"),
        answer("second", 2, sonnet, "2026-01-02T23:30:00Z"),
        answer("second", 3, "nobody-s-model", "2026-01-04T08:00:00Z"),
    ];
    write(&computer.path(&format!("{CLAUDE}/second.jsonl")), &lines(&resumed));
    let agent = [
        of_agent(prompt("first", "2026-01-02T09:10:00Z"), "helper"),
        of_agent(answer("first", 4, "claude-haiku-4-5", "2026-01-02T09:10:05Z"), "helper"),
    ];
    write(&computer.path(&format!("{CLAUDE}/first/subagents/agent-helper.jsonl")), &lines(&agent));
    write(&computer.path(".codex/sessions/2026/01/03/rollout-1.jsonl"), &rollout());
    computer
}

fn usage(computer: &Computer, arguments: &str) -> Run {
    let mut command = computer.command(&format!("usage {arguments}"));
    command.env("TZ", "UTC").env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
    command.output().unwrap().into()
}

/// As a person sees it, with the folders of this computer called as on any other.
fn seen(computer: &Computer, arguments: &str) -> String {
    usage(computer, arguments).seen().replace(&computer.path("").display().to_string(), "~/")
}

/// Key and tokens of each row: uncached, read, written, output.
fn rows(document: &Value) -> Vec<(String, [u64; 4])> {
    let rows = document["rows"].as_array().unwrap().iter();
    rows.map(|row| (row["key"].as_str().unwrap_or("–").to_owned(), tokens(row))).collect()
}

fn tokens(sums: &Value) -> [u64; 4] {
    ["uncachedTokens", "cachedTokens", "cacheWriteTokens", "outputTokens"]
        .map(|key| sums[key].as_u64().unwrap())
}

#[test]
fn days_are_a_table() {
    insta::assert_snapshot!("by_day", seen(&computer(), ""));
}

#[test]
fn calls_are_added_up_by_anything() {
    let computer = computer();
    for by in ["project", "model", "tool", "session"] {
        insta::assert_snapshot!(format!("by_{by}"), seen(&computer, &format!("--by {by}")));
    }
}

#[test]
fn the_document_has_the_shape_that_scripts_rely_on() {
    let computer = computer();
    let run = usage(&computer, "--json");
    let text = run.json().to_string().replace(&computer.path("").display().to_string(), "~/");
    insta::assert_json_snapshot!("document", serde_json::from_str::<Value>(&text).unwrap());
}

#[test]
fn every_table_adds_up_to_the_same() {
    let computer = computer();
    let total = usage(&computer, "--json").json()["total"].clone();
    assert_eq!(tokens(&total), [1 + 2 + 3 + 4 + 2500, 10_000 + 2500, 1000, 100 + 500]);
    assert_eq!((&total["calls"], &total["sessions"]), (&json!(6), &json!(3)));
    for by in ["day", "project", "model", "tool", "session"] {
        let document = usage(&computer, &format!("--by {by} --json")).json();
        assert_eq!(document["total"], total, "{by}");
        let sums = rows(&document)
            .into_iter()
            .fold([0; 4], |sum, (_, row)| [0, 1, 2, 3].map(|at| sum[at] + row[at]));
        assert_eq!(sums, tokens(&total), "{by}");
    }
}

#[test]
fn a_file_that_stays_as_it_is_is_read_once() {
    let computer = computer();
    let first = usage(&computer, "--json").json();
    assert_eq!(usage(&computer, "--json").json(), first);
    let files = computer.path(CLAUDE).read_dir().unwrap().map(|entry| entry.unwrap().path());
    let size = |path: &std::path::PathBuf| fs::metadata(path).unwrap().len();
    let file = files.filter(|path| path.is_file()).max_by_key(size).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    // Nobody sees that it is another, and it is not read again.
    let set_modified = |at| fs::File::options().write(true).open(&file).unwrap().set_modified(at).unwrap();
    fs::write(&file, text.replace("\"output_tokens\":", "\"outputs_tokens\":")).unwrap();
    assert_ne!(usage(&computer, "--json").json()["total"], first["total"]);
    fs::write(&file, &text).unwrap();
    set_modified(modified);
    assert_eq!(usage(&computer, "--json").json(), first);
    fs::write(&file, " ".repeat(text.len())).unwrap();
    set_modified(modified);
    assert_eq!(usage(&computer, "--json").json(), first);
    // What is kept may go.
    fs::remove_file(computer.path(".cache/strata/usage.json")).unwrap();
    assert_ne!(usage(&computer, "--json").json()["total"], first["total"]);
}

#[test]
fn a_day_is_that_of_the_zone() {
    let computer = computer();
    let days = |zone: &str| rows(&usage(&computer, &format!("--json --timezone {zone}")).json());
    assert_eq!(days("UTC")[0], ("2026-01-02".to_owned(), [7, 7000, 700, 70]));
    assert_eq!(days("Europe/Oslo")[0], ("2026-01-02".to_owned(), [5, 5000, 500, 50]));
    let unknown = usage(&computer, "--timezone Nowhere/Land");
    assert!(unknown.code == 2 && unknown.stderr.contains("Nowhere/Land"), "{}", unknown.stderr);
}

#[test]
fn some_days_are_asked_for() {
    let computer = computer();
    let keys = |days: &str| {
        let document = usage(&computer, &format!("{days} --json")).json();
        rows(&document).into_iter().map(|(day, _)| day).collect::<Vec<_>>()
    };
    assert_eq!(keys("--since 2026-01-03"), ["2026-01-03", "2026-01-04"]);
    assert_eq!(keys("--since 20260103 --until 2026-01-03"), ["2026-01-03"]);
    assert_eq!(keys("--until 2026-01-02"), ["2026-01-02"]);
    assert_eq!(keys("--since 2027-01-01"), [""; 0]);
    let wrong = usage(&computer, "--since yesterday");
    assert_eq!((wrong.code, &*wrong.stderr), (2, "yesterday is no day. Write it as 2026-11-20.\n"));
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let computer = computer();
    write(&computer.path("opencode/opencode.db"), "SQLite format 3\0 and nothing else");
    write(&computer.path(&format!("{CLAUDE}/empty.jsonl")), "");
    insta::assert_snapshot!("unreadable", seen(&computer, "--by tool"));
    let whole = usage(&computer, "--json");
    assert_eq!(whole.code, 0);
    assert_eq!(whole.document()["total"]["calls"], json!(6));
}

#[test]
fn where_nothing_is_that_is_said() {
    let computer = Computer::new();
    insta::assert_snapshot!("nothing", seen(&computer, ""));
    assert_eq!(usage(&computer, "--json").json()["rows"], json!([]));
    fs::create_dir(computer.path("void")).unwrap();
    let folder = computer.path("void");
    let of_folder = usage(&computer, &folder.display().to_string());
    assert_eq!((of_folder.code, &*of_folder.stdout), (2, "No session was found there.\n"));
    let gone = usage(&computer, "gone.jsonl weather.session.json --by tool");
    assert_eq!(gone.code, 2);
    assert!(gone.stderr.contains("There is no such file. (gone.jsonl)"), "{}", gone.stderr);
    assert!(gone.stdout.contains("ADK session"), "the other one is read: {}", gone.stdout);
}

#[test]
fn a_file_that_is_named_twice_has_a_session_both_times() {
    let computer = Computer::new();
    let once = usage(&computer, "weather.session.json --json");
    let twice = usage(&computer, "weather.session.json weather.session.json --json");
    assert_eq!((once.code, twice.code), (0, 0), "{}", twice.stderr);
    assert_eq!(once.document()["total"], twice.document()["total"]);
    let empty = usage(&computer, "empty.jsonl");
    assert_eq!(empty.code, 2);
    assert!(empty.stderr.contains("There is no session in it"), "{}", empty.stderr);
}

#[test]
fn answers_count_where_only_prompts_are_known_as_a_sum() {
    let computer = Computer::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples/copilot-cli.jsonl");
    let used = usage(&computer, &format!("{} --json", file.display())).document();
    let shown = computer.run(&format!("show {} --json", file.display())).document();
    let reported = &shown["sessions"][0]["reportedUsage"];
    for (of_usage, of_show) in [("outputTokens", "outputTokens"), ("inputTokens", "inputTokens")] {
        assert_eq!(used["total"][of_usage], reported[of_show], "{of_usage}");
    }
}

#[test]
fn no_conversation_is_stored() {
    let computer = computer();
    let run = usage(&computer, "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut left: Vec<_> =
        fs::read_dir(computer.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".cache", ".claude", ".codex"]);
    let kept = fs::read_to_string(computer.path(".cache/strata/usage.json")).unwrap();
    assert!(!kept.contains("Answer"), "{kept}");
}

#[test]
fn a_path_is_read_once_however_often_it_is_named() {
    let computer = Computer::new();
    let sample = samples().join("two.sessions.json");
    let once = usage(&computer, &format!("{} --json", sample.display())).json();
    let twice = usage(&computer, &format!("{} {} --json", sample.display(), samples().display()));
    let both = twice.document();
    let at_least = |key: &str| both["total"][key].as_u64() >= once["total"][key].as_u64();
    assert!(at_least("calls") && at_least("inputTokens"), "{both}");
    assert_eq!(both["places"][0]["files"], json!(1));
    let read = both["places"][1]["files"].as_u64();
    let alone = usage(&computer, &format!("{} --json", samples().display())).document();
    assert_eq!(read, alone["places"][0]["files"].as_u64());
    assert_eq!(both["total"], alone["total"]);
}

#[test]
fn a_model_that_advises_and_one_that_is_fast_have_rows_of_their_own() {
    let computer = Computer::new();
    let mut advised = answer("first", 5, "claude-opus-4-6", "2026-01-02T09:00:00Z");
    let step = |kind: &str, model: &str| json!({ "type": kind, "model": model, "input_tokens": 500, "output_tokens": 7 });
    advised["message"]["usage"]["iterations"] =
        json!([step("message", "claude-opus-4-6"), step("advisor_message", "claude-opus-4-5")]);
    let mut fast = answer("first", 6, "claude-opus-4-6", "2026-01-02T09:00:01Z");
    fast["message"]["usage"]["speed"] = json!("fast");
    write(&computer.path(&format!("{CLAUDE}/first.jsonl")), &lines(&[advised, fast]));
    let document = usage(&computer, "--by model --json").json();
    let expected = [
        ("claude-opus-4-6-fast".to_owned(), [6, 6000, 600, 60]),
        ("claude-opus-4-6".to_owned(), [5, 5000, 500, 50]),
        ("claude-opus-4-5".to_owned(), [500, 0, 0, 7]),
    ];
    assert_eq!(rows(&document), expected);
    assert_eq!(document["unpriced"][0]["model"], "claude-opus-4-6-fast", "its price is another one");
}

#[test]
fn waste_that_comes_back_is_told_with_the_sums_of_usage() {
    let computer = Computer::new();
    let samples = samples().join("../../../strata-import/samples");
    let run = |more: &str| computer.run(&format!("usage {} --timezone UTC --json {more}", samples.display()));
    let (patterns, usage) = (run("--patterns").document(), run("").document());
    for sum in ["sessions", "calls", "inputTokens", "cachedTokens", "outputTokens", "unpricedCalls"] {
        assert_eq!(patterns["total"][sum], usage["total"][sum], "{sum}");
    }
    let rows = patterns["patterns"].as_array().unwrap();
    assert!(!rows.is_empty());
    let weeks = patterns["weeks"].as_f64().unwrap();
    for row in rows {
        assert!(row["sessions"].as_u64().unwrap() >= 2, "{row}");
        let (tokens, a_week) = (row["tokens"].as_f64().unwrap(), row["tokensPerWeek"].as_f64().unwrap());
        assert!((a_week * weeks - tokens).abs() < 1e-6 * tokens, "{row}");
    }
}
