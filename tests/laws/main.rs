//! Laws of whole sessions, over every vector and sample there is: every byte of every stage has one source, and what
//! stages add comes to what is sent.
#![expect(clippy::print_stderr, reason = "a test that could not run has to say so")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use strata_engine::{Experiment, FlowKind, StageCache, infer_app};
use strata_import::import;
use strata_measure::analysis::{Counting, SessionAnalysis};
use strata_model::{App, Decoder, FromJson as _, Json, Session, json};
use strata_oracle::laws::partition;

/// Larger samples are left to the other tests.
const MAX_EVENTS: usize = 150;

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

fn vectors() -> Vec<(PathBuf, Json)> {
    let files = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/vectors"));
    let parsed = files.into_iter().filter_map(|path| {
        let vector = json::parse(&fs::read(&path).ok()?).ok()?;
        Some((path, vector))
    });
    parsed.collect()
}

/// Sessions of the vectors, with their app where it is given.
fn vector_sessions() -> Vec<(String, Session, Option<App>)> {
    let mut found = Vec::new();
    for (path, vector) in vectors() {
        let one = vector.get("session").into_iter();
        let several = vector.get("sessions").and_then(Json::as_array).into_iter().flatten();
        for session in one.chain(several) {
            if session.get("events").is_none() {
                continue;
            }
            let decoder = &mut Decoder::new();
            let app = vector.get("app").and_then(|app| App::from_json(app.clone(), decoder).ok());
            found.push((path.display().to_string(), Session::from_json(session.clone(), decoder), app));
        }
    }
    found
}

/// Sessions of the recorded samples that are read by now; see `tests/recorded`.
fn sample_sessions() -> Vec<(String, Session, FlowKind)> {
    let folder = std::env::var_os("STRATA_SAMPLES").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/samples")),
        PathBuf::from,
    );
    if !folder.is_dir() {
        eprintln!("NOT RUN ON SAMPLES: there is no folder {}; set STRATA_SAMPLES", folder.display());
        return Vec::new();
    }
    let mut found = Vec::new();
    for (kind, name) in [(FlowKind::Adk, "adk"), (FlowKind::Transcript, "claude-code")] {
        for path in files_below(&folder.join(name)) {
            let Ok(bytes) = fs::read(&path) else { continue };
            let sessions = import(&bytes).sessions.into_iter().map(|imported| imported.session);
            found.extend(sessions.map(|session| (path.display().to_string(), session, kind)));
        }
    }
    found
}

/// Checks every stage of every call, and that nothing but stages and overhead makes up a prompt's size.
fn check_calls(name: &str, session: Session, app: Arc<App>, kind: FlowKind) -> usize {
    let experiment = Experiment::new(Arc::new(session), app, kind);
    let counting = Counting::default();
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&experiment, &counting) {}
    let mut cache = StageCache::new();
    for (call, analysed) in experiment.calls().iter().zip(analysis.calls()) {
        let Some(compilation) = experiment.compile(call, &mut cache) else { continue };
        let scale = analysis.scale(&experiment, &counting, &analysed.model).expect("a scale");
        let mut size = 0_i64;
        for stage in &compilation.stages {
            if !stage.is_reused && !stage.changed.is_empty() {
                let failures = partition(&stage.request);
                assert!(failures.is_empty(), "{name} C{} {}: {failures:?}", call.number, stage.processor);
            }
            let after: u32 = scale.prompt(&stage.request).pieces().map(|piece| piece.tokens).sum();
            size += i64::from(after) - size;
        }
        assert_eq!(
            size + i64::from(analysed.overhead),
            i64::from(analysed.total.tokens),
            "{name} C{}",
            call.number
        );
    }
    experiment.calls().len()
}

#[test]
fn every_byte_of_every_stage_has_one_source_and_stages_add_up() {
    let mut n_calls = 0;
    for (name, session, app) in vector_sessions() {
        let app = app.map_or_else(|| infer_app(&session, FlowKind::Adk).app, Arc::new);
        n_calls += check_calls(&name, session, app, FlowKind::Adk);
    }
    for (name, session, kind) in sample_sessions() {
        if session.events.len() <= MAX_EVENTS {
            let app = infer_app(&session, kind).app;
            n_calls += check_calls(&name, session, app, kind);
        }
    }
    assert!(n_calls > 500, "there are calls: {n_calls}");
}
