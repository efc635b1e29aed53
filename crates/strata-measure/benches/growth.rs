//! A session that grows.
//!
//! - `append`: a message and the answer to it, which is one call, behind a session of 10,000 events that is known. Each
//!   round brings other words. The yardstick reads the session whole: finds its calls, compiles and weighs them. What
//!   its texts count is known to both.
//! - `whole`: all calls of 100,000 events, about half of which are calls. The yardstick reads 10,000 events: ten times that
//!   is what reading takes if it takes no longer for being long.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, SamplingMode, criterion_group, criterion_main};
use strata_engine::{Experiment, FlowKind, Growth};
use strata_measure::analysis::{Counting, SessionAnalysis};
use strata_model::{App, Content, Event, Part, Session};
use strata_testkit::large;

const N_EVENTS: usize = 10_000;

fn read(session: &Arc<Session>, app: &Arc<App>, counting: &Counting) -> (Experiment, SessionAnalysis) {
    let experiment = Experiment::new(session.clone(), app.clone(), FlowKind::Adk);
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&experiment, counting) {}
    (experiment, analysis)
}

/// A message that nobody has written before, and an answer to it.
fn growth(session: &Session, answer: &Arc<Event>, nth: usize) -> Growth {
    let message = Event {
        id: format!("message {nth}").into(),
        author: "user".into(),
        invocation_id: answer.invocation_id.clone(),
        branch: answer.branch.clone(),
        timestamp: answer.timestamp,
        content: Some(Arc::new(Content::new("user", [Part::from_text(format!("And case {nth}?"))]))),
        ..Event::default()
    };
    Growth {
        kept: session.events.len(),
        events: vec![Arc::new(message), answer.clone()],
        state: session.state.clone(),
        ..Growth::default()
    }
}

fn append(criterion: &mut Criterion) {
    let app = Arc::new(large::app());
    let session = Arc::new(large::session(N_EVENTS));
    let counting = Counting::default();
    let (experiment, analysis) = read(&session, &app, &counting);
    let last = experiment.calls().last().expect("a large session has calls");
    let answer = &session.events[last.n_events()];
    let mut group = criterion.benchmark_group("append");
    group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(20));
    group.bench_function("yardstick_read_whole", |bencher| {
        bencher.iter_batched(|| (), |()| read(&session, &app, &counting), BatchSize::PerIteration);
    });
    let mut nth = 0;
    group.bench_function("message_and_call", |bencher| {
        let next = || {
            nth += 1;
            growth(&session, answer, nth)
        };
        bencher.iter_batched(
            next,
            |growth| {
                let grown = experiment.grown(growth);
                let mut analysis = analysis.grown(&experiment, &grown);
                assert!(!analysis.step(&grown.experiment, &counting), "one call is new");
                black_box((grown, analysis))
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn whole(criterion: &mut Criterion) {
    let app = Arc::new(large::app());
    let mut group = criterion.benchmark_group("whole");
    group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_mins(1));
    for (name, n_events) in [("yardstick_10000_events", N_EVENTS), ("events_100000", 10 * N_EVENTS)] {
        let session = Arc::new(large::session(n_events));
        let counting = Counting::default();
        read(&session, &app, &counting);
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| (), |()| read(&session, &app, &counting), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, append, whole);
criterion_main!(benches);
