//! Answers say what the other commands say.

use serde_json::{Value, json};

use super::client::{Client, garden, left_by_claude};
use super::transcript::{Transcript, long};
use crate::strata::Computer;

/// The garden, what its commands print, and a client that asks about it.
struct Garden {
    computer: Computer,
    file: String,
    client: Client,
}

fn open() -> Garden {
    let computer = Computer::new();
    let file = left_by_claude(&computer, "garden", &garden());
    let client = Client::ready(&computer, &computer.path(""));
    Garden { file: file.display().to_string(), client, computer }
}

impl Garden {
    fn printed(&self, command: &str) -> Value {
        let (verb, rest) = command.split_once(' ').unwrap_or((command, ""));
        self.computer.run(&format!("{verb} {} {rest} --json", self.file)).document()
    }

    fn told(&mut self, tool: &str, mut arguments: Value) -> Value {
        arguments["session"] = json!("garden");
        self.client.told(tool, &arguments)
    }

    /// All rows, page by page.
    fn rows(&mut self, tool: &str, arguments: Value, name: &str) -> Vec<Value> {
        let mut page = self.told(tool, arguments);
        let mut rows = page[name].as_array().unwrap().clone();
        while let Some(cursor) = page.get("cursor").cloned() {
            page = self.client.told(tool, &json!({"cursor": cursor}));
            rows.extend(page[name].as_array().unwrap().iter().cloned());
        }
        rows
    }
}

#[test]
fn a_prompt_is_that_of_the_ledger() {
    let mut garden = open();
    let ledger = garden.printed("tokens");
    let compiled = garden.printed("compile");
    let call = ledger["calls"].as_array().unwrap().last().unwrap();
    let told = garden.told("why_long", json!({}));
    assert_eq!(told["call"], json!(format!("C{}", call["call"])));
    assert_eq!(told["total"], json!({"tokens": call["promptTokens"], "basis": call["promptBasis"]}));
    assert_eq!(told["counted"]["tokens"], call["tokens"]);
    let parts = garden.rows("why_long", json!({"top": 2}), "parts");
    let sum = |rows: &[Value]| rows.iter().map(|row| row["tokens"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum(&parts), sum(compiled["tokens"]["segments"].as_array().unwrap()));
    let kinds: u64 = told["kinds"].as_object().unwrap().values().map(|sum| sum.as_u64().unwrap()).sum();
    assert_eq!(kinds, sum(&parts));
    assert_eq!(kinds + told["counted"]["overhead"].as_u64().unwrap(), call["tokens"].as_u64().unwrap());
}

#[test]
fn caches_are_those_of_the_cache_report() {
    let mut garden = open();
    let report = garden.printed("cache");
    let told = garden.told("what_broke_cache", json!({}));
    assert_eq!(told["sums"]["cachedTokens"], report["bill"]["cachedTokens"]);
    assert_eq!(told["sums"]["predictedCachedTokens"], report["predictedCachedTokens"]);
    assert_eq!(told["sums"]["lostTokens"], report["lostTokens"]);
    let breaks = garden.rows("what_broke_cache", json!({}), "breaks");
    let calls = report["calls"].as_array().unwrap().iter().rev();
    let printed: Vec<(String, Value)> = calls
        .filter(|call| !call["break"].is_null() && call["break"]["cause"] != "below_minimum")
        .map(|call| (format!("C{}", call["call"]), call["break"]["rebilledTokens"].clone()))
        .collect();
    let told: Vec<(String, Value)> =
        breaks.iter().map(|row| (row["call"].as_str().unwrap().to_owned(), row["tokens"].clone())).collect();
    assert_eq!(told, printed);
}

#[test]
fn costs_are_those_of_the_ledger() {
    let mut garden = open();
    let ledger = garden.printed("tokens");
    let told = garden.told("cost", json!({"by": "kind"}));
    for name in ["calls", "promptTokens", "basis", "cachedTokens", "outputTokens"] {
        assert_eq!(told["total"][name], ledger["bill"][name], "{name}");
    }
    let money = |value: &Value| format!("{:.6}", value.as_f64().unwrap());
    assert_eq!(money(&told["total"]["cost"]), money(&ledger["bill"]["cost"]));
    let kinds: Vec<Value> =
        told["rows"].as_array().unwrap().iter().map(|row| row["tokens"].clone()).collect();
    let printed: Vec<Value> =
        ledger["kinds"].as_array().unwrap().iter().map(|row| row["lifetimeTokens"].clone()).collect();
    assert_eq!(kinds, printed);
    let tools = garden.rows("cost", json!({"by": "tool"}), "rows");
    let printed: Vec<Value> =
        ledger["tools"].as_array().unwrap().iter().map(|row| row["lifetimeTokens"].clone()).collect();
    assert_eq!(tools.iter().map(|row| row["tokens"].clone()).collect::<Vec<_>>(), printed);
    let agents = garden.rows("cost", json!({"by": "agent"}), "rows");
    let prompts: u64 = agents.iter().map(|row| row["promptTokens"].as_u64().unwrap()).sum();
    assert_eq!(json!(prompts), ledger["bill"]["promptTokens"]);
}

#[test]
fn a_plan_is_that_of_the_compaction() {
    let mut garden = open();
    let report = garden.printed("compact --config limit=400,keep=2 --model extractive");
    let told = garden.told("plan_compaction", json!({"threshold": 400, "keep_last": 2}));
    assert_eq!(told["config"], "limit=400,keep=2");
    for (side, of) in [("before", &report["totals"]["baseline"]), ("after", &report["totals"])] {
        for name in ["promptTokens", "billedTokens", "cachedTokens", "peakTokens", "compactions"] {
            assert_eq!(told[side][name], of[name], "{side} {name}");
        }
    }
    assert_eq!(told["facts"]["lost"], report["totals"]["dropped"]);
    let lost = garden.rows("plan_compaction", json!({"threshold": 400, "keep_last": 2}), "lost");
    assert_eq!(json!(lost.len()), report["totals"]["dropped"]);
}

#[test]
fn words_are_found_where_the_search_finds_them() {
    let mut garden = open();
    let stored = garden.computer.path("of.db").display().to_string();
    assert_eq!(garden.computer.run(&format!("import {} --db {stored}", garden.file)).code, 0);
    let word = "garden";
    let search = garden.computer.run(&format!("search {word} --limit 100 --db {stored} --json")).json();
    let hits = search["hits"].as_array().unwrap().iter().filter_map(|hit| hit["address"].as_str());
    let hits: std::collections::BTreeSet<String> = hits.map(str::to_owned).collect();
    let found = garden.rows("find", json!({"query": word}), "hits");
    let events = found.iter().filter_map(|hit| hit["event"].as_str()).filter(|event| event.starts_with('E'));
    let events: std::collections::BTreeSet<String> = events.map(str::to_owned).collect();
    assert!(!hits.is_empty());
    assert_eq!(events, hits);
}

#[test]
fn two_prompts_differ_by_their_sizes() {
    let mut garden = open();
    let ledger = garden.printed("tokens");
    let changes = garden.rows("compare_calls", json!({"from": "C1", "to": "C2"}), "changes");
    let told = garden.told("compare_calls", json!({"from": "C1", "to": "C2"}));
    assert_eq!(told["from"], json!({"call": "C1", "tokens": ledger["calls"][0]["tokens"]}));
    assert_eq!(told["to"], json!({"call": "C2", "tokens": ledger["calls"][1]["tokens"]}));
    // What stayed and what came are the second prompt, what stayed and what went the first.
    let segments = |call: u32| {
        let compiled = garden.printed(&format!("compile --call {call}"));
        let segments = compiled["tokens"]["segments"].as_array().unwrap().clone();
        segments.iter().map(|row| row["tokens"].as_u64().unwrap()).sum::<u64>()
    };
    let of = |name: &str| changes.iter().map(|row| row[name].as_u64().unwrap()).sum::<u64>();
    let same = told["unchanged"]["tokens"].as_u64().unwrap();
    assert_eq!(same + of("tokensAfter"), segments(2));
    assert_eq!(same + of("tokensBefore"), segments(1));
    assert!(of("tokensAfter") > 1_000, "{changes:?}");
}

#[test]
fn room_and_growth_are_told() {
    let computer = Computer::new();
    left_by_claude(&computer, "long", &long(30));
    let mut client = Client::ready(&computer, &computer.path(""));
    let told = client.told("budget", &json!({"session": "long"}));
    assert_eq!(told["used"], json!({"tokens": 1_000 + 2_900, "basis": "reported"}));
    assert_eq!(told["limit"]["tokens"], 200_000);
    assert!(told["callsLeft"].as_u64().unwrap() > 1_000, "{told}");
}

#[test]
fn agents_in_files_of_their_own_are_below_their_session() {
    let computer = Computer::new();
    left_by_claude(
        &computer,
        "main",
        &Transcript::new("main", "/home/ada/work").user("Go on").model("Yes.", 500).text(),
    );
    let below = Transcript::new("main", "/home/ada/work").user("Look for beans").model("None.", 200).text();
    left_by_claude(&computer, "main/subagents/agent-a1", &below);
    let mut client = Client::ready(&computer, &computer.path(""));
    let told = client.told("sub_agents", &json!({"session": "main"}));
    assert_eq!(told["subAgents"], 1);
    let tree = told["tree"].as_array().unwrap();
    assert_eq!(
        tree.iter().map(|row| row["promptTokens"].clone()).collect::<Vec<_>>(),
        [json!(500), json!(200)]
    );
    assert_eq!(tree[1]["session"], "agent-a1");
    for place in ["main", "main/subagents/agent-a1"] {
        let file = computer.path(&format!(".claude/projects/-home-ada-work/{place}.jsonl"));
        assert_eq!(computer.run(&format!("import {}", file.display())).code, 0);
    }
    let stored = computer.run("sessions --json").json();
    let rows = stored["sessions"].as_array().unwrap();
    let id = rows.iter().find(|row| row["source"].as_str().unwrap().ends_with("main.jsonl"));
    let id = id.unwrap_or_else(|| panic!("{stored}"))["id"].clone();
    assert_eq!(client.told("sub_agents", &json!({"session": id}))["subAgents"], 1);
}

/// Sessions of a client that keeps sub-agents in files of their own, by their places and their lines.
#[track_caller]
fn check_sub_agents(files: &[(&str, &[Value])], own_id: &str, session: &str, sub_agent: &str) {
    let computer = Computer::new();
    for (place, lines) in files {
        let file = computer.path(place);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        std::fs::write(file, lines.join("\n") + "\n").unwrap();
    }
    let told = Client::ready(&computer, &computer.path("")).told("sub_agents", &json!({"session": session}));
    assert_eq!(told["subAgents"], 1, "{told}");
    assert_eq!(told["tree"][1]["session"], sub_agent, "{told}");
    // The same from the store, of which no file is left.
    for (place, _) in files {
        let file = computer.path(place);
        let imported = computer.run(&format!("import {}", file.display()));
        assert_eq!(imported.code, 0, "{}", imported.seen());
        std::fs::remove_file(file).unwrap();
    }
    let told = Client::ready(&computer, &computer.path("")).told("sub_agents", &json!({"session": own_id}));
    assert_eq!((&told["subAgents"], told["tree"].as_array().map(Vec::len)), (&json!(1), Some(2)), "{told}");
}

#[test]
fn threads_of_codex_that_name_their_parent_are_below_it() {
    let at = "2026-11-22T09:34:50.000Z";
    let thread = |id: &str, more: &Value| -> Vec<Value> {
        let mut meta = json!({"id": id, "timestamp": at, "cwd": "/home/ada", "originator": "codex_exec", "cli_version": "0.171.0"});
        meta.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let item = |role: &str, kind: &str, text: &str| json!({"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}});
        let usage = json!({"input_tokens": 700, "cached_input_tokens": 0, "output_tokens": 9, "reasoning_output_tokens": 0, "total_tokens": 709});
        vec![
            json!({"timestamp": at, "type": "session_meta", "payload": meta}),
            item("user", "input_text", "Look"),
            item("assistant", "output_text", "Seen."),
            json!({"timestamp": at, "type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": usage, "last_token_usage": usage}}}),
        ]
    };
    let folder = ".codex/sessions/2026/11/22/rollout-2026-11-22T09-34-50-";
    let (parent, child) = ("01a2029b-bdab-7541-bcad-9df6826a1989", "01a2029c-0000-7541-bcad-9df6826a1989");
    let spawned = json!({"parent_thread_id": parent, "source": {"subagent": {"thread_spawn": {"parent_thread_id": parent, "agent_path": "/root/a"}}}});
    check_sub_agents(
        &[
            (&format!("{folder}{parent}.jsonl"), &thread(parent, &json!({}))),
            (&format!("{folder}{child}.jsonl"), &thread(child, &spawned)),
        ],
        parent,
        &format!("rollout-2026-11-22T09-34-50-{parent}"),
        &format!("rollout-2026-11-22T09-34-50-{child}"),
    );
}

#[test]
fn chats_of_gemini_in_a_folder_of_their_session_are_below_it() {
    let at = "2026-11-22T09:34:50.000Z";
    let chat = |id: &str, kind: &str| -> Vec<Value> {
        vec![
            json!({"sessionId": id, "projectHash": "p", "startTime": at, "lastUpdated": at, "kind": kind}),
            json!({"id": "u1", "timestamp": at, "type": "user", "content": [{"text": "Look"}]}),
            json!({"id": "m1", "timestamp": at, "type": "gemini", "content": "Seen.", "model": "gemini-3.8-flash", "tokens": {"input": 700, "output": 9, "cached": 0, "thoughts": 0, "tool": 0, "total": 709}}),
            json!({"$set": {"summary": "{\n  \"response\": \"Looks around\"\n}"}}),
        ]
    };
    let folder = ".gemini/tmp/work/chats";
    check_sub_agents(
        &[
            (&format!("{folder}/session-2026-11-22T09-34-8566e05e.jsonl"), &chat("8566e05e-11c5", "main")),
            (&format!("{folder}/8566e05e-11c5/54afc4ae.jsonl"), &chat("54afc4ae", "subagent")),
        ],
        "8566e05e-11c5",
        "session-2026-11-22T09-34-8566e05e",
        "54afc4ae",
    );
}

#[test]
fn the_call_that_asks_is_no_place_of_what_it_looks_for() {
    let computer = Computer::new();
    let (tool, arguments) = ("mcp__strata__find", json!({"query": "beans"}));
    let asks = Transcript::new("asks", "/home/ada/work")
        .user("Where are the beans?")
        .calls("toolu_1", tool, &arguments, 500)
        .result("toolu_1", "nowhere")
        .calls("toolu_2", tool, &arguments, 600);
    left_by_claude(&computer, "asks", &asks.text());
    let mut client = Client::ready(&computer, &computer.path(""));
    let told = client.told("find", &json!({"session": "asks", "query": "beans"}));
    let events: Vec<_> = told["hits"].as_array().unwrap().iter().map(|row| row["event"].clone()).collect();
    assert_eq!(events, ["E2", "E1"], "an earlier call is one: {told}");
}

#[test]
fn a_summary_is_held_against_what_it_stands_for() {
    let mut garden = open();
    let told = garden.told("what_was_lost", json!({}));
    let printed = garden.computer.run(&format!("show {} --json", garden.file)).json();
    assert_eq!(told["compactions"], printed["sessions"][0]["compactions"]);
    if told["compactions"] != 0 {
        let items = garden.rows("what_was_lost", json!({}), "items");
        let facts = &told["facts"];
        let sum =
            ["kept", "paraphrased", "lost"].map(|name| facts[name].as_u64().unwrap()).iter().sum::<u64>();
        assert_eq!(items.len() as u64, sum);
    }
}

#[test]
fn sessions_are_those_of_places_and_of_the_store() {
    let Garden { computer, mut client, .. } = open();
    // The store is found also where it is made while the server runs.
    assert_eq!(computer.run("import weather.session.json").code, 0);
    let told = client.told("sessions", &json!({}));
    let stored = computer.run("sessions --json").json();
    let ids = |rows: &Value| -> Vec<String> {
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    let known = ids(&told["sessions"]);
    assert!(known.contains(&"garden".to_owned()), "{known:?}");
    for id in ids(&stored["sessions"]) {
        assert!(known.contains(&id), "{id} {known:?}");
    }
}

#[test]
fn what_an_event_does_is_found_and_words_in_quotes_stand_together() {
    let computer = Computer::new();
    assert_eq!(computer.run("import weather.session.json").code, 0);
    let mut client = Client::ready(&computer, &computer.path(""));
    let mut found = |query: &str| {
        let told = client.told("find", &json!({"session": "oslo", "query": query}));
        told["hits"].as_array().unwrap().iter().map(|hit| hit["event"].clone()).collect::<Vec<Value>>()
    };
    // A piece of the name of the agent that is called in E6, and handed over to in E7, which says so in no part.
    assert_eq!(found("acke")[..2], ["E7", "E6"]);
    let first = json!("E1");
    assert!(found("oslo RAIN in").contains(&first) && found("\"rain  in oslo\"").contains(&first));
    assert!(found("\"oslo rain in\"").is_empty());
}
