//! Compiling and analysing a session of 10,000 events and 1.9 million tokens.
//!
//! - `compile_one_call`: the last call. `cold` finds the calls of the session and compiles with nothing known; `first`
//!   has the session ready, as google-adk has it, and nothing compiled; `prepared` has compiled other calls; `again` has
//!   compiled this one before. The yardstick is the CPU time of google-adk,
//!   where `STRATA_ORACLE_PYTHON` names a Python that has it, or else a hash of every part.
//! - `all_calls`: every call of the session. `compile` alone, then `analyse` with counts, prefixes, breaks and ledger,
//!   counts known. The yardstick counts every part once with `tiktoken-rs`.
//! - `edit`: all calls again after an edit of a session whose calls are known: one that changes a quarter of the parts,
//!   one that changes a few, and one that changes nothing.
//! - `ledger`: what each event cost, from what the analysis has.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, SamplingMode, criterion_group, criterion_main};
use strata_engine::{Catalog, Experiment, FlowEdit, FlowKind, Invocation, StageCache};
use strata_measure::analysis::{Counting, SessionAnalysis};
use strata_measure::edited;
use strata_model::{App, Fingerprint, Json, Object, Session, json};
use strata_oracle::worker::{Script, Worker};
use strata_testkit::large;

const N_EVENTS: usize = 10_000;

fn given() -> (Arc<Session>, Arc<App>) {
    (Arc::new(large::session(N_EVENTS)), Arc::new(large::app()))
}

/// Every text of a session, as it is counted.
fn texts(session: &Session) -> Vec<String> {
    let parts = session.events.iter().flat_map(|event| event.parts());
    let text = |part: &Arc<strata_model::Part>| match &part.text {
        Some(text) => text.to_string(),
        None => json::to_compact(&strata_model::FromJson::to_json(&**part)),
    };
    parts.map(text).collect()
}

/// google-adk with the session loaded, asked for its last call.
struct GoogleAdk {
    worker: Worker,
    question: Object,
}

impl GoogleAdk {
    fn start(python: &Path, session: &Arc<Session>) -> Self {
        let experiment = Experiment::new(session.clone(), Arc::new(large::app()), FlowKind::Adk);
        let last = experiment.calls().last().expect("calls");
        let mut seen = Session::clone(session);
        seen.events.truncate(last.n_events());
        let Invocation { agent, invocation_id, branch, .. } = &last.invocation;
        let mut invocation = Object::new();
        invocation.insert("agent", agent.clone());
        invocation.insert("invocation_id", invocation_id.clone());
        if let Some(branch) = branch {
            invocation.insert("branch", branch.clone());
        }
        // A model whose package comes with google-adk; its compile is the same.
        let app = large::APP.replace("gpt-4o", "gemini-2.5-flash");
        let question = Object::from_iter([
            ("app", json::parse(app.as_bytes()).expect("the app is JSON")),
            ("session", seen.to_json()),
            ("invocation", Json::Object(invocation)),
        ]);
        Self { worker: Worker::start(python, Script::Requests).expect("a Python with google-adk"), question }
    }

    fn compile(&mut self, n: u64) -> Duration {
        self.question.insert("measure", n.cast_signed());
        let answer = self.worker.ask(&Json::Object(self.question.clone())).expect("an answer");
        let seconds = answer.get("cpu_seconds").and_then(Json::as_array).expect("what it took");
        Duration::from_secs_f64(seconds.iter().filter_map(Json::as_f64).sum())
    }
}

fn compile_one_call(criterion: &mut Criterion) {
    let (session, app) = given();
    let texts = texts(&session);
    let mut group = criterion.benchmark_group("compile_one_call");
    group.sample_size(10);
    group.bench_function("bare_hash_of_all_parts", |bencher| {
        bencher.iter(|| {
            texts.iter().fold(Fingerprint::default(), |all, text| all.then(Fingerprint::of(text.as_bytes())))
        });
    });
    if let Some(python) = std::env::var_os("STRATA_ORACLE_PYTHON") {
        let mut google_adk = GoogleAdk::start(python.as_ref(), &session);
        group.sampling_mode(SamplingMode::Flat);
        group.bench_function("google_adk", |bencher| bencher.iter_custom(|n| google_adk.compile(n)));
    }
    group.bench_function("cold", |bencher| {
        bencher.iter(|| {
            let experiment = Experiment::new(session.clone(), app.clone(), FlowKind::Adk);
            let last = experiment.calls().last().expect("calls");
            black_box(experiment.compile(last, &mut StageCache::new()));
        });
    });
    group.bench_function("first", |bencher| {
        let ready = || Experiment::new(session.clone(), app.clone(), FlowKind::Adk);
        let compile = |experiment: Experiment| {
            let last = experiment.calls().last().expect("calls");
            black_box(experiment.compile(last, &mut StageCache::new()));
            experiment
        };
        bencher.iter_batched(ready, compile, BatchSize::PerIteration);
    });
    let experiment = Experiment::new(session.clone(), app.clone(), FlowKind::Adk);
    let last = experiment.calls().last().expect("calls");
    let mut cache = StageCache::new();
    experiment.compile(last, &mut cache);
    group.bench_function("prepared", |bencher| {
        bencher.iter(|| black_box(experiment.compile(last, &mut StageCache::new())));
    });
    group.bench_function("again", |bencher| bencher.iter(|| black_box(experiment.compile(last, &mut cache))));
    group.finish();
}

fn all_calls(criterion: &mut Criterion) {
    let (session, app) = given();
    let texts = texts(&session);
    let counting = Counting::default();
    let experiment = Experiment::new(session, app, FlowKind::Adk);
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&experiment, &counting) {}

    let mut group = criterion.benchmark_group("all_calls");
    group.sample_size(10);
    group.bench_function("tiktoken_rs_count_of_all_parts", |bencher| {
        let vocabulary = tiktoken_rs::o200k_base_singleton();
        bencher.iter(|| texts.iter().map(|text| vocabulary.encode_ordinary(text).len()).sum::<usize>());
    });
    group.bench_function("compile", |bencher| {
        bencher.iter(|| {
            let mut cache = StageCache::new();
            for call in experiment.calls() {
                black_box(experiment.compile(call, &mut cache));
            }
        });
    });
    group.bench_function("analyse_with_known_counts", |bencher| {
        bencher.iter(|| {
            let mut analysis = SessionAnalysis::default();
            while analysis.step(&experiment, &counting) {}
            black_box(analysis.calls().len())
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("edit");
    group.sample_size(10);
    group.bench_function("tiktoken_rs_count_of_all_parts", |bencher| {
        let vocabulary = tiktoken_rs::o200k_base_singleton();
        bencher.iter(|| texts.iter().map(|text| vocabulary.encode_ordinary(text).len()).sum::<usize>());
    });
    for (name, max_chars) in [("quarter_of_parts", 1_000), ("few_parts", 2_000), ("nothing", 100_000)] {
        // Another limit each time: nothing is known of what the edit itself makes.
        let mut limit = max_chars;
        let mut next = || {
            limit += 1;
            let params = Object::from_iter([("max_chars", Json::from(limit)), ("what", "both".into())]);
            let edit = FlowEdit::insert("truncate_middle", params).into();
            (edited(&experiment, &[edit], &Catalog::new(), &counting).experiment, analysis.sharing())
        };
        let analyse = |(experiment, mut analysis): (Experiment, SessionAnalysis)| {
            while analysis.step(&experiment, &counting) {}
            analysis
        };
        group.bench_function(name, |bencher| {
            bencher.iter_batched(&mut next, analyse, BatchSize::PerIteration);
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("ledger");
    group.sample_size(10);
    group.bench_function("events", |bencher| bencher.iter(|| black_box(analysis.ledger().events(N_EVENTS))));
    group.bench_function("sources", |bencher| bencher.iter(|| black_box(analysis.ledger().sources())));
    group.finish();
}

criterion_group!(benches, compile_one_call, all_calls);
criterion_main!(benches);
