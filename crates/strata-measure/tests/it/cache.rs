//! Prompt caches: every kind of cause is injected into sessions of a hundred calls and has to be found again, and
//! predictions are compared with what providers reported.

mod agents;
mod fixes;
mod kinds;
mod sample;
mod script;

use script::Injected;

/// What came of the calls of one kind.
#[derive(Default)]
struct Tally {
    injected: usize,
    right: usize,
    false_alarms: usize,
    mistakes: Vec<String>,
}

fn tally(injected: &Injected) -> Tally {
    let cache = injected.analyse();
    let mut tally = Tally::default();
    assert!(cache.calls.len() >= 100, "{}: {} calls", injected.name, cache.calls.len());
    for call in &cache.calls {
        let found = call.loss.as_ref().map(|loss| (loss.cause.code(), loss.stage.as_deref()));
        let expected = injected.expected.get(&call.call).copied();
        tally.injected += usize::from(expected.is_some());
        if found == expected {
            tally.right += usize::from(expected.is_some());
            continue;
        }
        tally.false_alarms += usize::from(expected.is_none());
        tally
            .mistakes
            .push(format!("C{}: expected {expected:?}, found {found:?}: {:?}", call.call, call.loss));
    }
    tally
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is what the test is run for")]
fn injected_causes_are_found_with_the_stage_that_made_them() {
    println!("{:<40} {:>8} {:>6} {:>12}", "kind", "injected", "right", "false alarms");
    let mut wrong = Vec::new();
    for injected in kinds::all() {
        let tally = tally(&injected);
        println!("{:<40} {:>8} {:>6} {:>12}", injected.name, tally.injected, tally.right, tally.false_alarms);
        let is_good = tally.injected > 0
            && tally.right * 100 >= tally.injected * 98
            && tally.false_alarms * 100 <= tally.injected * 2;
        if !is_good {
            let examples = tally.mistakes.iter().take(3).cloned().collect::<Vec<_>>().join("\n  ");
            wrong.push(format!("{}:\n  {examples}", injected.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn agents_that_take_turns_do_not_break_each_others_prefix() {
    let injected = agents::alternating();
    let cache = injected.analyse();
    assert!(cache.calls.len() >= 100);
    for call in &cache.calls {
        assert!(call.loss.is_none(), "C{}: {:?}", call.call, call.loss);
        let is_first = call.call == call.lineage;
        assert_eq!(call.prediction.expected == 0, is_first, "C{}", call.call);
    }
}
