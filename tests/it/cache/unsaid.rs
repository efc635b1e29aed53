//! Reports that say how large a prompt was, and nothing of a cache.

use strata_engine::FlowKind;
use strata_measure::analysis::{CacheAnalysis, Cause, Difference};
use strata_testkit::transcript::session;

use super::analyse;

/// Four calls with one prompt that grows; `reports` is what is reported of each.
fn reported(kind: FlowKind, model: &str, reports: [&str; 4]) -> CacheAnalysis {
    let long = "an instruction of some length, ".repeat(1000);
    let mut transcript = format!("user: {long}\n");
    for (at, report) in reports.iter().enumerate() {
        let seconds = 10 + at * 10;
        transcript +=
            &format!("helper [model {model}, at {seconds}{report}]: Answer {at}.\nuser: And {at}?\n");
    }
    analyse(session(&transcript), kind)
}

#[test]
fn a_report_without_a_word_of_a_cache_is_no_miss() {
    for (kind, model) in [
        (FlowKind::Transcript, "gpt-4o"),
        (FlowKind::Transcript, "claude-sonnet-4-5"),
        (FlowKind::Transcript, "gemini-2.5-flash"),
        (FlowKind::Adk, "gpt-4o"),
    ] {
        let sizes = [", usage 5005", ", usage 5015", ", usage 5025", ", usage 5035"];
        let found = reported(kind, model, sizes);
        let said = reported(kind, model, [""; 4]);
        for (call, counted) in found.calls.iter().zip(&said.calls) {
            assert!(call.bill.is_cache_unsaid && !call.bill.is_cache_reported, "{model}");
            assert_eq!((call.bill.cached_tokens, &call.loss), (0, &None), "{model}");
            assert_eq!(call.prediction.expected > 0, counted.prediction.expected > 0, "{model}");
        }
        let bill = found.bill();
        assert_eq!((bill.cache_unsaid_calls, bill.cache_reported_calls, bill.calls), (4, 0, 4), "{model}");
    }
}

#[test]
fn who_tells_of_hits_found_nothing_where_nothing_is_said() {
    let reports = [", usage 5005", ", usage 5015 cached 4990", ", usage 5025", ", usage 5035 cached 5010"];
    for kind in [FlowKind::Transcript, FlowKind::Adk] {
        let found = reported(kind, "gemini-2.5-flash", reports);
        let lost: Vec<_> = found.calls.iter().filter_map(|call| Some((call.call, call.broken()?))).collect();
        let [(3, loss)] = lost[..] else { panic!("{lost:?}") };
        assert!(loss.is_reported && loss.tokens > 4900, "{loss:?}");
        assert_eq!(loss.cause, Cause::Missed { why: Difference::KeepsLess });
        assert_eq!(found.bill().cache_unsaid_calls, 0);
    }
}

#[test]
fn gemini_leaves_out_that_it_found_nothing_at_all() {
    let sizes = [", usage 5005", ", usage 5015", ", usage 5025", ", usage 5035"];
    let found = reported(FlowKind::Adk, "gemini-2.5-flash", sizes);
    assert_eq!((found.bill().cache_reported_calls, found.bill().cached_tokens), (4, 0));
    let differences = found.calls.iter().skip(1).map(|call| call.comparison?.difference);
    assert!(differences.into_iter().all(|difference| difference == Some(Difference::NeverKept)));
    assert!(found.losses().is_empty());
}
