//! The breaks of the sample that the app carries.

use strata_measure::analysis::{CacheAnalysis, Counting, Nature, SessionAnalysis};
use strata_measure::prices::Prices;
use strata_testkit::{experiment_in, invoice_triage};
use strata_wire::CacheRules;

fn sample() -> CacheAnalysis {
    let experiment = experiment_in(invoice_triage::app(), invoice_triage::session());
    let counting = Counting::default();
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&experiment, &counting) {}
    CacheAnalysis::new(&experiment, &analysis, &CacheRules::embedded(), &Prices::embedded())
}

#[test]
fn the_way_from_the_event_to_the_break_is_told() {
    let cache = sample();
    let of_state = cache.losses().into_iter().find(|(_, loss)| loss.cause.code() == "state_in_instruction");
    let (_, loss) = of_state.expect("the hits change");
    let chain: Vec<String> = loss.chain.iter().map(ToString::to_string).collect();
    assert_eq!(chain[0], "E33 wrote state.hits 41 → 2318");
    assert_eq!(chain[1], "the template in log_analyst's instruction reads hits");
    assert_eq!(chain[2], "`instructions` filled it differently");
    assert!(chain[3].starts_with("prefix ends at token "), "{chain:?}");
}

#[test]
fn every_break_has_a_cause_and_a_stage() {
    let cache = sample();
    let mut causes: Vec<String> = Vec::new();
    for call in &cache.calls {
        let Some(loss) = call.loss.as_ref().filter(|loss| loss.cause.nature() != Nature::Provider) else {
            continue;
        };
        causes.push(format!("C{} {} {}", call.call, loss.cause.code(), loss.stage.as_deref().unwrap_or("-")));
    }
    let expected = [
        "C17 state_in_instruction instructions",
        "C18 compaction contents",
        "C19 compaction contents",
        "C23 history_scope contents",
        "C31 state_in_instruction instructions",
        "C35 compaction contents",
        "C36 history_scope contents",
        "C39 history_scope contents",
        "C40 compaction contents",
    ];
    assert_eq!(causes, expected);
}
