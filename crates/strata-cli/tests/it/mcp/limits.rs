//! How long answers are, what they take, and what they leave alone.

use std::collections::BTreeMap;
use std::fs;
use std::time::SystemTime;

use serde_json::{Value, json};
use strata_app::report::AnswerText;

use super::client::{Client, garden, left_by_claude};
use super::transcript::long;
use crate::strata::Computer;

/// Every tool, with what makes its answer long.
fn questions() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("why_long", json!({"session": "long", "top": 50}), "parts"),
        ("what_broke_cache", json!({"session": "long", "last": 100}), "breaks"),
        ("find", json!({"session": "long", "query": "needle", "limit": 50}), "hits"),
        ("plan_compaction", json!({"session": "long"}), "lost"),
        ("what_was_lost", json!({"session": "long"}), "items"),
        ("cost", json!({"session": "long", "by": "tool"}), "rows"),
        ("compare_calls", json!({"session": "long", "from": "C1", "to": "C300"}), "changes"),
        ("sub_agents", json!({"session": "long"}), "tree"),
        ("budget", json!({"session": "long"}), "drops"),
        ("sessions", json!({"limit": 200}), "sessions"),
    ]
}

#[test]
fn answers_about_a_huge_session_fit_and_their_pages_are_the_whole() {
    let computer = Computer::new();
    left_by_claude(&computer, "long", &long(200));
    for n in 0..120 {
        left_by_claude(&computer, &format!("other-{n}"), &garden());
    }
    let mut client = Client::ready(&computer, &computer.path(""));
    let text = AnswerText::default();
    for (tool, arguments, rows) in questions() {
        let mut result = client.call(tool, &arguments);
        let mut pages: Vec<Vec<Value>> = Vec::new();
        let mut lefts: Vec<u64> = Vec::new();
        loop {
            assert_eq!(result["isError"], false, "{tool} {result}");
            let (said, json) = (&result["content"][0]["text"], &result["structuredContent"]);
            let of_text = text.tokens(said.as_str().unwrap());
            let of_json = text.tokens(&json.to_string());
            assert!(of_text <= 1_200 && of_json <= 1_200, "{tool}: {of_text} and {of_json} tokens");
            pages.push(json[rows].as_array().cloned().unwrap_or_default());
            lefts.push(json["more"].as_u64().unwrap_or(0));
            let Some(cursor) = json.get("cursor").cloned() else { break };
            assert!(said.as_str().unwrap().contains(cursor.as_str().unwrap()), "{said}");
            result = client.call(tool, &json!({"cursor": cursor}));
        }
        // Pages joined are the whole: no row is missing and none comes twice.
        let total: usize = pages.iter().map(Vec::len).sum();
        for (at, left) in lefts.iter().enumerate() {
            let told: usize = pages[..=at].iter().map(Vec::len).sum();
            assert_eq!(told as u64 + left, total as u64, "{tool}");
        }
        if ["why_long", "find", "plan_compaction", "cost", "compare_calls", "sessions"].contains(&tool) {
            assert!(pages.len() > 1, "{tool} fits on a page of {total} rows");
        }
        if tool == "find" {
            let joined: Vec<Value> = pages.into_iter().flatten().collect();
            let mut seen: Vec<String> =
                joined.iter().map(|row| format!("{} {}", row["event"], row["part"])).collect();
            assert_eq!(seen.len(), 200);
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), 200);
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let computer = Computer::new();
    left_by_claude(&computer, "garden", &garden());
    let mut client = Client::ready(&computer, &computer.path(""));
    let mut said = BTreeMap::new();
    for (tool, arguments) in [
        ("why_long", json!({"session": "nobody's"})),
        ("why_long", json!({"session": "garden", "call": "7"})),
        ("why_long", json!({"session": "garden", "call": "C700"})),
        ("why_long", json!({"session": "garden", "top": 51})),
        ("why_long", json!({"session": "garden", "path": "/etc/passwd"})),
        ("why_long", json!({})),
        ("find", json!({"session": "garden"})),
        ("cost", json!({"session": "garden", "by": "weather"})),
        ("cost", json!({"cursor": "0.1"})),
        ("compare_calls", json!({"session": "garden", "from": "C1"})),
        ("sessions", json!({"since": "yesterday"})),
    ] {
        let words = client.refused(tool, &arguments);
        said.insert(format!("{tool} {arguments}"), words);
    }
    insta::assert_json_snapshot!("mcp_refusals", said);
}

#[test]
fn paths_are_no_sessions() {
    let computer = Computer::new();
    let file = left_by_claude(&computer, "garden", &garden());
    let elsewhere = computer.path("elsewhere.jsonl");
    fs::copy(&file, &elsewhere).unwrap();
    let mut client = Client::ready(&computer, &computer.path(""));
    for path in [&file, &elsewhere] {
        let words = client.refused("budget", &json!({"session": path.display().to_string()}));
        assert!(words.starts_with("No known session"), "{words}");
    }
    let words = client.refused("budget", &json!({"session": "elsewhere.jsonl"}));
    assert!(words.starts_with("No known session"), "{words}");
}

/// Size, time and bytes of every file below a folder.
fn files(computer: &Computer) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let below = strata_testkit::samples::files_below(&computer.path(""));
    let told = below.into_iter().map(|file| {
        let bytes = fs::read(&file).unwrap();
        (file.display().to_string(), (fs::metadata(&file).unwrap().modified().unwrap(), bytes))
    });
    told.collect()
}

#[test]
fn nothing_is_written() {
    let computer = Computer::new();
    assert_eq!(computer.run("import weather.session.json two.sessions.json").code, 0);
    left_by_claude(&computer, "long", &long(20));
    let before = files(&computer);
    let mut client = Client::ready(&computer, &computer.path(""));
    for (tool, mut arguments, _) in questions() {
        if tool == "compare_calls" {
            arguments["to"] = json!("C3");
        }
        assert_eq!(client.call(tool, &arguments)["isError"], false, "{tool}");
        if tool != "sessions" && tool != "compare_calls" {
            arguments["session"] = json!("oslo");
            client.call(tool, &arguments);
        }
    }
    assert_eq!(client.left(), 0);
    let after = files(&computer);
    // A reader of a database leaves its shared memory, which holds nothing.
    let stays = |files: &BTreeMap<String, (SystemTime, Vec<u8>)>| {
        let kept = files.iter().filter(|(name, _)| !name.ends_with("-shm") && !name.ends_with("-wal"));
        kept.map(|(name, file)| (name.clone(), file.clone())).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(stays(&after).keys().collect::<Vec<_>>(), stays(&before).keys().collect::<Vec<_>>());
    assert!(stays(&after) == stays(&before), "a file was changed");
}

#[test]
fn a_session_that_has_grown_is_read_again() {
    let computer = Computer::new();
    left_by_claude(&computer, "long", &long(10));
    let mut client = Client::ready(&computer, &computer.path(""));
    assert_eq!(client.told("why_long", &json!({"session": "long"}))["call"], "C20");
    left_by_claude(&computer, "long", &long(12));
    assert_eq!(client.told("why_long", &json!({"session": "long"}))["call"], "C24");
}
