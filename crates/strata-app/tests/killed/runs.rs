//! A run is killed at any moment: every event that it told of is in the store, with the request it answers, and the next
//! run goes on from there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use strata_app::report::{self, ModelChoice, RunChoice, RunCompany, RunLimits, RunListener, RunNews, Watch};
use strata_model::{Object, Session};
use strata_store::{SessionId, Store};
use strata_testkit::Seeded;
use strata_testkit::killed::{Log, Moments, about_to, done, run_and_kill};
use tokio_util::sync::CancellationToken;

const FOLDER: &str = "STRATA_KILL_RUN_FOLDER";
const SESSION: &str = "STRATA_KILL_RUN_SESSION";
const SEED: &str = "STRATA_KILL_SEED";
const APP: &str =
    r#"{"name": "echoes", "root_agent": {"name": "echo", "model": "m", "instruction": "Say {turn?}."}}"#;

#[test]
fn events_survive_being_killed() {
    let n_rounds = std::env::var("STRATA_KILL_ROUNDS").map_or(10, |rounds| rounds.parse().unwrap());
    let seed =
        std::env::var(SEED).map_or_else(|_| u64::from(std::process::id()), |seed| seed.parse().unwrap());
    let mut random = Seeded::new(seed);
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    std::fs::write(folder.path().join("app.json"), APP).unwrap();
    let session = run(folder.path(), None, &Quiet, &mut std::iter::once("0".to_owned())).session;
    let mut known = stored(folder.path(), &session);
    let mut n_told = 0;
    for round in 0..n_rounds {
        let environment = [(FOLDER, folder.path().as_os_str()), (SESSION, OsStr::new(&session))];
        let moments = Moments { lines: 30, then_micros: 9_000 };
        let log: Log<u64> = run_and_kill("runs::runs_until_it_is_killed", &environment, moments, &mut random);
        let now = stored(folder.path(), &session);
        assert_eq!(now.events[..known.events.len()], known.events[..], "seed {seed}, round {round}");
        let answers = now.events[known.events.len()..].iter().filter(|event| !event.is_from_user()).count();
        let told = log.done.len();
        assert!(
            answers >= told,
            "seed {seed}, round {round}: {told} answers were told, {answers} are stored"
        );
        n_told += told;
        known = now;
    }
    assert!(n_told > 0, "the moments are all before the first answer");
    let report = run(folder.path(), Some(&session), &Quiet, &mut std::iter::once("end".to_owned()));
    assert_eq!(report.events.len(), 2, "it goes on");
    assert_eq!(stored(folder.path(), &session).events.len(), known.events.len() + 2);
}

/// The process that is killed; as a test of its own it does nothing.
#[test]
fn runs_until_it_is_killed() {
    let (Some(folder), Ok(session)) = (std::env::var_os(FOLDER), std::env::var(SESSION)) else { return };
    let mut turns = (1_u64..).map(|turn| {
        about_to(turn);
        turn.to_string()
    });
    run(&PathBuf::from(folder), Some(&session), &Telling, &mut turns);
}

fn run(
    folder: &Path,
    session: Option<&str>,
    listener: &(impl RunListener + Clone + 'static),
    messages: &mut dyn Iterator<Item = String>,
) -> report::RunReport {
    let choice = RunChoice {
        app: Some(folder.join("app.json")),
        from: None,
        database: Some(folder.join("x.db")),
        session: session.map(str::to_owned),
        resumes: false,
        user: "u".to_owned(),
        model: ModelChoice::Echo,
        tools: None,
        recorded: None,
        state: Object::new(),
        answers: Vec::new(),
        limits: RunLimits { calls: None, tokens: None, dollars: None },
        holds: Vec::new(),
        is_streaming: false,
        remembers: false,
        tells_requests: false,
    };
    let mut company = RunCompany {
        listener: Arc::new(listener.clone()),
        person: None,
        holder: None,
        next_message: &mut || messages.next(),
    };
    report::run(&choice, &mut company, &Unwatched(CancellationToken::new()), &strata_testkit::runtime())
        .unwrap()
}

/// What is stored of a session: as it should be, whatever happened to whoever wrote it.
fn stored(folder: &Path, session: &str) -> Session {
    let store = Store::open_read_only(&folder.join("x.db")).unwrap();
    let id = SessionId::from(session);
    let session = store.read_session(&id).unwrap().unwrap();
    let mut requests = store.requests(&id).unwrap();
    requests.retain(|request| request.answer.is_some());
    let answers = session.events.iter().enumerate().filter(|(_, event)| !event.is_from_user());
    let places: Vec<Option<u32>> = answers.map(|(at, _)| Some(at as u32)).collect();
    assert_eq!(requests.iter().map(|request| request.answer).collect::<Vec<_>>(), places);
    session
}

#[derive(Clone, Default)]
struct Quiet;

impl RunListener for Quiet {
    fn hear(&self, _: RunNews<'_>) {}

    fn note(&self, _: &str) {}
}

/// Says of every answer that it is stored.
#[derive(Clone)]
struct Telling;

impl RunListener for Telling {
    fn hear(&self, news: RunNews<'_>) {
        if let RunNews::Said { .. } = news {
            done();
        }
    }

    fn note(&self, _: &str) {}
}

struct Unwatched(CancellationToken);

impl Watch for Unwatched {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}
