//! Files that do not say which model was called, or what a single call was reported to be.

use serde_json::json;
use strata_app::ErrorCode;
use strata_app::report::{self, Source, TokensReport};

use crate::samples::{Unwatched, of_formats, source};
use crate::{ask, compiled, import, refuse, start};

fn tokens(file: &str) -> TokensReport {
    report::tokens(&source(&of_formats().join(file)), None, &Unwatched::default())
        .expect("the sample is read")
}

#[test]
fn a_model_that_nothing_names_is_unknown_and_has_no_price() {
    for file in ["swe-agent.traj", "tau-bench.json"] {
        let report = tokens(file);
        assert!(!report.calls.is_empty(), "{file}");
        assert!(report.calls.iter().all(|call| call.model.is_empty()), "{file}: {:?}", report.calls);
        assert!(report.parts.iter().all(|part| part.cost.is_none()), "{file}: {:?}", report.parts);
    }
}

#[test]
fn the_sum_over_a_session_is_no_call_and_the_report_of_none() {
    let report = tokens("swe-agent.traj");
    assert_eq!(report.calls.len(), 2, "the file has two answers");
    assert!(report.calls.iter().all(|call| call.reported.is_none()), "{:?}", report.calls);
    assert!(report.hidden.is_none(), "{:?}", report.hidden);
}

#[test]
fn a_model_that_is_chosen_is_what_counts_and_prices_are_for() {
    let of_file = source(&of_formats().join("swe-agent.traj"));
    let as_if = |model: &str| {
        let source = Source { as_if: Some(model.to_owned()), ..of_file.clone() };
        report::tokens(&source, None, &Unwatched::default())
    };
    let report = as_if("gpt-4o").expect("a model that is known");
    assert!(report.app.names_no_model);
    assert_eq!(report.app.as_if.as_deref(), Some("gpt-4o"));
    assert!(report.calls.iter().all(|call| call.model == "gpt-4o"));
    // 2.50 dollars a million tokens, and no cache below 1,024.
    let dollars = report.bill.prompt_tokens as f64 * 2.5e-6;
    assert!((report.bill.cost.expect("a price") - dollars).abs() < 1e-9, "{:?}", report.bill);
    let refused = as_if("gtp-4o").expect_err("a misspelled name is no model");
    assert!(refused.message.contains("no model whose tokenizer or price is known"), "{}", refused.message);
    let known = Source { name: of_formats().join("claude-code.jsonl").display().to_string(), ..of_file };
    let known = Source { as_if: Some("gpt-4o".to_owned()), ..known };
    let refused = report::tokens(&known, None, &Unwatched::default()).expect_err("its models are named");
    assert!(refused.message.contains("All models of this session are known"), "{}", refused.message);
}

#[test]
fn a_chosen_model_is_kept_with_the_session() {
    let strata = start();
    let job = import(&strata, &of_formats().join("swe-agent.traj"));
    let session = job["sessions"][0]["session"].as_str().expect("a session").to_owned();
    let app = |model| {
        ask(&strata, "session/setModel", &json!({ "session": session, "model": model }));
        let header = compiled(&strata, &session);
        (header["app"]["namesNoModel"].clone(), header["app"]["asIf"].clone(), header["bill"]["cost"].clone())
    };
    assert_eq!(compiled(&strata, &session)["bill"]["cost"], json!(null));
    let (unnamed, as_if, cost) = app(Some("gpt-4o"));
    assert_eq!((unnamed, as_if), (json!(true), json!("gpt-4o")));
    assert!(cost.as_f64().is_some_and(|cost| cost > 0.0), "{cost}");
    let (code, _) = refuse(&strata, "session/setModel", &json!({ "session": session, "model": "gtp-4o" }));
    assert_eq!(code, ErrorCode::BadInput);
    assert_eq!(compiled(&strata, &session)["app"]["asIf"], "gpt-4o", "what is refused changes nothing");
    assert_eq!(app(None), (json!(true), json!(null), json!(null)));
}
