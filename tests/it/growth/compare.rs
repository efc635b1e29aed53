//! Two sessions that should be the same, however each came about.

use std::fmt::Debug;

use strata_engine::{Catalog, Compilation, Edit, EventsEdit, Experiment, Stage, StageCache};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, CallAnalysis, Effect, SessionAnalysis};
use strata_measure::edited;
use strata_measure::findings::findings;
use strata_model::EventIndex;

use super::grow::{Grown, Tables};

/// Calls whose stages are looked at one by one.
const MAX_CALLS: usize = 40;

pub(crate) fn assert_same(whole: &Grown, grown: &Grown, tables: &Tables, what: &str) {
    assert_eq!(whole.experiment.session(), grown.experiment.session(), "{what}: session");
    compare(&calls(&whole.experiment), &calls(&grown.experiment), what, "calls");
    compare(&evidence(whole), &evidence(grown), what, "evidence");
    compare(&stages(&whole.experiment), &stages(&grown.experiment), what, "stages");
    compare(&weighed(&whole.analysis), &weighed(&grown.analysis), what, "analysis");
    compare(&caches(whole), &caches(grown), what, "caches and bills");
    compare(&fixes(whole, tables), &fixes(grown, tables), what, "fixes");
    compare(&ledger(whole), &ledger(grown), what, "ledger");
    let found = |grown: &Grown| findings(&grown.experiment, grown.billed(), &tables.counting);
    compare(&found(whole), &found(grown), what, "findings");
    compare(&tried_out(whole, tables), &tried_out(grown, tables), what, "an experiment");
}

impl Grown {
    fn billed(&self) -> BilledCalls<'_> {
        BilledCalls { analysis: &self.analysis, caches: &self.caches }
    }
}

#[track_caller]
fn compare<T: Debug + PartialEq>(whole: &[T], grown: &[T], what: &str, aspect: &str) {
    for (at, (a, b)) in whole.iter().zip(grown).enumerate() {
        assert_eq!(a, b, "{what}: {aspect}, {at}");
    }
    assert_eq!(whole.len(), grown.len(), "{what}: how many {aspect}");
}

fn calls(experiment: &Experiment) -> Vec<String> {
    experiment.calls().iter().map(|call| format!("{call:?}")).collect()
}

/// What is recorded of each call, and whether that is what it ends with.
fn evidence(grown: &Grown) -> Vec<String> {
    let Grown { experiment, analysis, .. } = grown;
    let calls = analysis.calls().iter().map(|call| {
        format!(
            "{} {} {} {:?}",
            experiment.has_recorded_request(call.number),
            experiment.has_recorded_call(call.number),
            experiment.is_as_sent(call.number, &call.request),
            experiment.call(call.number).map(|call| &call.usage),
        )
    });
    calls.chain([experiment.n_recorded_requests().to_string()]).collect()
}

/// Whether a stage had to be run is not what it is.
fn stages(experiment: &Experiment) -> Vec<String> {
    let mut cache = StageCache::new();
    let n_calls = experiment.calls().len();
    let looked_at = experiment.calls().range(n_calls.saturating_sub(MAX_CALLS)..n_calls);
    let compiled = looked_at.map(|call| experiment.compile(call, &mut cache));
    compiled.map(|compiled| compiled.as_ref().map_or_else(String::new, shown)).collect()
}

fn shown(compilation: &Compilation) -> String {
    let stages = compilation.stages.iter().map(|stage| {
        let Stage { processor, changed, output, request, recorded, .. } = stage;
        format!("{processor} {changed:?} {recorded:?}\n{output:?}\n{request:?}")
    });
    format!("{:?}\n{}", compilation.outcome, stages.collect::<Vec<_>>().join("\n"))
}

fn weighed(analysis: &SessionAnalysis) -> Vec<String> {
    analysis.calls().iter().map(weighed_call).collect()
}

fn weighed_call(call: &CallAnalysis) -> String {
    let CallAnalysis { number, model, sent_to, total, overhead, by_kind, previous, matched, .. } = call;
    let CallAnalysis { prefix_break, matches, rebilled, is_unpaid, outcome, request, .. } = call;
    format!(
        "{number} {model} {sent_to} {is_unpaid} {total:?} {overhead} {by_kind:?} {previous:?} {matched:?} {prefix_break:?} \
         {matches:?} {rebilled} {outcome:?} {:?}",
        request.contents.provenance(),
    )
}

fn caches(grown: &Grown) -> Vec<String> {
    bills(&grown.caches)
}

fn bills(caches: &CacheAnalysis) -> Vec<String> {
    caches.calls.iter().map(|call| format!("{call:?}")).chain([format!("{:?}", caches.bill())]).collect()
}

fn fixes(grown: &Grown, tables: &Tables) -> Vec<String> {
    let Grown { experiment, analysis, caches } = grown;
    let fixes = caches.fixes(experiment, analysis, &tables.counting, &tables.rules, &tables.prices);
    fixes.iter().map(|fix| format!("{fix:?}")).collect()
}

fn ledger(grown: &Grown) -> Vec<String> {
    let ledger = grown.analysis.ledger();
    let n_events = grown.experiment.session().events.len();
    let mut lines: Vec<String> = ledger.events(n_events).iter().map(|usage| format!("{usage:?}")).collect();
    lines.extend(ledger.sources().iter().map(|source| format!("{source:?}")));
    let some = (0..n_events).step_by(n_events / 8 + 1);
    lines.extend(some.map(|event| format!("{:?}", ledger.carriers(EventIndex(event as u32)))));
    lines
}

/// The session without its second event and with the first one kept, on top of what is known of it.
fn tried_out(grown: &Grown, tables: &Tables) -> Vec<String> {
    if grown.experiment.session().events.len() < 2 {
        return Vec::new();
    }
    let edits = [Edit::from(EventsEdit::Drop { event: 2 }), Edit::from(EventsEdit::Pin { event: 1 })];
    let laid = edited(&grown.experiment, &edits, &Catalog::new(), &tables.counting);
    let mut analysis = grown.analysis.sharing();
    while analysis.step(&laid.experiment, &tables.counting) {}
    let mut lines = calls(&laid.experiment);
    lines.extend(stages(&laid.experiment));
    lines.extend(weighed(&analysis));
    let before = grown.billed();
    let (rules, prices) = (&tables.rules, &tables.prices);
    let caches = CacheAnalysis::of_edited(&laid.experiment, &analysis, before, rules, prices);
    lines.extend(bills(&caches));
    let effect = Effect::of(before, BilledCalls { analysis: &analysis, caches: &caches });
    lines.push(format!("{effect:?}"));
    lines
}
