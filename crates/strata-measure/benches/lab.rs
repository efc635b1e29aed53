//! A sweep of 200 configurations over a session of 240 calls.
//!
//! - `sweep`: all of them, with costs, caches and flags.
//! - `recompiled`: one configuration as a session of its own, compiled and weighed from scratch; the yardstick is 200 of
//!   these.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use strata_engine::turn::compaction::CompactionConfig;
use strata_engine::{Experiment, FlowKind};
use strata_measure::analysis::{CacheAnalysis, Counting, SessionAnalysis};
use strata_measure::lab::{Assumptions, Lab, SizedWriter, SummarySize, parse_grid, sweep};
use strata_measure::prices::Prices;
use strata_model::Session;
use strata_testkit::{experiment_in, large};
use strata_wire::CacheRules;

const N_CALLS: usize = 240;

/// As many events as make so many calls.
fn experiment() -> Experiment {
    let has_enough =
        |n_events: &usize| experiment_in(large::app(), large::session(*n_events)).calls().len() >= N_CALLS;
    let n_events = (1..100).map(|n| n * 100).find(has_enough);
    experiment_in(large::app(), large::session(n_events.unwrap_or(100)))
}

fn analyse(experiment: &Experiment, counting: &Counting) -> SessionAnalysis {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, counting) {}
    analysis
}

fn sweeps(criterion: &mut Criterion) {
    let experiment = experiment();
    let (counting, rules, prices) = (Counting::default(), CacheRules::embedded(), Prices::embedded());
    let analysis = analyse(&experiment, &counting);
    let caches = CacheAnalysis::new(&experiment, &analysis, &rules, &prices);
    let lab = Lab::new(&experiment, &analysis, &caches, &counting, &rules, &prices);
    let configs = parse_grid("interval=1..20,overlap=0..9").unwrap_or_default();
    assert_eq!(configs.len(), 200);

    let mut group = criterion.benchmark_group("lab");
    group.sample_size(10);
    group.bench_function("sweep", |bencher| {
        bencher
            .iter(|| black_box(sweep(&lab, &configs, SummarySize::assumed(), Assumptions::default(), &())));
    });

    let config = CompactionConfig::parse("interval=5,overlap=1").unwrap_or_default();
    let replayed = lab.replay(&config, &mut SizedWriter::new(SummarySize::assumed()));
    let mut events = experiment.session().events.clone();
    for window in replayed.iter().flat_map(|replayed| &replayed.windows) {
        events.extend(window.event.clone().map(|(_, event)| event));
    }
    let stored = Session { events, ..Session::clone(experiment.session()) };
    let app = Arc::new(experiment.index().app().clone());
    group.bench_function("recompiled", |bencher| {
        bencher.iter(|| {
            let experiment = Experiment::new(Arc::new(stored.clone()), app.clone(), FlowKind::Adk);
            black_box(analyse(&experiment, &Counting::default()).calls().len())
        });
    });
    group.finish();
}

criterion_group!(benches, sweeps);
criterion_main!(benches);
