//! A process that writes is killed at any moment: what it reported as done is there, and nothing half-done is.
//!
//! The test starts itself again as the process to be killed. That process imports, goes on, cancels and deletes in an endless
//! row, says on its output what it is about to do, and says when it is done. After each kill the file has to hold
//! exactly what was reported, where the step that was under way may have happened as a whole or not at all.
//!
//! `STRATA_CRASH_ROUNDS` sets how often; 60 without it. `STRATA_CRASH_SEED` repeats the steps of a run, not its moments.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot go on says where")]

mod contexts;
mod step;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use strata_store::{Store, StoreError};
use strata_testkit::Seeded;
use strata_testkit::killed::{Log, Moments, about_to, done, run_and_kill};
use tempfile::TempDir;

use step::{Contents, Step, key, session};

const DATABASE: &str = "STRATA_CRASH_DATABASE";
const SEED: &str = "STRATA_CRASH_SEED";

/// Rounds after which a new file is begun, so that creating one is interrupted too.
const ROUNDS_PER_FILE: usize = 10;

#[test]
fn what_was_reported_survives_being_killed() {
    let n_rounds = std::env::var("STRATA_CRASH_ROUNDS").map_or(60, |rounds| rounds.parse().unwrap());
    let seed =
        std::env::var(SEED).map_or_else(|_| u64::from(std::process::id()), |seed| seed.parse().unwrap());
    let mut random = Seeded::new(seed);
    let folder = folder();
    let mut expected = Contents::new();
    let (mut n_steps, mut n_interrupted) = (0, 0);
    for round in 0..n_rounds {
        let path = folder.path().join(format!("{}.db", round / ROUNDS_PER_FILE));
        if round % ROUNDS_PER_FILE == 0 {
            expected.clear();
        }
        let of_process = random.next_u64().to_string();
        let environment = [(DATABASE, path.as_os_str()), (SEED, OsStr::new(&of_process))];
        let moments = Moments { lines: 12, then_micros: 6_000 };
        let log = run_and_kill("writes_until_it_is_killed", &environment, moments, &mut random);
        n_steps += log.done.len();
        let was_interrupted = check(&path, &mut expected, &log)
            .unwrap_or_else(|what| panic!("seed {seed}, round {round}: {what}\n{log:?}"));
        n_interrupted += u32::from(was_interrupted);
    }
    eprintln!("killed {n_rounds} times among {n_steps} steps, {n_interrupted} times in the middle of one");
    assert!(n_steps > 0 && n_interrupted > 0, "the moments are all before, or all between steps");
}

/// In memory where the system has such a place: a killed process loses nothing it gave to the system, so waiting for a
/// disk would only take time.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The process that is killed; as a test of its own it does nothing.
#[test]
fn writes_until_it_is_killed() {
    let (Some(path), Ok(seed)) = (std::env::var_os(DATABASE), std::env::var(SEED)) else { return };
    let mut random = Seeded::new(seed.parse().unwrap());
    let mut store = Store::open(&PathBuf::from(path)).unwrap();
    loop {
        let step = Step::random(&mut random);
        about_to(&step);
        step.take(&mut store);
        done();
    }
}

/// Compares the file with what was reported, and makes `expected` what is there. True when an import or the clearing
/// after one was cut off.
fn check(path: &Path, expected: &mut Contents, log: &Log<Step>) -> Result<bool, String> {
    for step in &log.done {
        step.apply(expected);
    }
    let mut or_expected = expected.clone();
    if let Some(step) = &log.under_way {
        step.apply(&mut or_expected);
    }

    let (before_clearing, n_recordings) = match Store::open_read_only(path) {
        Ok(store) => (contents(&store)?, rows(path, "recordings")),
        Err(StoreError::CannotOpen { .. } | StoreError::NotAStore { .. }) if log.done.is_empty() => {
            (Contents::new(), 0)
        }
        Err(error) => return Err(error.to_string()),
    };
    if before_clearing != *expected && before_clearing != or_expected {
        return Err(format!("found {before_clearing:?}, expected {expected:?} or {or_expected:?}"));
    }
    *expected = before_clearing;
    let was_interrupted = n_recordings > expected.len() as u64;
    let mut store = Store::open(path).map_err(|error| error.to_string())?;
    check_soundness(path)?;
    // The next import works, and clears away what opening did not.
    Step::Import { from: 4, revision: 1, n_sessions: 1, n_events: 3 }.take(&mut store);
    expected.insert((4, 0), (1, 3));
    check_equal("contents after another import", &contents(&store)?, expected)?;
    let n_events: u64 = expected.values().map(|(_, n_events)| n_events).sum();
    check_equal("recordings", &rows(path, "recordings"), &(expected.len() as u64))?;
    check_equal("rows", &[rows(path, "events"), packed_events(path)], &[n_events, n_events])?;
    check_equal("rows of words", &rows(path, "search"), &(n_events + expected.len() as u64))?;
    Ok(was_interrupted)
}

fn rows(path: &Path, table: &str) -> u64 {
    number(path, &format!("SELECT count(*) FROM {table}"))
}

fn packed_events(path: &Path) -> u64 {
    number(path, "SELECT coalesce(sum(count), 0) FROM event_packs")
}

fn number(path: &Path, sql: &str) -> u64 {
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as u64
}

fn check_equal<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: found {found:?}, expected {expected:?}")) }
}

/// All sessions, each of which has to be whole.
fn contents(store: &Store) -> Result<Contents, String> {
    let mut contents = Contents::new();
    for entry in store.sessions("", 0..u32::MAX).map_err(|error| error.to_string())?.entries {
        let (from, nth) = key(&entry);
        let revision = entry.title.parse().unwrap();
        let n_events = u64::from(entry.n_events);
        let read = store.read_session(&entry.id).map_err(|error| error.to_string())?;
        if read != Some(session(from, revision, nth, n_events)) {
            return Err(format!("session {nth} of source {from} is not whole: {read:?}"));
        }
        contents.insert((from, nth), (revision, n_events));
    }
    Ok(contents)
}

fn check_soundness(path: &Path) -> Result<(), String> {
    let connection = Connection::open(path).unwrap();
    let check: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    let has_dangling = connection.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    check_equal("integrity", &(&*check, has_dangling), &("ok", false))
}
