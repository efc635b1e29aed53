//! Importing a file beside bare parsing of the same bytes, in the same run.
//!
//! `bare_serde_json` makes a `serde_json::Value` of every document and drops it; `import` recognises the file and makes
//! sessions of it. Files are the committed samples made long, and logs of conversations whose requests hold all that
//! was said before. Where recorded sessions are at hand (`STRATA_SAMPLES`, or `shared/samples` in a folder above), the
//! largest file of each format is measured too.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a benchmark that cannot go on says where"
)]

mod grown;
mod logs;
mod talk;
mod words;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::Value;
use strata_import::{Detection, Format, detect, import};

use grown::{Sample, grown};
use logs::{Logger, log};
use talk::Dialect;

const N_BYTES: usize = 4_000_000;
/// Recorded files that are smaller say little.
const MIN_RECORDED_BYTES: u64 = 200_000;

const fn lines(file: &'static str, once: &'static [&'static str]) -> Sample {
    Sample { file, lists: &[], once }
}

const fn document(file: &'static str, lists: &'static [&'static str]) -> Sample {
    Sample { file, lists, once: &[] }
}

const SAMPLES: [Sample; 15] = [
    document("adk-saved-session.json", &["/events"]),
    lines("adk-run-events.jsonl", &[]),
    lines("claude-code.jsonl", &[]),
    lines("claude-code-subagents.jsonl", &[]),
    lines("codex.jsonl", &["session_meta"]),
    lines("gemini-cli.jsonl", &[]),
    lines("copilot-cli.jsonl", &["session.start", "session.shutdown"]),
    document("cline.messages.json", &["/messages"]),
    document("opencode-export.json", &["/messages"]),
    lines("openhands.jsonl", &[]),
    document("messages.json", &[""]),
    document("mini-swe-agent.traj.json", &["/messages"]),
    document("swe-agent.traj", &["/trajectory", "/history"]),
    document("tau-bench.json", &["/0/traj"]),
    document("inspect.json", &["/samples"]),
];

/// Logs with how many answers their conversations have.
const LOGS: [(&str, Logger, Dialect, usize); 10] = [
    ("chat log", Logger::Pairs, Dialect::Chat, 40),
    ("responses log", Logger::Pairs, Dialect::Responses, 40),
    ("anthropic log", Logger::Pairs, Dialect::Anthropic, 40),
    ("gemini log", Logger::Pairs, Dialect::Gemini, 40),
    ("short conversations", Logger::Pairs, Dialect::Chat, 2),
    ("har", Logger::Har, Dialect::Chat, 40),
    ("litellm", Logger::LiteLlm, Dialect::Chat, 40),
    ("otlp", Logger::Otlp, Dialect::Otel, 40),
    ("langsmith", Logger::LangSmith, Dialect::LangChain, 40),
    ("langfuse", Logger::Langfuse, Dialect::Chat, 40),
];

fn samples(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    for sample in SAMPLES {
        measure(criterion, sample.file, || {
            grown(sample, &std::fs::read_to_string(folder.join(sample.file)).unwrap(), N_BYTES)
        });
    }
}

fn request_logs(criterion: &mut Criterion) {
    for (name, logger, dialect, n_exchanges) in LOGS {
        measure(criterion, name, || log(logger, dialect, n_exchanges, N_BYTES));
    }
}

/// The largest recorded file of each format that is JSON.
fn recorded(criterion: &mut Criterion) {
    let Some(folder) = recorded_folder() else {
        eprintln!("no recorded sessions found: they are not measured; set STRATA_SAMPLES to measure them");
        return;
    };
    let mut largest: BTreeMap<Format, (u64, PathBuf)> = BTreeMap::new();
    for path in files_below(&folder) {
        let size = path.metadata().unwrap().len();
        if size < MIN_RECORDED_BYTES {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let Detection::Readable(format) = detect(&bytes) else { continue };
        let is_larger = largest.get(&format).is_none_or(|(known, _)| *known < size);
        if is_larger && parse(&bytes) && !import(&bytes).sessions.is_empty() {
            largest.insert(format, (size, path));
        }
    }
    for (_, path) in largest.values() {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        measure(criterion, &format!("recorded {name}"), || std::fs::read(path).unwrap());
    }
}

/// The file is made when the first benchmark of the group runs, so that a filter costs nothing for the others.
fn measure(criterion: &mut Criterion, name: &str, file: impl FnOnce() -> Vec<u8>) {
    let file = LazyCell::new(|| {
        let bytes = file();
        let imported = import(&bytes);
        let n_events: usize = imported.sessions.iter().map(|one| one.session.events.len()).sum();
        assert!(n_events > 0 && parse(&bytes), "{name}: {:?}", imported.diagnostics);
        eprintln!("{name}: {} bytes, {} sessions, {n_events} events", bytes.len(), imported.sessions.len());
        bytes
    });
    let mut group = criterion.benchmark_group(format!("import {}", name.replace('/', " ")));
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.bench_function("bare_serde_json", |bencher| bencher.iter(|| parse(black_box(&file))));
    group.bench_function("import", |bencher| bencher.iter(|| import(black_box(&file))));
    group.finish();
}

/// Parses every document; false when one is none.
fn parse(bytes: &[u8]) -> bool {
    serde_json::Deserializer::from_slice(bytes).into_iter::<Value>().all(|value| black_box(value).is_ok())
}

fn recorded_folder() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_complete = |folder: &PathBuf| folder.join("FACTS.json").is_file();
    let folder = match std::env::var_os("STRATA_SAMPLES") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => here.ancestors().map(|above| above.join("shared/samples")).find(is_complete),
    };
    folder.filter(is_complete)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

criterion_group!(benches, samples, request_logs, recorded);
criterion_main!(benches);
