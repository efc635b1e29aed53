//! `strata tokens`.

use serde_json::Value;

use crate::strata::strata;

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
