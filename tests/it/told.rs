//! Sessions of google-adk without recorded requests: what their events tell of what was sent.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use strata_engine::{Certainty, Experiment, FlowKind, infer_app, n_calls};
use strata_import::import;
use strata_model::json;
use strata_oracle::scenario::told;

/// Every scenario of the run-level corpus. What is listed cannot be told from events and the configuration: callbacks and
/// plugins of the app change requests or answer in a model's place, state that is not kept, answers that left no event,
/// toolsets that could not be asked. The one that is unsaid was run with settings that load fewer events: these are a gap of
/// all that is compiled from a configuration (`Gap::RunSettings`), and no stage can tell.
#[test]
fn requests_are_compiled_from_events_as_they_were_sent() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/runtime");
    let mut files: Vec<_> = entries_of(&corpus).into_iter().flat_map(|family| entries_of(&family)).collect();
    files.sort();
    let (mut n_sent, mut n_wrong, mut n_said, mut n_missing, mut n_doubted) = (0, 0, 0, 0, 0);
    let mut otherwise = String::new();
    for file in files {
        let scenario = json::parse(&std::fs::read(&file).expect("a scenario")).expect("JSON");
        let Some(told) = told(&scenario) else { continue };
        n_sent += told.n_sent;
        n_wrong += told.n_wrong;
        n_said += told.n_said;
        n_missing += told.n_missing;
        n_doubted += told.n_doubted;
        if told.n_wrong > 0 {
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            let unsaid = match told.n_wrong - told.n_said {
                0 => String::new(),
                n => format!(", {n} unsaid"),
            };
            let _ = writeln!(otherwise, "{name}: {} of {} sent{unsaid}", told.n_wrong, told.n_sent);
        }
    }
    insta::assert_snapshot!(format!(
        "{n_sent} requests: {n_missing} are not compiled as they were sent; {n_wrong} others are compiled, of which {n_said} \
         are said to lack something or perhaps not to have been sent; {n_doubted} that are right are said to lack the input \
         of a node\n\n{otherwise}"
    ));
}

/// google-adk signs with `model` what a plugin says in the place of a whole run.
#[test]
fn what_a_plugin_says_in_the_place_of_a_run_is_no_call() {
    let event = |at: usize, author: &str, rest: &str| {
        let role = if author == "user" { "user" } else { "model" };
        format!(
            r#"{{"id":"e{at}","invocationId":"i{}","author":"{author}","timestamp":{at},"content":{{"role":"{role}","parts":[{{"text":"Closed."}}]}}{rest}}}"#,
            at / 2
        )
    };
    let calls = |authors: [(&str, &str); 2]| {
        let events = authors
            .iter()
            .enumerate()
            .flat_map(|(at, (author, rest))| [event(2 * at, "user", ""), event(2 * at + 1, author, rest)]);
        let events = events.collect::<Vec<_>>().join(",");
        let session =
            format!(r#"{{"appName":"door","userId":"ada","id":"s","state":{{}},"events":[{events}]}}"#);
        let session = Arc::new(import(session.as_bytes()).sessions.remove(0).session);
        let app = infer_app(&session, FlowKind::Adk, &[]).app;
        let experiment = Experiment::new(session.clone(), app, FlowKind::Adk);
        let found = experiment.calls().iter().map(|call| (call.invocation.agent.to_string(), call.certainty));
        let found: Vec<_> = found.collect();
        assert_eq!(n_calls(&session, FlowKind::Adk), found.len(), "without the app, too");
        found
    };
    let (desk, model) = ("desk".to_owned(), "model".to_owned());
    assert_eq!(calls([("desk", ""), ("model", "")]), [(desk.clone(), Certainty::Sure)]);
    // An agent may be called so. With no other beside it nobody can tell, and that is said.
    let path = r#","nodeInfo":{"path":"model@1"}"#;
    assert_eq!(
        calls([("desk", ""), ("model", path)]),
        [(desk, Certainty::Sure), (model.clone(), Certainty::Sure)]
    );
    let doubted = calls([("model", ""), ("model", "")]);
    assert_eq!(doubted, [(model.clone(), Certainty::MayBeRun), (model, Certainty::MayBeRun)]);
    assert!(doubted[0].1.said().is_some_and(|said| said.contains("plugin")));
}

fn entries_of(folder: &Path) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(Result::ok).map(|entry| entry.path()).collect()
}
