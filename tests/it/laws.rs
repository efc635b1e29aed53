//! Laws of whole sessions, over every vector and sample there is: every byte of every stage has one source, and what
//! stages are said to add, part by part, comes to what is sent.

mod evidence;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use strata_engine::{ConfigTarget, Experiment, FlowKind, StageCache, check_config, infer_app};
use strata_import::import;
use strata_measure::analysis::{Counting, Scale, SessionAnalysis, diff_requests};
use strata_measure::tokens::TokenCount;
use strata_model::{App, Decoder, FromJson as _, Json, LlmRequest, Session, json};
use strata_oracle::laws::partition;
use strata_testkit::samples;
use strata_wire::{Path as SegmentPath, Segment};

/// Larger samples are left to the other tests.
const MAX_EVENTS: usize = 150;

fn vectors() -> Vec<(PathBuf, Json)> {
    let files = samples::files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/vectors"));
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

/// Sessions of the recorded samples.
fn sample_sessions() -> Vec<(String, Session, FlowKind)> {
    let mut found = Vec::new();
    for (kind, name) in [(FlowKind::Adk, "adk"), (FlowKind::Transcript, "claude-code")] {
        for path in samples::files(name) {
            let Ok(bytes) = fs::read(&path) else { continue };
            let sessions = import(&bytes).sessions.into_iter().map(|imported| imported.session);
            let few = sessions.filter(|session| session.events.len() <= MAX_EVENTS);
            found.extend(few.map(|session| (path.display().to_string(), session, kind)));
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
        let nothing = LlmRequest::default();
        let mut before = &nothing;
        let mut size = 0_i64;
        for stage in &compilation.stages {
            if stage.changed.is_empty() {
                continue;
            }
            if !stage.is_reused {
                let failures = partition(&stage.request);
                assert!(failures.is_empty(), "{name} C{} {}: {failures:?}", call.number, stage.processor);
            }
            size += added(&scale, before, &stage.request);
            before = &stage.request;
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

/// Tokens that a stage adds, by its parts that are new, gone, moved or rewritten.
fn added(scale: &Scale<'_>, before: &LlmRequest, after: &LlmRequest) -> i64 {
    let blocks = [scale.system_blocks(before), scale.system_blocks(after)];
    let tokens = |segment: &Segment<'_>, blocks: &[TokenCount]| match segment.path {
        SegmentPath::System { block } => blocks[block].tokens,
        _ => scale.segment(segment).tokens,
    };
    let deltas = diff_requests(before, after);
    let changes = deltas.iter().map(|delta| {
        let tokens_before = delta.before.as_ref().map_or(0, |segment| tokens(segment, &blocks[0]));
        let tokens_after = delta.after.as_ref().map_or(0, |segment| tokens(segment, &blocks[1]));
        i64::from(tokens_after) - i64::from(tokens_before)
    });
    changes.sum()
}

#[test]
fn every_byte_of_every_stage_has_one_source_and_stages_add_up() {
    let vectors = vector_sessions().into_par_iter().map(|(name, session, app)| {
        let app = app.map_or_else(|| infer_app(&session, FlowKind::Adk, &[]).app, Arc::new);
        check_calls(&name, session, app, FlowKind::Adk)
    });
    let recorded = sample_sessions().into_par_iter().map(|(name, session, kind)| {
        let app = infer_app(&session, kind, &[]).app;
        check_calls(&name, session, app, kind)
    });
    let n_calls: usize = vectors.chain(recorded).sum();
    assert!(n_calls > 500, "there are calls: {n_calls}");
}

#[test]
fn apps_that_google_adk_ran_are_accepted() {
    let (mut n_apps, mut refused) = (0, Vec::new());
    for (path, vector) in vectors() {
        let Some(app) = vector.get("app").filter(|app| app.get("root_agent").is_some()) else { continue };
        n_apps += 1;
        if let Err(error) = check_config(ConfigTarget::App, app) {
            refused.push(format!("{}: {error}", path.display()));
        }
    }
    assert!(n_apps > 300, "{n_apps} apps");
    assert!(refused.is_empty(), "{} of {n_apps}:\n{}", refused.len(), refused.join("\n"));
}
