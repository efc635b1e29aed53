//! Sweeps: what rows say, and that they say it each time.

use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::{Assumptions, Flag, Moment, SummarySize, Sweep, parse_grid, sweep};
use strata_testkit::{experiment, experiment_in, invoice_triage, large};

use super::with_lab;

fn swept(lab: &strata_measure::lab::Lab<'_>, grid: &str) -> Sweep {
    let configs = parse_grid(grid).unwrap_or_else(|error| panic!("{error}"));
    let size = SummarySize::stated(120);
    sweep(lab, &configs, size, Assumptions::default(), &|_| true).expect("nobody stops it")
}

#[test]
fn rows_are_the_same_each_time() {
    let experiment = experiment_in(large::app(), large::session(300));
    let grid = "interval=1..6,overlap=0..2; threshold=5000..20000/5000,retention=5|20; limit=12000,keep=10";
    let once = with_lab(&experiment, |lab| format!("{:?}", swept(lab, grid)));
    let again = with_lab(&experiment, |lab| format!("{:?}", swept(lab, grid)));
    assert_eq!(once, again);
}

#[test]
fn configurations_that_make_no_sense_are_flagged() {
    let experiment = experiment_in(large::app(), large::session(300));
    with_lab(&experiment, |lab| {
        let sweep = swept(lab, "interval=1|5|500,overlap=0");
        assert_eq!(sweep.rows[2].flags, [Flag::NeverFires]);
        assert_eq!(sweep.rows[2].prompt_tokens, sweep.unchanged.prompt_tokens);
        assert_eq!(sweep.rows[2].bill.calls.prompt_tokens, sweep.unchanged.bill.calls.prompt_tokens);
        assert!(sweep.rows[0].bill.peak_tokens < sweep.rows[1].bill.peak_tokens);
        assert!(sweep.rows[0].bill.summaries.n_summaries > sweep.rows[1].bill.summaries.n_summaries);
        let Some(best) = sweep.recommended else { panic!("there is a setting to take") };
        assert_ne!(best.row, Some(2), "{}", best.reason);
    });
}

#[test]
fn summaries_that_are_large_or_many_grow_the_prompt() {
    let mut lines = String::new();
    for turn in 0..12 {
        lines += &format!("user: Question {turn}?\nbot: Answer {turn}.\n");
    }
    with_lab(&experiment(&lines), |lab| {
        let sweep = swept(lab, "interval=1,overlap=4,summary_tokens=400");
        assert!(sweep.rows[0].flags.contains(&Flag::FiresOnConsecutiveCalls), "{:?}", sweep.rows[0].flags);
        assert!(sweep.rows[0].flags.contains(&Flag::GrowsThePrompt), "{:?}", sweep.rows[0]);
        assert!(sweep.recommended.is_some_and(|best| best.row.is_none()));
    });
}

#[test]
fn the_samples_own_setting_is_close_to_its_record() {
    let experiment = experiment_in(invoice_triage::app(), invoice_triage::session());
    with_lab(&experiment, |lab| {
        let sizes = lab.recorded_sizes();
        assert_eq!(sizes.len(), 2);
        let size = SummarySize::fitted(&sizes);
        let configs = [CompactionConfig::parse("interval=6,overlap=1").expect("a configuration")];
        let sweep = sweep(lab, &configs, size, Assumptions::default(), &|_| true).expect("nobody stops it");
        let (row, recorded) = (&sweep.rows[0].bill, &sweep.recorded);
        let near = |a: u64, b: u64| a.abs_diff(b) * 50 < b;
        assert!(near(row.calls.prompt_tokens, recorded.calls.prompt_tokens), "{row:?} {recorded:?}");
        assert!(recorded.calls.prompt_tokens < sweep.unchanged.bill.calls.prompt_tokens);
        assert_eq!(sweep.rows[0].summaries.len(), 2);
        assert!(!Moment::AfterTurn { next_call: None }.is_waited_for());
    });
}

#[test]
fn a_sweep_that_is_stopped_gives_nothing() {
    with_lab(&experiment("user: Hi\nbot: Hello"), |lab| {
        let configs = parse_grid("interval=1..9,overlap=0").expect("a grid");
        assert!(sweep(lab, &configs, SummarySize::assumed(), Assumptions::default(), &|_| false).is_none());
    });
}
