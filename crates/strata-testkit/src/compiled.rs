//! From a transcript to the requests of its calls, for tests that look at requests.

use std::sync::Arc;

use strata_engine::{Experiment, FlowKind, Outcome, StageCache, infer_app};
use strata_model::{App, Decoder, FromJson as _, LlmRequest, Session, json};

use crate::transcript::session;

/// A transcript with the app its events tell of: agents and tools without instructions.
///
/// ```
/// use strata_testkit::{contents_shape, experiment, request};
///
/// let experiment = experiment("user: Hello\nbot: Hi\nuser: Still there?\nbot: Yes");
/// assert_eq!(experiment.calls().len(), 2);
/// assert_eq!(contents_shape(&request(&experiment, 1)).trim_end(), format!("{:<62}<- E1", r#"00 user   "Hello""#));
/// ```
#[track_caller]
pub fn experiment(transcript: &str) -> Experiment {
    let session = Arc::new(session(transcript));
    let app = infer_app(&session, FlowKind::Adk, &[]).app;
    Experiment::new(session, app, FlowKind::Adk)
}

/// A session with the app it ran in.
pub fn experiment_in(app: App, session: Session) -> Experiment {
    Experiment::new(Arc::new(session), Arc::new(app), FlowKind::Adk)
}

/// An app configuration from JSON, in ADK's field names.
///
/// # Panics
///
/// When it is no JSON, or not all of it can be read.
#[track_caller]
pub fn app(text: &str) -> App {
    let value = match json::parse(text.as_bytes()) {
        Ok(value) => value,
        Err(error) => panic!("the app is no JSON: {error}"),
    };
    let mut decoder = Decoder::new();
    let app = App::from_json(value, &mut decoder);
    let findings = decoder.into_diagnostics();
    match app {
        Ok(app) if findings.is_empty() => app,
        _ => panic!("the app cannot be read: {findings:?}"),
    }
}

/// The request of a call, counted from 1.
///
/// # Panics
///
/// When there is no such call, its agent is not in the app, or its compile fails.
#[track_caller]
pub fn request(experiment: &Experiment, call: u32) -> LlmRequest {
    let Some(known) = experiment.call(call) else {
        panic!("there are {} calls, so no C{call}", experiment.calls().len());
    };
    let Some(compilation) = experiment.compile(known, &mut StageCache::new()) else {
        panic!("{} is not in the app", known.invocation.agent);
    };
    match &compilation.outcome {
        Outcome::Request => compilation.working_context(),
        other => panic!("C{call} has no request: {other:?}"),
    }
}
