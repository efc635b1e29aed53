//! Some of a session's calls.

use serde_json::{Value, json};

use crate::{ask, compiled, sample, start};

const LAST: u32 = 41;

/// Sums of dollars go by the order in which they are added up.
fn is_close(sum: f64, whole: &Value) -> bool {
    (sum - whole.as_f64().expect("a number")).abs() < 1e-9
}

#[test]
fn the_bills_of_parts_come_to_the_bill_of_the_session() {
    let strata = start();
    let session = sample(&strata);
    let whole = compiled(&strata, &session)["bill"].clone();
    let bill =
        |from: u32, to: u32| ask(&strata, "call/bill", &json!({"session": session, "from": from, "to": to}));
    let sum = |field: &str| -> f64 {
        [(1, 16), (17, 17), (18, LAST)]
            .iter()
            .map(|(from, to)| bill(*from, *to)[field].as_f64().unwrap_or(0.0))
            .sum()
    };
    for field in ["calls", "promptTokens", "cachedTokens", "outputTokens", "unpaidTokens"] {
        assert!(is_close(sum(field), &whole[field]), "{field}");
    }
    assert!(is_close(sum("cost"), &whole["cost"]), "cost");
    assert_eq!(bill(18, 18)["summaries"]["summaries"], 0, "none is written before C18");
    let one = ask(&strata, "call/get", &json!({"session": session, "call": 18}));
    assert_eq!(bill(18, 18), one["bill"]);
    assert_eq!(bill(LAST + 1, LAST + 5)["calls"], 0);
}

#[test]
fn rows_in_a_range_say_what_they_come_to_there() {
    let strata = start();
    let session = sample(&strata);
    let page = |within: Value| {
        let mut params =
            json!({"session": session, "order": "inOrder", "filter": "", "offset": 0, "limit": 200});
        if !within.is_null() {
            params["within"] = within;
        }
        ask(&strata, "event/page", &params)
    };
    let within = |from: u32, to: u32| page(json!({"from": from, "to": to}));
    let whole = page(Value::Null);
    assert_eq!(within(1, LAST), whole);
    let rows = |page: &Value| page["rows"].as_array().expect("rows").clone();
    let (first, second) = (rows(&within(1, 16)), rows(&within(17, LAST)));
    for ((whole, first), second) in rows(&whole).iter().zip(&first).zip(&second) {
        for field in ["sentIn", "lifetimeTokens", "freshTokens"] {
            let number = |row: &Value| row[field].as_f64().expect("a number");
            assert!(is_close(number(first) + number(second), &whole[field]), "{field} of {whole}");
        }
        assert_eq!(first["tokens"], whole["tokens"], "the size of an event is no matter of calls");
    }
    // E7 is carried by C4 and later.
    let one = rows(&within(17, 17));
    let carried = ask(&strata, "event/get", &json!({"session": session, "event": 7}));
    let by_call = carried["byCall"].as_array().expect("calls");
    let is_of = |run: &&Value, call: u64| {
        run["from"].as_u64().is_some_and(|from| from <= call) && run["to"].as_u64() >= Some(call)
    };
    let at_17 = by_call.iter().find(|run| is_of(run, 17)).expect("C17 carries E7");
    assert_eq!((&one[6]["sentIn"], &one[6]["lifetimeTokens"]), (&json!(1), &json!(at_17["tokens"].as_f64())));
    assert_eq!(one[6]["carriedBy"], "C17");
}
