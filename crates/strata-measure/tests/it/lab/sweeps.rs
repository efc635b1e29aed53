//! Sweeps: what rows say, and that they say it each time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::lab::{
    Assumptions, Baselines, Flag, Moment, SummarySize, Sweep, SweepRow, SweepWatch, parse_grid, sweep,
};
use strata_testkit::{experiment, experiment_in, invoice_triage, large};

use super::with_lab;

fn swept(lab: &strata_measure::lab::Lab<'_>, grid: &str) -> Sweep {
    let configs = parse_grid(grid).unwrap_or_else(|error| panic!("{error}"));
    let size = SummarySize::stated(120);
    sweep(lab, &configs, size, Assumptions::default(), &())
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
        assert_eq!(sweep.rows[2].prompt_tokens, sweep.baselines.unchanged.prompt_tokens);
        assert_eq!(
            sweep.rows[2].bill.calls.prompt_tokens,
            sweep.baselines.unchanged.bill.calls.prompt_tokens
        );
        assert!(sweep.rows[0].bill.peak_tokens < sweep.rows[1].bill.peak_tokens);
        assert!(sweep.rows[0].bill.summaries().summaries > sweep.rows[1].bill.summaries().summaries);
        let Some(best) = sweep.recommended else { panic!("there is something to say") };
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
        let sweep = sweep(lab, &configs, size, Assumptions::default(), &());
        let (row, recorded) = (&sweep.rows[0].bill, &sweep.baselines.recorded);
        let near = |a: u64, b: u64| a.abs_diff(b) * 50 < b;
        assert!(near(row.calls.prompt_tokens, recorded.calls.prompt_tokens), "{row:?} {recorded:?}");
        assert!(recorded.calls.prompt_tokens < sweep.baselines.unchanged.bill.calls.prompt_tokens);
        assert_eq!(sweep.rows[0].summaries.len(), 2);
        // The summaries of the recording are paid for, too.
        assert_eq!(recorded.summaries().summaries, 2);
        assert!(
            near(row.summaries().input_tokens, recorded.summaries().input_tokens),
            "{row:?} {recorded:?}"
        );
        assert!(recorded.summaries().cost > Some(0.0));
        assert!(!Moment::AfterTurn { next_call: None }.is_waited_for());
    });
}

/// The longest prompt, and what all of it costs.
fn measures(row: &SweepRow) -> (u32, f64) {
    (row.bill.peak_tokens, row.bill.cost().expect("a price"))
}

#[test]
fn the_star_beats_the_recording_and_spares_what_is_used_later() {
    let sessions = [
        experiment_in(invoice_triage::app(), invoice_triage::session()),
        experiment_in(large::app(), large::session(400)),
    ];
    let mut n_taken = 0;
    for session in &sessions {
        with_lab(session, |lab| {
            for grid in [
                "interval=2..8,overlap=0..2; threshold=3000..20000/2000,retention=5|20",
                "limit=4000..20000/4000,keep=5|20",
                "interval=1|2,overlap=3",
            ] {
                let sweep = swept(lab, grid);
                let recorded = &sweep.baselines.recorded;
                let (peak, cost) = (recorded.peak_tokens, recorded.cost().expect("a price"));
                let best = sweep.recommended.as_ref().expect("something to say");
                let Some(at) = best.row else {
                    assert!(best.reason.starts_with("Nothing here beats what you have"), "{}", best.reason);
                    continue;
                };
                n_taken += 1;
                let own = measures(&sweep.rows[at]);
                assert!(own.0 <= peak && own.1 <= cost, "{}", best.reason);
                assert!(best.reason.contains("than the recording"), "{}", best.reason);
                for row in sweep.rows.iter().filter(|row| row.flags.is_empty()) {
                    let other = measures(row);
                    let is_better = other.0 <= peak && other.1 < cost * 0.995;
                    let is_near = other.1 <= own.1;
                    assert!(
                        !(is_better && is_near && row.regret < sweep.rows[at].regret),
                        "{} costs less and leaves less to its summaries than {}",
                        row.config,
                        sweep.rows[at].config
                    );
                }
            }
        });
    }
    assert!(n_taken > 0, "no setting of any sweep was worth taking");
}

#[test]
fn where_nothing_beats_the_recording_there_is_no_star() {
    let mut lines = String::new();
    for turn in 0..12 {
        let said = "It went as it was meant to go. ".repeat(20);
        lines += &format!("user: Question {turn}?\nbot: {said}\n");
    }
    lines += "compaction 1-12: All went well.\nuser: Thanks.\nbot: You are welcome.\n";
    with_lab(&experiment(&lines), |lab| {
        let sweep = swept(lab, "interval=50,overlap=1; threshold=900000,retention=5");
        let best = sweep.recommended.expect("something to say");
        assert_eq!(best.row, None);
        assert!(best.reason.starts_with("Nothing here beats what you have"), "{}", best.reason);
    });
}

/// Hears of rows, and stops after some.
#[derive(Default)]
struct Listener {
    begun: AtomicBool,
    heard: Mutex<Vec<(usize, String)>>,
    asked: AtomicUsize,
    most: usize,
}

impl SweepWatch for Listener {
    fn begins(&self, _: &Baselines) {
        self.begun.store(true, Ordering::Relaxed);
    }

    fn replayed(&self, row: &SweepRow) {
        assert!(self.begun.load(Ordering::Relaxed));
        self.heard.lock().expect("nobody panicked").push((row.place, format!("{row:?}")));
    }

    fn is_stopped(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

#[test]
fn a_sweep_that_is_stopped_keeps_the_rows_that_came() {
    let experiment = experiment_in(invoice_triage::app(), invoice_triage::session());
    with_lab(&experiment, |lab| {
        let configs = parse_grid("interval=1..9,overlap=0").expect("a grid");
        let of = |most: usize| {
            let listener = Listener { most, ..Listener::default() };
            let swept = sweep(lab, &configs, SummarySize::assumed(), Assumptions::default(), &listener);
            let mut heard = listener.heard.into_inner().expect("nobody panicked");
            heard.sort_unstable();
            let rows: Vec<(usize, String)> =
                swept.rows.iter().map(|row| (row.place, format!("{row:?}"))).collect();
            assert_eq!(heard, rows);
            swept
        };
        let (whole, some, none) = (of(usize::MAX), of(4), of(0));
        assert_eq!((whole.rows.len(), some.rows.len(), none.rows.len()), (9, 4, 0));
        for row in &some.rows {
            assert_eq!(format!("{row:?}"), format!("{:?}", whole.rows[row.place]));
            assert_eq!(row.config, configs[row.place]);
        }
        let reason = some.recommended.expect("something to say").reason;
        assert!(reason.starts_with("Of the 4 of 9 settings that were replayed: "), "{reason}");
        assert!(none.recommended.is_none());
    });
}
