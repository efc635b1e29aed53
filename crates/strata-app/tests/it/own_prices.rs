//! Prices that a person sets.

use serde_json::{Value, json};
use strata_app::ErrorCode;

use crate::{ask, compiled, refuse, sample, start};

fn row<'r>(rows: &'r Value, model: &str) -> &'r Value {
    let rows = rows.as_array().expect("a list");
    rows.iter().find(|row| row["model"] == model).unwrap_or_else(|| panic!("{model} is in the list"))
}

#[test]
fn a_price_holds_at_once_for_all_sessions_until_it_is_forgotten() {
    let strata = start();
    let session = sample(&strata);
    let cost = |header: &Value| header["bill"]["cost"].as_f64().expect("a cost");
    let before = compiled(&strata, &session);
    let model = before["prices"][0]["model"].as_str().expect("a model").to_owned();
    assert_eq!(before["prices"].as_array().map(Vec::len), Some(1), "the sample has one model");

    let listed = row(&ask(&strata, "app/prices", &json!({})), &model).clone();
    assert_eq!((&listed["isOwn"], &listed["tiers"]), (&json!(false), &json!([])));
    let twice = |rate: &Value| rate.as_f64().map(|rate| rate * 2.0);
    let rates = json!({
        "input": twice(&listed["rates"]["input"]),
        "cachedRead": twice(&listed["rates"]["cachedRead"]),
        "cacheWrite": twice(&listed["rates"]["cacheWrite"]),
        "cacheWriteLong": null,
        "output": twice(&listed["rates"]["output"]),
    });
    let rows = ask(&strata, "app/setPrice", &json!({"model": model, "rates": rates}));
    assert_eq!((&rows[0]["model"], &rows[0]["isOwn"]), (&json!(model), &json!(true)), "it stands first");
    assert_eq!(rows[0]["contextTokens"], listed["contextTokens"]);
    let dearer = compiled(&strata, &session);
    assert!((cost(&dearer) - 2.0 * cost(&before)).abs() < 1e-9, "{} of {}", cost(&dearer), cost(&before));
    assert_eq!(dearer["prices"][0]["source"], "set in Settings");

    let rows = ask(&strata, "app/forgetPrice", &json!({"model": model}));
    assert_eq!(*row(&rows, &model), listed);
    assert_eq!(compiled(&strata, &session)["bill"], before["bill"]);
}

#[test]
fn a_model_that_is_not_listed_can_be_priced() {
    let strata = start();
    let rates =
        json!({"input": 1, "cachedRead": 0.5, "cacheWrite": null, "cacheWriteLong": null, "output": 2});
    let rows = ask(&strata, "app/setPrice", &json!({"model": " acme/house-model ", "rates": rates}));
    assert_eq!(rows[0]["model"], "acme/house-model");
    let n_rows = rows.as_array().map(Vec::len);
    // Set again, it is another price of the same model.
    let rows = ask(&strata, "app/setPrice", &json!({"model": "acme/house-model", "rates": rates}));
    assert_eq!(rows.as_array().map(Vec::len), n_rows);

    // A cache that keeps tokens longer costs more to write.
    let long = json!({"input": 5, "cachedRead": 0.5, "cacheWrite": 6.25, "cacheWriteLong": 10, "output": 25});
    let rows = ask(&strata, "app/setPrice", &json!({"model": "acme/house-model", "rates": long}));
    assert_eq!(row(&rows, "acme/house-model")["rates"]["cacheWriteLong"], 10.0);

    let negative =
        json!({"input": -1, "cachedRead": 0.5, "cacheWrite": null, "cacheWriteLong": null, "output": 2});
    let (code, message) = refuse(&strata, "app/setPrice", &json!({"model": "m", "rates": negative}));
    assert_eq!(code, ErrorCode::BadInput);
    assert!(message.contains("Nothing was changed"), "{message}");
    let (code, _) = refuse(&strata, "app/setPrice", &json!({"model": " ", "rates": rates}));
    assert_eq!(code, ErrorCode::BadInput);
}
