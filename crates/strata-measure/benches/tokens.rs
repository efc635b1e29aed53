//! Counting tokens, beside `tiktoken-rs` on the same texts in the same run. All with the vocabulary of GPT-4o.
//!
//! - `session`: all parts of a session of 10,000 events. `engine` tokenises them, `memo_cold` remembers what it counts,
//!   `memo_known` is asked again, and `memo_known_parts` is asked for parts that carry their fingerprints.
//! - `session_edited`: the same, after a quarter of the parts were changed.
//! - `one_byte`: a text of 1 MB in which one byte was changed. The yardstick counts all of it.
//! - `one_word`: 1 MB without a place to cut.
//! - `load`: the vocabulary, until it has counted something.
//!
//! What is tokenised is new in every iteration: tokenizers that remember words would otherwise look better than they
//! are.

use std::borrow::Cow;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use strata_measure::tokens::{CountMemo, TokenCounter, Vocabulary};
use strata_model::Fingerprint;

const N_PARTS: usize = 10_000;

fn tiktoken_rs_count(text: &str) -> u32 {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len() as u32
}

fn memo_count(memo: &CountMemo, counter: &dyn TokenCounter, texts: &[String]) -> u32 {
    texts.iter().map(|text| memo.measure(counter, text).tokens).sum()
}

fn session(criterion: &mut Criterion) {
    let counter = Vocabulary::O200kBase.counter();
    let mut random = Random(1);
    let texts = parts(&mut random);
    let fingerprints: Vec<_> = texts.iter().map(|text| Fingerprint::of(text.as_bytes())).collect();
    let known = CountMemo::default();
    let tokens = memo_count(&known, counter, &texts);
    assert_eq!(tokens, texts.iter().map(|text| tiktoken_rs_count(text)).sum::<u32>(), "counts differ");
    for (text, fingerprint) in texts.iter().zip(&fingerprints) {
        known.measure_as(*fingerprint, counter, || Cow::Borrowed(text));
    }

    let mut group = criterion.benchmark_group("session");
    group.sample_size(10).throughput(Throughput::Elements(tokens.into()));
    let mut on_new_parts = |name: &str, count: &dyn Fn(&[String]) -> u32| {
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(|| parts(&mut random), |texts| count(texts), BatchSize::PerIteration);
        });
    };
    on_new_parts("tiktoken_rs", &|texts| texts.iter().map(|text| tiktoken_rs_count(text)).sum());
    on_new_parts("engine", &|texts| texts.iter().map(|text| counter.count(text)).sum());
    on_new_parts("memo_cold", &|texts| memo_count(&CountMemo::default(), counter, texts));
    group.bench_function("memo_known", |bencher| bencher.iter(|| memo_count(&known, counter, &texts)));
    group.bench_function("memo_known_parts", |bencher| {
        bencher.iter(|| {
            let parts = texts.iter().zip(&fingerprints);
            let measures =
                parts.map(|(text, fingerprint)| known.measure_as(*fingerprint, counter, || text.into()));
            measures.map(|measure| measure.tokens).sum::<u32>()
        });
    });
    group.finish();
}

fn session_edited(criterion: &mut Criterion) {
    let counter = Vocabulary::O200kBase.counter();
    let mut random = Random(2);
    let texts = parts(&mut random);
    let memo = CountMemo::default();
    memo_count(&memo, counter, &texts);
    let mut edited = || {
        let new = parts(&mut random);
        let part = |at: usize| if at.is_multiple_of(4) { &new[at] } else { &texts[at] };
        (0..N_PARTS).map(|at| part(at).clone()).collect::<Vec<_>>()
    };

    let mut group = criterion.benchmark_group("session_edited");
    group.sample_size(10);
    group.bench_function("tiktoken_rs", |bencher| {
        let count = |texts: &mut Vec<String>| texts.iter().map(|text| tiktoken_rs_count(text)).sum::<u32>();
        bencher.iter_batched_ref(&mut edited, count, BatchSize::PerIteration);
    });
    group.bench_function("memo", |bencher| {
        let count = |texts: &mut Vec<String>| memo_count(&memo, counter, texts);
        bencher.iter_batched_ref(&mut edited, count, BatchSize::PerIteration);
    });
    group.finish();
}

fn one_byte(criterion: &mut Criterion) {
    let counter = Vocabulary::O200kBase.counter();
    let mut random = Random(3);
    let text = fill(1 << 20, |random| piece(random, 0), &mut random);
    let memo = CountMemo::default();
    memo.measure(counter, &text);
    let mut edited = || {
        let at = random.below(text.len());
        let letter = char::from(b'A' + random.below(26) as u8);
        format!("{}{letter}{}", &text[..at], &text[at + 1..])
    };

    let mut group = criterion.benchmark_group("one_byte");
    group.sample_size(20);
    let mut on_edited = |name: &str, count: &dyn Fn(&str) -> u32| {
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(&mut edited, |text| count(text), BatchSize::PerIteration);
        });
    };
    on_edited("yardstick_full_count", &|text| counter.count(text));
    on_edited("tiktoken_rs", &tiktoken_rs_count);
    on_edited("memo", &|text| memo.measure(counter, text).tokens);
    group.finish();
}

fn one_word(criterion: &mut Criterion) {
    let counter = Vocabulary::O200kBase.counter();
    let mut random = Random(4);
    let mut letters =
        || -> String { (0..1 << 20).map(|_| char::from(b'a' + random.below(26) as u8)).collect() };
    // Another engine counts this, and is loaded by the first such text.
    counter.count(&letters());

    let mut group = criterion.benchmark_group("one_word");
    group.sample_size(10);
    group.bench_function("tiktoken_rs", |bencher| {
        bencher.iter_batched_ref(&mut letters, |text| tiktoken_rs_count(text), BatchSize::PerIteration);
    });
    group.bench_function("engine", |bencher| {
        bencher.iter_batched_ref(&mut letters, |text| counter.count(text), BatchSize::PerIteration);
    });
    group.finish();
}

fn load(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10);
    group.bench_function("tiktoken_rs", |bencher| {
        bencher
            .iter(|| tiktoken_rs::o200k_base().map(|bpe| black_box(bpe.encode_ordinary("Hello").len())).ok());
    });
    group.bench_function("engine", |bencher| {
        bencher.iter(|| black_box(tiktoken::encoding::o200k_base().count("Hello")));
    });
    group.finish();
}

/// A small generator (xorshift64*), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as usize % n
    }

    /// A word of a real text, as often as it stands there.
    fn word(&mut self) -> &'static str {
        static WORDS: std::sync::LazyLock<Vec<&str>> = std::sync::LazyLock::new(|| {
            let words = include_str!("../../../LICENSE").split(|c: char| !c.is_ascii_alphabetic());
            words.filter(|word| !word.is_empty()).collect()
        });
        WORDS[self.below(WORDS.len())]
    }
}

/// The parts of a session: 670 bytes on average, a third of them prose, the rest code, JSON, tables and Chinese.
fn parts(random: &mut Random) -> Vec<String> {
    let part = |nth: usize, random: &mut Random| {
        let bytes = [40, 150, 300, 600, 90, 1_500, 200, 2_200][random.below(8)];
        fill(bytes, |random| piece(random, nth), random)
    };
    (0..N_PARTS).map(|nth| part(nth, random)).collect()
}

fn fill(bytes: usize, piece: impl Fn(&mut Random) -> String, random: &mut Random) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        text += &piece(random);
    }
    text
}

fn piece(random: &mut Random, kind: usize) -> String {
    match kind % 10 {
        0..4 => format!(
            "{} {} {}{}",
            random.word(),
            random.word(),
            random.word(),
            [" ", ", ", ". ", ".\n"][random.below(4)]
        ),
        4..6 => format!(
            "    let {} = self.{}({}, &{});\n",
            random.word(),
            random.word(),
            random.below(99),
            random.word()
        ),
        6..8 => format!(
            r#"{{"id":{},"name":"{} {}","price":{}.5}},"#,
            random.below(100_000),
            random.word(),
            random.word(),
            random.below(1000)
        ),
        8 => format!(
            "{},{},{}.{}\n",
            random.below(100_000),
            random.word(),
            random.below(99),
            random.below(10_000)
        ),
        _ => {
            (0..12).filter_map(|_| char::from_u32(0x4e00 + random.below(3000) as u32)).collect::<String>()
                + "。"
        }
    }
}

criterion_group!(benches, session, session_edited, one_byte, one_word, load);
criterion_main!(benches);
