//! A Strata that edits an experiment is killed at any moment: the edits it acknowledged are there, the one under way is
//! there as a whole or not at all, and the recording is what it was. One that runs agents is killed, too ([`runs`]).
//!
//! The test starts itself again as the process to be killed. That process edits, undoes and makes edits again in an
//! endless row, says on its output what it is about to do, and says when Strata has answered.
//!
//! `STRATA_KILL_ROUNDS` sets how often; 14 without it. `STRATA_KILL_SEED` repeats the steps of a run, not its moments.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot go on says where")]

mod runs;

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{Host, Options, Reply, Strata};
use strata_store::{SessionId, Store};
use strata_testkit::Seeded;
use strata_testkit::killed::{Log, Moments, about_to, done, run_and_kill};

const DATABASE: &str = "STRATA_KILL_DATABASE";
const SEED: &str = "STRATA_KILL_SEED";

#[test]
fn acknowledged_edits_survive_being_killed() {
    let n_rounds = std::env::var("STRATA_KILL_ROUNDS").map_or(14, |rounds| rounds.parse().unwrap());
    let seed =
        std::env::var(SEED).map_or_else(|_| u64::from(std::process::id()), |seed| seed.parse().unwrap());
    let mut random = Seeded::new(seed);
    // A killed process loses nothing it gave to the system, so waiting for a disk would only take time.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let database = folder.path().join("x.db");
    let (session, experiment) = {
        let strata = start(&database);
        let session = ask(&strata, "app/start", &json!({}))["sampleSession"].as_str().unwrap().to_owned();
        let made = ask(&strata, "experiment/create", &json!({ "session": session }));
        (session, made["experiment"].clone())
    };
    let recorded = recording(&database, &session);
    let mut expected = Edits::default();
    let (mut n_done, mut n_cut_off) = (0, 0);
    for round in 0..n_rounds {
        let of_process = format!("{} {}", random.next_u64(), experiment.as_str().unwrap());
        let environment = [(DATABASE, database.as_os_str()), (SEED, OsStr::new(&of_process))];
        let moments = Moments { lines: 24, then_micros: 9_000 };
        let log: Log<Step> = run_and_kill("edits_until_it_is_killed", &environment, moments, &mut random);
        n_done += log.done.len();
        n_cut_off += u32::from(log.under_way.is_some());
        for step in &log.done {
            step.apply(&mut expected);
        }
        let mut or_expected = expected.clone();
        if let Some(step) = log.under_way {
            step.apply(&mut or_expected);
        }
        let found = found(&database, &experiment);
        assert!(
            found == expected || found == or_expected,
            "seed {seed}, round {round}: found {found:?}, expected {expected:?} or {or_expected:?}"
        );
        assert!(
            recording(&database, &session) == recorded,
            "seed {seed}, round {round}: the recording changed"
        );
        expected = found;
    }
    eprintln!("killed {n_rounds} times among {n_done} steps, {n_cut_off} times in the middle of one");
    assert!(n_done > 0 && n_cut_off > 0, "the moments are all before, or all between steps");
}

/// The process that is killed; as a test of its own it does nothing.
#[test]
fn edits_until_it_is_killed() {
    let (Some(database), Ok(seed)) = (std::env::var_os(DATABASE), std::env::var(SEED)) else { return };
    let (seed, experiment) = seed.split_once(' ').unwrap();
    let mut random = Seeded::new(seed.parse().unwrap());
    let strata = start(&PathBuf::from(database));
    let mut known = ask(&strata, "experiment/get", &json!({ "experiment": experiment }));
    loop {
        let step = Step::random(&mut random, &known);
        about_to(step);
        known = step.take(&strata, experiment);
        done();
    }
}

/// The edits of an experiment, each known by its number, and how many count.
#[derive(Debug, Clone, Default, PartialEq)]
struct Edits {
    all: Vec<u64>,
    n_applied: usize,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Add(u64),
    /// In the place of the last one, as while something is typed.
    Replace(u64),
    Undo,
    Redo,
}

impl Step {
    fn random(random: &mut Seeded, known: &Value) -> Self {
        let number = random.next_u64() % 1_000_000;
        let (applied, undone) = (known["edits"].as_u64().unwrap(), known["undone"].as_u64().unwrap());
        match random.next_u64() % 6 {
            0 if applied > 0 => Self::Undo,
            1 if undone > 0 => Self::Redo,
            2 if applied > 0 => Self::Replace(number),
            _ => Self::Add(number),
        }
    }

    fn take(self, strata: &Arc<Strata>, experiment: &str) -> Value {
        let edit = |number: u64, replaces_last: bool| {
            let edits =
                json!([{ "edit": "set_instruction", "agent": "coordinator", "text": number.to_string() }]);
            let params = json!({ "experiment": experiment, "edits": edits, "replacesLast": replaces_last });
            ask(strata, "experiment/edit", &params)
        };
        match self {
            Self::Add(number) => edit(number, false),
            Self::Replace(number) => edit(number, true),
            Self::Undo => ask(strata, "experiment/undo", &json!({ "experiment": experiment })),
            Self::Redo => ask(strata, "experiment/redo", &json!({ "experiment": experiment })),
        }
    }

    fn apply(self, edits: &mut Edits) {
        match self {
            Self::Add(number) => {
                edits.all.truncate(edits.n_applied);
                edits.all.push(number);
                edits.n_applied += 1;
            }
            Self::Replace(number) => {
                edits.all.truncate(edits.n_applied);
                *edits.all.last_mut().unwrap() = number;
            }
            Self::Undo => edits.n_applied -= 1,
            Self::Redo => edits.n_applied += 1,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(number) => write!(f, "add {number}"),
            Self::Replace(number) => write!(f, "replace {number}"),
            Self::Undo => f.write_str("undo"),
            Self::Redo => f.write_str("redo"),
        }
    }
}

impl FromStr for Step {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.split_once(' ') {
            Some(("add", number)) => Self::Add(number.parse().unwrap()),
            Some((_, number)) => Self::Replace(number.parse().unwrap()),
            None if text == "undo" => Self::Undo,
            None => Self::Redo,
        })
    }
}

/// What the file holds, as another start of Strata tells it.
fn found(database: &Path, experiment: &Value) -> Edits {
    let strata = start(database);
    let detail = ask(&strata, "experiment/get", &json!({ "experiment": experiment }));
    let rows = detail["list"].as_array().unwrap();
    let is_undone: Vec<bool> = rows.iter().map(|row| row["isUndone"].as_bool().unwrap()).collect();
    assert!(is_undone.is_sorted(), "what counts stands in front: {detail}");
    let n_applied = detail["edits"].as_u64().unwrap() as usize;
    assert_eq!(is_undone.iter().filter(|is_undone| !**is_undone).count(), n_applied);
    let number = |row: &Value| row["edit"]["text"].as_str().unwrap().parse().unwrap();
    Edits { all: rows.iter().map(number).collect(), n_applied }
}

fn recording(database: &Path, session: &str) -> Option<strata_model::Session> {
    Store::open_read_only(database).unwrap().read_session(&SessionId::from(session)).unwrap()
}

fn start(database: &Path) -> Arc<Strata> {
    let options = Options {
        host: Host::Browser,
        database: Some(database.to_owned()),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    };
    Strata::start(options).unwrap()
}

fn ask(strata: &Arc<Strata>, name: &str, params: &Value) -> Value {
    match strata.dispatch(name, &params.to_string()) {
        Ok(Reply::Json(text)) => serde_json::from_str(&text).unwrap(),
        other => panic!("{name} {params}: {other:?}"),
    }
}
