//! `strata show`.

use serde_json::json;

use crate::strata::{Computer, strata};

#[test]
fn the_sample_is_summed_up() {
    insta::assert_snapshot!(strata("show sample").seen());
}

#[test]
fn a_session_without_its_app_says_what_was_inferred() {
    insta::assert_snapshot!(strata("show weather.session.json").seen());
    let shown = strata("show weather.session.json --json").json();
    let app = &shown["sessions"][0]["app"];
    assert_eq!(app["inferred"], true);
    assert_eq!(app["notes"].as_array().unwrap().len(), 2);
}

#[test]
fn the_document_has_the_shape_that_scripts_rely_on() {
    insta::assert_snapshot!(strata("show weather.session.json --app weather.app.yaml --json").seen());
}

#[test]
fn all_sessions_of_a_file_are_shown() {
    let shown = strata("show two.sessions.json --json").json();
    let ids: Vec<_> = shown["sessions"].as_array().unwrap().iter().map(|shown| &shown["id"]).collect();
    assert_eq!(json!(ids), json!(["oslo", "bergen"]));
}

#[test]
fn reading_a_file_stores_nothing() {
    let computer = Computer::new();
    computer.run("show weather.session.json");
    assert_eq!(computer.run("sessions --json").json()["sessions"], json!([]));
}

#[test]
fn a_file_goes_into_the_store_that_is_named() {
    let computer = Computer::new();
    let store = computer.path("here.db").display().to_string();
    let shown = computer.run(&format!("show weather.session.json --db {store} --json")).json();
    let listed = computer.run(&format!("sessions --db {store} --json")).json();
    let id = listed["sessions"][0]["id"].as_str().unwrap();
    assert_eq!(shown["sessions"][0]["id"], id);
    assert_eq!(listed["sessions"][0]["ownId"], "oslo");

    let by_beginning = computer.run(&format!("show {} --db {store} --json", &id[..6])).json();
    assert_eq!(by_beginning["sessions"], shown["sessions"]);
    let by_own_id = computer.run(&format!("show oslo --db {store} --json")).json();
    assert_eq!(by_own_id["sessions"], shown["sessions"]);
}

#[test]
fn an_app_that_is_named_counts_before_what_is_inferred() {
    let shown = strata("show weather.session.json --app weather.app.yaml --json").json();
    let app = &shown["sessions"][0]["app"];
    assert_eq!(
        *app,
        json!({"name": "weather", "inferred": false, "source": "weather.app.yaml", "notes": [], "namesNoModel": false, "asIf": null})
    );
}

#[test]
fn edits_need_fit_the_chosen_session_only() {
    let computer = Computer::new();
    let edits = computer.path("edits.json");
    std::fs::write(&edits, r#"{"edits": [{"edit": "drop_event", "event": 8}]}"#).unwrap();
    let edits = edits.display();
    // `bergen` has 4 events.
    for command in ["cache", "findings", "tokens"] {
        let of_longer =
            computer.run(&format!("{command} two.sessions.json --session oslo --edit {edits} --json"));
        assert_eq!(of_longer.code, 0, "{command}: {}", of_longer.seen());
        let of_shorter =
            computer.run(&format!("{command} two.sessions.json --session bergen --edit {edits}"));
        assert_eq!(of_shorter.code, 2, "{command}");
        assert!(
            of_shorter.stderr.contains("There is no E8. The session has E1 to E4."),
            "{}",
            of_shorter.stderr
        );
        assert!(of_shorter.stderr.contains("Nothing was done"), "{}", of_shorter.stderr);
        assert!(!of_shorter.stderr.contains("left out"), "{}", of_shorter.stderr);
    }
    let several = computer.run(&format!("cache two.sessions.json --edit {edits}"));
    assert!(several.stderr.contains("Choose one with `--session ID`"), "{}", several.stderr);
}

#[test]
fn what_would_help_is_all_that_the_caches_rank() {
    let found = strata("findings sample --json").json();
    let caches = strata("cache sample --json").json();
    assert_eq!(found["replayed"], caches["fixes"]);
    let told = strata("findings sample").stdout;
    let (_, helps) = told.split_once("What would help").unwrap();
    let titles = caches["fixes"].as_array().unwrap();
    assert!(!titles.is_empty());
    for title in titles.iter().map(|fix| fix["title"].as_str().unwrap()) {
        assert!(helps.contains(title), "{title}: {helps}");
    }
    // One ranking: the most money first.
    let savings: Vec<f64> = helps
        .lines()
        .filter_map(|line| {
            let (_, rest) = line.split_once(", $")?;
            let (dollars, rest) = rest.split_once(' ')?;
            let dollars: f64 = dollars.parse().ok()?;
            Some(if rest.starts_with("more") { -dollars } else { dollars })
        })
        .collect();
    assert!(savings.len() >= titles.len() && savings.is_sorted_by(|a, b| a >= b), "{savings:?}");
}
