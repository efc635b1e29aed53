//! `strata compile`.

use serde_json::Value;

use crate::strata::strata;

#[test]
fn a_call_is_told_stage_by_stage() {
    insta::assert_snapshot!(strata("compile sample --call 24").seen());
}

#[test]
fn changes_of_stages_are_listed_on_demand() {
    let run = strata("compile weather.session.json --app weather.app.yaml --agent packer --stages --limit 9");
    insta::assert_snapshot!(run.seen());
}

#[test]
fn the_document_has_the_shape_that_scripts_rely_on() {
    let run = strata("compile weather.session.json --app weather.app.yaml --call C2 --json");
    insta::assert_snapshot!(run.seen());
}

#[test]
fn segments_and_overhead_add_up_to_the_total() {
    for call in [1, 2, 17, 24, 41] {
        let compiled = strata(&format!("compile sample --call {call} --json")).json();
        let tokens = &compiled["tokens"];
        let segments = tokens["segments"].as_array().unwrap();
        let sum: u64 = segments.iter().map(|segment| segment["tokens"].as_u64().unwrap()).sum();
        assert_eq!(sum + tokens["overhead"].as_u64().unwrap(), tokens["total"].as_u64().unwrap(), "C{call}");

        let zones: Vec<&Value> = segments.iter().map(|segment| &segment["zone"]).collect();
        let is_sorted = zones.windows(2).all(|pair| pair[0] == "stablePrefix" || pair[1] == "variableSuffix");
        assert!(is_sorted, "C{call}");
        let stable: u64 = segments
            .iter()
            .filter(|segment| segment["zone"] == "stablePrefix")
            .map(|segment| segment["tokens"].as_u64().unwrap())
            .sum();
        assert!(stable <= tokens["stablePrefix"].as_u64().unwrap(), "C{call}");
        assert_eq!(tokens["previousCall"].is_null(), stable == 0 && tokens["stablePrefix"] == 0, "C{call}");
    }
}

#[test]
fn stages_lead_from_nothing_to_the_request() {
    let compiled = strata("compile sample --call 17 --stages --json").json();
    let stages = compiled["stages"].as_array().unwrap();
    assert_eq!(stages[0]["tokensBefore"], 0);
    for pair in stages.windows(2) {
        assert_eq!(pair[0]["tokensAfter"], pair[1]["tokensBefore"]);
        if pair[1]["changed"] == false {
            assert_eq!(pair[0]["request"], pair[1]["request"], "{}", pair[1]["processor"]);
        }
    }
    assert_eq!(stages.last().unwrap()["request"], compiled["request"]);
    let without = strata("compile sample --call 17 --json").json();
    assert!(without["stages"][0].get("request").is_none());
}

#[test]
fn an_inferred_configuration_is_marked() {
    let compiled = strata("compile weather.session.json --json").json();
    assert_eq!(compiled["app"]["inferred"], true);
    assert!(!compiled["app"]["notes"].as_array().unwrap().is_empty());
}

#[test]
fn the_session_of_a_file_with_several_is_chosen() {
    let compiled = strata("compile two.sessions.json --session bergen --json").json();
    assert_eq!((&compiled["session"], &compiled["call"]), (&"bergen".into(), &2.into()));
}
