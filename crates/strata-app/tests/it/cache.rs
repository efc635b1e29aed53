//! The commands of the Cache view on the bundled sample.

use serde_json::{Value, json};

use crate::{ask, ask_bytes, refuse, sample, start};

fn words(bytes: &[u8], from: usize, n: usize) -> Vec<u32> {
    let words = bytes[from..from + 4 * n].chunks_exact(4);
    words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
}

fn rows(page: &Value) -> &Vec<Value> {
    page["rows"].as_array().expect("rows")
}

#[test]
fn breaks_come_in_both_orders_and_add_up() {
    let strata = start();
    let session = sample(&strata);
    let page = |order: &str, offset: u32, limit: u32| {
        let params = json!({ "session": session, "order": order, "offset": offset, "limit": limit });
        ask(&strata, "cache/breaks", &params)
    };
    let by_cost = page("byCost", 0, 500);
    insta::assert_json_snapshot!("breaks", by_cost);
    let in_order = page("inOrder", 0, 500);
    assert_eq!(by_cost["summary"], in_order["summary"]);
    let calls: Vec<_> = rows(&in_order).iter().map(|row| row["call"].as_u64()).collect();
    assert!(calls.is_sorted() && calls.len() == rows(&by_cost).len());
    assert_eq!(rows(&page("inOrder", 3, 2))[..], rows(&in_order)[3..5]);
    let of = |nature: Option<&str>| -> u64 {
        let wanted = rows(&by_cost).iter().filter(|row| nature.is_none_or(|nature| row["nature"] == nature));
        wanted.map(|row| row["rebilledTokens"].as_u64().expect("tokens")).sum()
    };
    assert_eq!(by_cost["summary"]["avoidableTokens"], of(Some("avoidable")));
    assert_eq!(by_cost["summary"]["lostTokens"], of(None));
}

#[test]
fn the_ladder_has_the_sizes_and_ends_of_all_prompts() {
    let strata = start();
    let session = sample(&strata);
    let bytes = ask_bytes(&strata, "cache/ladder", &json!({ "session": session, "from": 1, "to": 99 }));
    let [version, n] = words(&bytes, 0, 2)[..] else { panic!("a header") };
    assert_eq!((version, n), (1, 41));
    let n = n as usize;
    assert_eq!(bytes.len(), 8 + n * (6 * 4 + 2 * 2));
    let column = |at: usize| words(&bytes, 8 + at * n * 4, n);
    let [tokens, cached, predicted, ends_at] = [1, 2, 3, 5].map(column);
    assert_eq!(column(0), (1..=41).collect::<Vec<u32>>());
    for at in 0..n {
        let why = ask(&strata, "cache/why", &json!({ "session": session, "call": at + 1 }));
        assert_eq!(why["bill"]["promptTokens"], tokens[at]);
        assert_eq!(why["predictedTokens"], predicted[at]);
        // Nothing is reported in the sample.
        assert_eq!(cached[at], predicted[at]);
        let end = why["prefixBreak"]["row"]["atToken"].as_u64();
        assert_eq!(end.unwrap_or(u64::from(u32::MAX)), u64::from(ends_at[at]), "C{}", at + 1);
        // Zones lie side by side and cover the prompt.
        let mut to = json!(0);
        for zone in why["zones"].as_array().expect("zones") {
            assert_eq!(zone["from"], to);
            to = zone["to"].clone();
        }
        assert_eq!(to, tokens[at]);
    }
}

#[test]
fn rows_hold_the_parts_of_the_calls_that_were_asked_for() {
    let strata = start();
    let session = sample(&strata);
    let rows = ask_bytes(
        &strata,
        "cache/rows",
        &json!({ "session": session, "calls": [17, 3, 99], "minTokens": 1 }),
    );
    let [_, n_columns, _] = words(&rows, 0, 3)[..] else { panic!("a header") };
    assert_eq!((n_columns, words(&rows, 12, 2)), (2, vec![17, 3]));
    let map = ask_bytes(
        &strata,
        "call/map",
        &json!({ "session": session, "from": 17, "to": 17, "maxColumns": 1, "minTokens": 1 }),
    );
    let n_of_c17 = words(&rows, 12 + 2 * 4, 2)[1] as usize;
    assert_eq!(
        words(&rows, 12 + (2 * 2 + 1) * 4, n_of_c17),
        words(&map, 12 + (2 + 1) * 4, n_of_c17),
        "the map and the ladder show the same parts"
    );
    let many: Vec<u32> = (1..=501).collect();
    let params = json!({ "session": session, "calls": many, "minTokens": 1 });
    assert!(refuse(&strata, "cache/rows", &params).1.contains("At most 500"));
}

#[test]
fn a_break_is_explained_with_its_chain() {
    let strata = start();
    let session = sample(&strata);
    insta::assert_json_snapshot!(
        "why",
        ask(&strata, "cache/why", &json!({ "session": session, "call": 17 }))
    );
}

#[test]
fn differences_are_stepped_through_from_the_first_on() {
    let strata = start();
    let session = sample(&strata);
    let difference = |call: u32, number: u32| {
        ask(&strata, "cache/difference", &json!({ "session": session, "call": call, "number": number }))
    };
    let first = difference(17, 1);
    insta::assert_json_snapshot!("difference", first, {
        // The texts of the sample are long; that they are there is what counts.
        ".shown.lines" => insta::dynamic_redaction(|lines, _| format!("{} lines", lines.as_slice().map_or(0, <[_]>::len))),
    });
    for call in 1..=41 {
        let known = difference(call, 1);
        let total = known["total"].as_u64().expect("a number") as u32;
        let detail = ask(&strata, "call/get", &json!({ "session": session, "call": call }));
        let parts =
            ["sameTokens", "againTokens", "newTokens"].map(|field| known[field].as_u64().expect("tokens"));
        assert_eq!(
            parts.iter().sum::<u64>(),
            detail["prompt"]["tokens"].as_u64().expect("tokens"),
            "C{call}"
        );
        let mut at = 0;
        for number in 1..=total {
            let shown = &difference(call, number)["shown"];
            assert_eq!(shown["number"], number);
            let token = shown["atToken"].as_u64().expect("a token");
            assert!(token >= at, "C{call}: difference {number} at {token}, after one at {at}");
            at = token;
            let address = shown["address"].as_str().expect("an address");
            let part =
                ask(&strata, "part/get", &json!({ "session": session, "address": address, "stage": null }));
            assert_eq!(part["address"], address);
        }
    }
    // There is no later one than the last, and none before a first prompt.
    assert_eq!(difference(17, 99)["shown"]["number"], first["total"]);
    assert!(difference(1, 1)["previousCall"].is_null());
}

#[test]
fn fixes_of_the_sample_save_nearly_all_that_could_be_avoided() {
    let strata = start();
    let session = sample(&strata);
    let fixes = ask(&strata, "cache/fixes", &json!({ "session": session }));
    assert_eq!((&fixes["isComplete"], &fixes["calls"]), (&json!(true), &json!(41)));
    insta::assert_json_snapshot!("fixes", fixes["rows"], { "[].savesCostUsd" => "[dollars]" });
    let params = json!({ "session": session, "order": "byCost", "offset": 0, "limit": 0 });
    let avoidable = ask(&strata, "cache/breaks", &params)["summary"]["avoidableTokens"].as_i64();
    let best = rows(&fixes)[0]["savesTokens"].as_i64();
    assert!(best.zip(avoidable).is_some_and(|(best, avoidable)| best * 100 > avoidable * 95));
}
