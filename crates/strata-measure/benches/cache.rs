//! Prompt caches of a session of 10,000 events in 500 calls.
//!
//! - `prefixes`: what each prompt shares with the one before it. `naive` compares content by content, `chunks` as the
//!   engine does.
//! - `simulate`: what providers find of all prompts, given what they share.
//! - `analysis`: the same with zones, losses, reports and costs.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use strata_engine::Experiment;
use strata_measure::analysis::{
    CacheAnalysis, Counting, PrefixEnd, PromptMatches, SentCall, SessionAnalysis, common_prefix, simulate,
};
use strata_measure::prices::Prices;
use strata_testkit::{Seeded, app, experiment_in, session};
use strata_wire::{CacheRule, CacheRules};

const N_CALLS: usize = 500;
const N_EVENTS: usize = 10_000;

fn words(random: &mut Seeded, n_words: usize) -> String {
    (0..n_words).map(|_| random.hex(4)).collect::<Vec<_>>().join(" ")
}

/// A user who sends 19 messages for each answer of one agent.
fn experiment() -> Experiment {
    let mut random = Seeded::new(1);
    let mut lines = Vec::new();
    while lines.len() < N_EVENTS {
        if lines.len() % (N_EVENTS / N_CALLS) == 1 {
            lines.push(format!("bot: {}", words(&mut random, 40)));
        } else {
            lines.push(format!("user: {}", words(&mut random, 80)));
        }
    }
    let config = r#"{"name": "demo", "root_agent": {"type": "llm", "name": "bot",
        "model": {"name": "gpt-4.1", "kind": "lite_llm"}, "instruction": "Be good."}}"#;
    experiment_in(app(config), session(&lines.join("\n")))
}

fn caches(criterion: &mut Criterion) {
    let experiment = experiment();
    let counting = Counting::default();
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&experiment, &counting) {}
    let calls = analysis.calls();
    assert_eq!(calls.len(), N_CALLS);
    let pairs =
        || calls.iter().zip(calls.iter().skip(1)).map(|(earlier, later)| (&earlier.request, &later.request));

    let rule = CacheRule::assumed();
    let mut group = criterion.benchmark_group("prefixes");
    group.bench_function("naive", |bencher| {
        bencher.iter(|| {
            let same = pairs().map(|(earlier, later)| {
                let contents = earlier.contents.iter().zip(later.contents.iter());
                contents.take_while(|(a, b)| a.fingerprint == b.fingerprint).count()
            });
            black_box(same.sum::<usize>())
        });
    });
    group.bench_function("chunks", |bencher| {
        bencher.iter(|| {
            let whole = pairs()
                .filter(|(earlier, later)| common_prefix(&rule, earlier, later).ends_in == PrefixEnd::Whole);
            black_box(whole.count())
        });
    });
    group.finish();

    let (rules, prices) = (CacheRules::embedded(), Prices::embedded());
    let prompts: Vec<PromptMatches> = calls.iter().map(|call| call.matches.clone()).collect();
    for model in ["gpt-4.1", "claude-sonnet-4-5"] {
        let rule = rules.of_model(model);
        criterion.bench_function(&format!("simulate/{model}"), |bencher| {
            bencher.iter(|| black_box(simulate(&prompts, |at| SentCall::new(rule, at as f64))));
        });
    }
    criterion.bench_function("analysis", |bencher| {
        bencher.iter(|| black_box(CacheAnalysis::new(&experiment, &analysis, &rules, &prices)));
    });
}

criterion_group!(benches, caches);
criterion_main!(benches);
