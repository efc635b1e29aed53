//! Sessions of earlier releases of google-adk: what their models were told is compiled as they were told it.
//!
//! `releases/run.py` ran one app on each of them with scripted models, and kept every request. Releases that are not
//! here sent what one of these sends: 1.39 as 1.20, 2.5 and 2.6 as 2.3, 2.7.1 as 2.7.0, 2.9 to 2.12 as 2.13.

use std::path::Path;
use std::sync::Arc;

use strata_engine::{Experiment, FlowKind, StageCache, infer_app, writer};
use strata_import::{import, read_app_config};
use strata_model::{App, Content, Decoder, FromJson as _, Json, Session, json};
use strata_testkit::samples;

const RELEASES: [&str; 6] = ["1.20.0", "2.0.0", "2.3.0", "2.7.0", "2.8.0", "2.13.0"];

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn session(path: &Path) -> Session {
    import(&read(path)).sessions.remove(0).session
}

fn rows_app(release: &str) -> App {
    let app = read_app_config(include_bytes!("releases/app.json"), &|_| None).expect("an app").app;
    App { writer: Some(format!("google-adk {release}").into()), ..app }
}

/// The system text and the contents of each request, with the spellings we write.
fn sent(path: &Path) -> Vec<(String, String)> {
    let requests = json::parse(&read(path)).expect("valid JSON");
    let is_agents = |request: &&Json| request.get("model").and_then(Json::as_str) != Some("summ");
    let texts = |request: &Json| {
        let contents = request.get("contents").and_then(Json::as_array).unwrap_or_default();
        let contents = contents.iter().map(|content| {
            Content::from_json(content.clone(), &mut Decoder::new()).expect("a content").to_json()
        });
        let system = request.get("system_instruction").and_then(Json::as_str).unwrap_or_default();
        (system.to_owned(), json::to_pretty(&Json::Array(contents.collect())))
    };
    requests.as_array().expect("a list").iter().filter(is_agents).map(texts).collect()
}

/// The same of each call, as it is compiled.
fn compiled(session: Session, app: App) -> Vec<(String, String)> {
    let experiment = Experiment::new(Arc::new(session), Arc::new(app), FlowKind::Adk);
    let mut cache = StageCache::new();
    let texts = experiment.calls().iter().map(|call| {
        let compilation = experiment.compile(call, &mut cache).expect("the agent is configured");
        let request = compilation.working_context().to_json();
        let system = request.get("config").and_then(|config| config.get("systemInstruction")?.as_str());
        let contents = request.get("contents").cloned().unwrap_or_default();
        (system.unwrap_or_default().to_owned(), json::to_pretty(&contents))
    });
    texts.collect()
}

#[test]
fn each_release_builds_the_prompts_it_sent() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/releases");
    for release in RELEASES {
        let sent = sent(&folder.join(format!("{release}.requests.json")));
        let compiled = compiled(session(&folder.join(format!("{release}.session.json"))), rows_app(release));
        assert_eq!(compiled.len(), sent.len(), "{release}");
        for (at, (compiled, sent)) in compiled.iter().zip(&sent).enumerate() {
            assert_eq!(compiled.0, sent.0, "{release}: C{}", at + 1);
            assert_eq!(compiled.1, sent.1, "{release}: C{}", at + 1);
        }
    }
}

/// Sessions of real releases, where the larger folder of samples is at hand.
#[test]
fn the_larger_sample_of_1_20_is_compiled_as_it_was_sent() {
    let Some(folder) = samples::folders().into_iter().nth(1) else { return };
    let folder = folder.join("adk");
    let app = include_bytes!("recorded/larger_weather_app.json");
    let app = read_app_config(app, &|_| None).expect("an app").app;
    let session = session(&folder.join("adk-1.20.0.s-main.session.json"));
    let app = App { writer: writer(&session), ..app };
    // `p1` and `p2` are of another session.
    let mut sent = sent(&folder.join("adk-1.20.0.llm_requests.json"));
    sent.truncate(9);
    let compiled = compiled(session, app);
    assert_eq!(compiled.len(), sent.len());
    for (at, (compiled, sent)) in compiled.iter().zip(&sent).enumerate() {
        assert_eq!(compiled, sent, "C{}", at + 1);
    }
}

#[test]
fn a_session_tells_by_itself_which_generation_wrote_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/releases");
    for release in RELEASES {
        let session = session(&folder.join(format!("{release}.session.json")));
        let inferred = infer_app(&session, FlowKind::Adk, &[]).app;
        let told = (release == "1.20.0").then_some("google-adk 1");
        assert_eq!(inferred.writer.as_deref(), told, "{release}");
    }
}
