//! `strata search`.

use serde_json::{Value, json};

use crate::strata::Computer;

fn computer() -> Computer {
    let computer = Computer::new();
    assert_eq!(computer.run("import two.sessions.json weather.session.json").code, 0);
    computer
}

/// Address and marked snippet of each hit.
fn told(document: &Value) -> Vec<String> {
    let hits = document["hits"].as_array().unwrap().iter();
    let tell = |hit: &Value| {
        let pieces = hit["snippet"].as_array().unwrap().iter().map(|piece| {
            let text = piece["text"].as_str().unwrap();
            if piece["isMatch"] == json!(true) { format!("[{text}]") } else { text.to_owned() }
        });
        format!("{} {}", hit["address"].as_str().unwrap_or("–"), pieces.collect::<String>())
    };
    hits.map(tell).collect()
}

#[test]
fn words_are_found_with_what_stands_around_them() {
    let computer = computer();
    let found = computer.run("search oslo --json").json();
    insta::assert_json_snapshot!("found", told(&found));
    let seen = computer.run("search oslo").seen();
    assert!(seen.contains("Oslo"), "{seen}");
}

#[test]
fn a_search_is_narrowed_and_paged() {
    let computer = computer();
    let all = computer.run("search oslo --json").json();
    let n = all["total"].as_u64().unwrap();
    assert!(n > 1, "{all}");
    let mut paged = Vec::new();
    let mut after = String::new();
    loop {
        let page = computer.run(&format!("search oslo --limit 1{after} --json")).json();
        assert_eq!(page["total"], json!(n));
        paged.extend(page["hits"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { break };
        after = format!(" --after {next}");
    }
    assert_eq!(json!(paged), all["hits"]);
    let user = computer.run("search oslo --agent user --json").json();
    assert!(user["hits"].as_array().unwrap().iter().all(|hit| hit["author"] == "user"), "{user}");
    assert!(user["total"].as_u64().unwrap() < n);
    let session = &all["hits"][0]["session"].as_str().unwrap()[..6];
    let within = computer.run(&format!("search oslo --session {session} --json")).json();
    assert_eq!(within["hits"][0]["session"], all["hits"][0]["session"]);
}

#[test]
fn odd_queries_find_nothing_and_do_not_fail() {
    let computer = computer();
    for query in ["NEAR(", "\"", "a:b AND (", "*", "--", "text:*^"] {
        let mut command = computer.command("search --json --");
        let run: crate::strata::Run = command.arg(query).output().unwrap().into();
        run.json();
    }
}

#[test]
fn what_cannot_be_searched_is_said() {
    let empty = Computer::new().run("search oslo");
    assert_eq!(empty.code, 2);
    assert!(empty.stderr.contains("`strata import FILE`"), "{}", empty.stderr);
    let computer = computer();
    let nowhere = computer.run("search oslo --session nowhere");
    assert!(nowhere.code == 2 && nowhere.stderr.contains("`strata sessions`"), "{}", nowhere.stderr);
    let page = computer.run("search oslo --after never");
    assert!(page.code == 2 && page.stderr.contains("`next`"), "{}", page.stderr);
}
