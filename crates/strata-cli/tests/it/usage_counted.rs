//! What `strata usage` adds up, held against a count of the raw records that shares nothing with it: JSON lines, read by
//! serde_json alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Deserializer, Value};

use crate::strata::Computer;

/// Uncached, read from a cache, written to one, output.
type Tokens = [u64; 4];
type Sums = BTreeMap<(String, String), Tokens>;

const CLAUDE: [&str; 4] = [
    "claude-code.jsonl",
    "claude-code-subagents.jsonl",
    "claude-code-rewinds.jsonl",
    "claude-code-journal.jsonl",
];
const CODEX: [&str; 2] = ["codex.jsonl", "codex-agent.jsonl"];

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples").join(name)
}

/// All values of a file, wherever its lines end.
fn records(text: &str) -> Vec<Value> {
    let is_whole = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
    let one_a_line = text.lines().filter(is_whole).filter_map(|line| serde_json::from_str(line).ok());
    let glued = text.lines().filter(|line| !is_whole(line));
    let of_glued =
        glued.flat_map(|line| Deserializer::from_str(line).into_iter::<Value>().map_while(Result::ok));
    one_a_line.chain(of_glued).collect()
}

fn count(usage: &Value, key: &str) -> u64 {
    usage[key].as_u64().unwrap_or(0)
}

fn day(record: &Value) -> String {
    record["timestamp"].as_str().unwrap_or_default().chars().take(10).collect()
}

/// Claude Code: of all lines with the ids of a response, the one with most tokens.
fn claude<'t>(texts: impl IntoIterator<Item = &'t str>) -> Sums {
    let mut responses: BTreeMap<(String, String), (Value, Tokens)> = BTreeMap::new();
    for record in texts.into_iter().flat_map(records) {
        let message = &record["message"];
        let usage = &message["usage"];
        if record["type"] != "assistant" || !usage.is_object() || message["model"] == "<synthetic>" {
            continue;
        }
        let tokens =
            ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens"]
                .map(|key| count(usage, key));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let known = responses.entry((text(&message["id"]), text(&record["requestId"])));
        let known = known.or_insert_with(|| (record.clone(), tokens));
        if tokens.iter().sum::<u64>() > known.1.iter().sum::<u64>() {
            *known = (record, tokens);
        }
    }
    let mut sums = Sums::new();
    for (record, tokens) in responses.values() {
        add(&mut sums, record, record["message"]["model"].as_str().unwrap_or_default(), *tokens);
    }
    sums
}

/// Codex: the counts of each response, but for those that repeat the total before.
fn codex<'t>(texts: impl IntoIterator<Item = &'t str>) -> Sums {
    let mut sums = Sums::new();
    for text in texts {
        let (mut model, mut total) = (String::new(), Value::Null);
        for record in records(text) {
            let payload = &record["payload"];
            if record["type"] == "turn_context" {
                payload["model"].as_str().unwrap_or_default().clone_into(&mut model);
            }
            let info = &payload["info"];
            if payload["type"] != "token_count" || info["total_token_usage"] == total {
                continue;
            }
            total = info["total_token_usage"].clone();
            let last = &info["last_token_usage"];
            let cached = count(last, "cached_input_tokens");
            let tokens = [count(last, "input_tokens") - cached, cached, 0, count(last, "output_tokens")];
            add(&mut sums, &record, &model, tokens);
        }
    }
    sums
}

fn add(sums: &mut Sums, record: &Value, model: &str, tokens: Tokens) {
    let sum = sums.entry((day(record), model.to_owned())).or_default();
    *sum = [0, 1, 2, 3].map(|at| sum[at] + tokens[at]);
}

fn by(sums: &Sums, key: impl Fn(&(String, String)) -> &String) -> BTreeMap<String, Tokens> {
    let mut rows: BTreeMap<String, Tokens> = BTreeMap::new();
    for (of, tokens) in sums {
        let row = rows.entry(key(of).clone()).or_default();
        *row = [0, 1, 2, 3].map(|at| row[at] + tokens[at]);
    }
    rows.retain(|_, tokens| *tokens != [0; 4]);
    rows
}

/// What the program says of a folder.
fn told(computer: &Computer, folder: &Path, by: &str) -> (BTreeMap<String, Tokens>, Value) {
    let run = computer.run(&format!("usage {} --by {by} --timezone UTC --json", folder.display()));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let document = run.document();
    let tokens = |row: &Value| {
        ["uncachedTokens", "cachedTokens", "cacheWriteTokens", "outputTokens"]
            .map(|key| row[key].as_u64().unwrap())
    };
    let rows = document["rows"].as_array().unwrap().iter();
    let rows = rows.map(|row| (row["key"].as_str().unwrap_or_default().to_owned(), tokens(row)));
    (rows.filter(|(_, tokens)| *tokens != [0; 4]).collect(), document)
}

#[track_caller]
fn check(folder: &Path, expected: &Sums) {
    let computer = Computer::new();
    assert_eq!(told(&computer, folder, "day").0, by(expected, |(day, _)| day));
    assert_eq!(told(&computer, folder, "model").0, by(expected, |(_, model)| model));
}

/// The session under another id with half of its lines again, as older versions of Claude Code resumed it.
fn resumed(text: &str) -> String {
    let n_lines = text.lines().count();
    let copied = text.lines().take(n_lines / 2).map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap_or_default();
        if record.get("sessionId").is_some() {
            record["sessionId"] = "resumed".into();
        }
        record.to_string()
    });
    copied.collect::<Vec<_>>().join("\n")
}

#[test]
fn transcripts_of_claude_code_add_up_to_their_responses() {
    let folder = tempfile::tempdir().unwrap();
    let texts = CLAUDE.map(|name| fs::read_to_string(sample(name)).unwrap());
    for (name, text) in CLAUDE.iter().zip(&texts) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let expected = claude(texts.iter().map(String::as_str));
    assert!(by(&expected, |(day, _)| day).len() > 1 && by(&expected, |(_, model)| model).len() > 1);
    check(folder.path(), &expected);
}

#[test]
fn what_resumed_sessions_and_copies_repeat_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(sample("claude-code-rewinds.jsonl")).unwrap();
    fs::write(folder.path().join("first.jsonl"), &text).unwrap();
    let expected = claude([&*text]);
    check(folder.path(), &expected);
    let copy = resumed(&text);
    assert!(!claude([&*copy]).is_empty(), "it repeats responses");
    fs::write(folder.path().join("resumed.jsonl"), &copy).unwrap();
    fs::create_dir(folder.path().join("backup")).unwrap();
    fs::write(folder.path().join("backup/first.jsonl"), &text).unwrap();
    check(folder.path(), &expected);
    let (_, document) = told(&Computer::new(), folder.path(), "day");
    assert!(document["repeatedCalls"].as_u64().unwrap() > 1, "{document}");
}

#[test]
fn rollouts_of_codex_add_up_to_what_their_totals_grew_by() {
    let folder = tempfile::tempdir().unwrap();
    let texts = CODEX.map(|name| fs::read_to_string(sample(name)).unwrap());
    for (name, text) in CODEX.iter().zip(&texts) {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let expected = codex(texts.iter().map(String::as_str));
    assert!(!expected.is_empty());
    check(folder.path(), &expected);
    fs::create_dir(folder.path().join("archived")).unwrap();
    fs::write(folder.path().join("archived/codex.jsonl"), &texts[0]).unwrap();
    check(folder.path(), &expected);
}
