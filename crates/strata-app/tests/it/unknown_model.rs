//! Files that do not say which model was called, or what a single call was reported to be.

use strata_app::report::{self, TokensReport};

use crate::samples::{Unwatched, of_formats, source};

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
