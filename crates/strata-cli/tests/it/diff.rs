//! `strata diff`.

use crate::strata::strata;

#[test]
fn two_recordings_are_compared_by_what_makes_the_difference() {
    let seen =
        strata("diff two.sessions.json two.sessions.json --session oslo --other-session bergen").seen();
    insta::assert_snapshot!(seen);
}

#[test]
fn causes_add_up_in_the_document() {
    for by in ["tokens", "cost"] {
        let document =
            strata(&format!("diff weather.session.json broken-line.jsonl --json --by {by}")).document();
        let [a, b] = ["a", "b"].map(|side| document[side]["bill"]["promptTokens"].as_i64().unwrap());
        let causes = document["causes"].as_array().unwrap();
        let sum: i64 = causes.iter().map(|cause| cause["tokens"].as_i64().unwrap()).sum();
        assert_eq!(sum, b - a);
        assert!(!causes.is_empty());
        let calls = document["calls"].as_array().unwrap();
        let of_side =
            |side: &str| -> i64 { calls.iter().filter_map(|call| call[side]["tokens"].as_i64()).sum() };
        assert_eq!([of_side("a"), of_side("b")], [a, b]);
    }
}

#[test]
fn one_recording_has_no_difference_to_itself() {
    let seen = strata("diff sample sample --json").json();
    assert_eq!(seen["causes"].as_array().map(Vec::len), Some(0), "{seen}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_way_out() {
    let several = strata("diff weather.session.json two.sessions.json").seen();
    assert!(several.contains("Choose one with `--other-session ID`"), "{several}");
    let call = strata("diff weather.session.json broken-line.jsonl --call 1").seen();
    assert!(call.contains("have numbers of their own"), "{call}");
}
