//! Calls that failed before a provider read them.

use strata_engine::FlowKind;
use strata_measure::analysis::CacheAnalysis;
use strata_testkit::transcript::session;

use super::analyse;

/// Three calls with one prompt that grows; the second failed, or, in the other session, the first.
fn sessions(model: &str) -> [CacheAnalysis; 2] {
    let long = "an instruction of some length, ".repeat(500);
    let asked = format!("user: {long}");
    let answered = format!("helper [model {model}, at 10]: One.");
    let failed = |at: u32| format!("helper [model {model}, at {at}, error 529 overloaded]:");
    let again = format!("user: Go on.\nhelper [model {model}, at 30]: Two.");
    let middle = format!("{asked}\n{answered}\nuser: And?\n{}\n{again}", failed(20));
    let first = format!("{asked}\n{}\nuser: And?\nhelper [model {model}, at 20]: One.\n{again}", failed(10));
    [middle, first].map(|transcript| analyse(session(&transcript), FlowKind::Adk))
}

#[test]
fn a_failed_call_is_no_reason_to_find_less_of_the_next() {
    for model in ["gpt-4o", "claude-sonnet-4-5", "llama.cpp/m"] {
        for (session, failed) in sessions(model).iter().zip([2, 1]) {
            assert_eq!(session.calls.len(), 3, "{model}");
            let failed = session.call(failed).expect("a call");
            assert!(failed.bill.is_unpaid && failed.loss.is_none(), "{model}");
            assert_eq!((failed.bill.cached_tokens, failed.prediction.written), (0, 0), "{model}");
            let last = session.call(3).expect("a call");
            let first = session.calls.iter().find(|call| !call.bill.is_unpaid).expect("an answered call");
            let most = first.bill.prompt_tokens - 1024;
            assert!(last.prediction.expected > most, "{model}: {:?}", last.prediction);
            assert_eq!(last.loss, None, "{model}");
        }
    }
}
