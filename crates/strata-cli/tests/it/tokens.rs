//! `strata tokens`.

use serde_json::Value;

use crate::strata::{Computer, strata};

#[test]
fn the_ledger_of_the_sample_is_printed() {
    insta::assert_snapshot!(strata("tokens sample --limit 8").seen());
}

#[test]
fn reports_stand_beside_our_count() {
    insta::assert_snapshot!(strata("tokens weather.session.json --app weather.app.yaml").seen());
}

#[test]
fn the_document_has_the_shape_that_scripts_rely_on() {
    insta::assert_snapshot!(strata("tokens broken-line.jsonl --json").seen());
}

fn sum(rows: &Value, field: &str) -> u64 {
    rows.as_array().unwrap().iter().map(|row| row[field].as_u64().unwrap()).sum()
}

#[test]
fn every_token_is_in_the_ledger_once() {
    for source in ["sample", "weather.session.json", "broken-line.jsonl"] {
        let ledger = strata(&format!("tokens {source} --json")).document();
        let total = ledger["total"].as_u64().unwrap();
        let overhead = ledger["overhead"].as_u64().unwrap();
        assert_eq!(sum(&ledger["calls"], "tokens"), total, "{source}");
        assert_eq!(sum(&ledger["agents"], "tokens"), total, "{source}");
        assert_eq!(sum(&ledger["parts"], "lifetimeTokens") + overhead, total, "{source}");
        assert_eq!(sum(&ledger["kinds"], "lifetimeTokens") + overhead, total, "{source}");
        for part in ledger["parts"].as_array().unwrap() {
            let [lifetime, fresh, cached] =
                ["lifetimeTokens", "freshTokens", "cachedTokens"].map(|field| part[field].as_u64().unwrap());
            assert_eq!(fresh + cached, lifetime, "{source}: {}", part["origin"]);
            assert!(part["calls"].as_u64().unwrap() >= 1, "{source}: {}", part["origin"]);
        }
    }
}

#[test]
fn tools_of_a_namespace_are_tools_of_their_own() {
    let ledger = strata("tokens codex-namespaces.jsonl --json").json();
    let tools: Vec<(&str, bool, bool)> = ledger["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["tool"].as_str().unwrap(), row["declarationTokens"] != 0, row["resultTokens"] != 0))
        .collect();
    assert_eq!(
        tools,
        [("mcp__docs__list", true, false), ("mcp__docs__find", true, true), ("shell", true, false)]
    );
    // What the namespace says for all of them is there once, and is none of them.
    let said = |part: &&Value| part["kind"] == "tools" && part["origin"] == "run.request";
    let said: Vec<_> = ledger["parts"].as_array().unwrap().iter().filter(said).collect();
    assert_eq!(said.len(), 1, "{}", ledger["parts"]);

    let findings = strata("findings codex-namespaces.jsonl --json").json();
    let unused = &findings["findings"][0];
    assert_eq!(
        (&unused["code"], &unused["origins"]),
        (&"unused-tools".into(), &serde_json::json!(["tool.mcp__docs__list", "tool.shell"])),
        "{findings}"
    );
}

/// The tools of the second request, by their paths, once these are dropped.
#[track_caller]
fn check_dropped(dropped: &[&str], left: &[&str]) {
    let computer = Computer::new();
    let edit =
        serde_json::json!([{"edit": "insert_processor", "use": "drop_tools", "params": {"tools": dropped}}]);
    std::fs::write(computer.path("edit.json"), edit.to_string()).unwrap();
    let line = format!(
        "compile codex-namespaces.jsonl --call 2 --edit {} --json",
        computer.path("edit.json").display()
    );
    let compiled = computer.run(&line).json();
    let tools =
        compiled["tokens"]["segments"].as_array().unwrap().iter().filter_map(|it| it["path"].as_str());
    let tools: Vec<_> = tools.filter_map(|path| path.strip_prefix("tool.")).collect();
    assert_eq!(tools, left, "{compiled}");
}

#[test]
fn a_tool_of_a_namespace_is_dropped_alone_and_the_last_one_with_it() {
    check_dropped(&["mcp__docs__list"], &["shell", "mcp__docs__find", "mcp__docs"]);
    check_dropped(&["shell", "mcp__docs__list", "mcp__docs__find"], &[]);
    check_dropped(&["mcp__docs__list", "mcp__docs__find"], &["shell"]);
}

#[test]
fn the_residual_is_what_was_reported_beyond_our_count() {
    let ledger = strata("tokens weather.session.json --json").json();
    for call in ledger["calls"].as_array().unwrap() {
        let [reported, counted, residual] =
            ["reported", "tokens", "residual"].map(|field| call[field].as_i64().unwrap());
        assert_eq!(residual, reported - counted);
    }
    let ledger = strata("tokens sample --json").json();
    assert!(ledger["calls"][0]["reported"].is_null() && ledger["calls"][0]["residual"].is_null());
}

#[test]
fn another_implementation_counts_the_same_texts() {
    let seen = strata("tokens sample --verify").seen();
    assert!(seen.contains("tiktoken-rs 0.12.1 counts as we do"), "{seen}");
    let document = strata("tokens sample --verify --json").document();
    let model = &document["models"][0];
    assert!(model["texts"].as_u64().unwrap() > 50, "{model}");
    assert_eq!(model["agreedTokens"], model["tokens"]);
    assert_eq!(model["differing"], serde_json::json!([]));
}
