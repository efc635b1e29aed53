//! A process that writes is killed at any moment: what it reported as done is there, and nothing half-done is.
//!
//! The test starts itself again as the process to be killed. That process imports, cancels and deletes in an endless
//! row, says on its output what it is about to do, and says when it is done. After each kill the file has to hold
//! exactly what was reported, where the step that was under way may have happened as a whole or not at all.
//!
//! `STRATA_CRASH_ROUNDS` sets how often; 60 without it. `STRATA_CRASH_SEED` repeats the steps of a run, not its moments.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "a test that cannot go on says where")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rusqlite::Connection;
use strata_model::{Decoder, Json, Session, json};
use strata_store::{
    ImportWriter, Listing, NewEvent, RawRecord, RecordPlace, SessionEntry, Source, Store, StoreError,
};
use tempfile::TempDir;

const DATABASE: &str = "STRATA_CRASH_DATABASE";
const SEED: &str = "STRATA_CRASH_SEED";

/// Rounds after which a new file is begun, so that creating one is interrupted too.
const ROUNDS_PER_FILE: usize = 10;

/// Events of one transaction, small to have many moments between them.
const BATCH: usize = 8;

#[test]
fn what_was_reported_survives_being_killed() {
    let n_rounds = std::env::var("STRATA_CRASH_ROUNDS").map_or(60, |rounds| rounds.parse().unwrap());
    let seed =
        std::env::var(SEED).map_or_else(|_| u64::from(std::process::id()), |seed| seed.parse().unwrap());
    let mut random = Random(seed | 1);
    let folder = folder();
    let mut expected = Contents::new();
    let (mut n_steps, mut n_interrupted) = (0, 0);
    for round in 0..n_rounds {
        let path = folder.path().join(format!("{}.db", round / ROUNDS_PER_FILE));
        if round % ROUNDS_PER_FILE == 0 {
            expected.clear();
        }
        let log = run_and_kill(&path, &mut random);
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
    let mut random = Random(seed.parse().unwrap());
    let mut store = Store::open(&PathBuf::from(path)).unwrap();
    loop {
        let step = Step::random(&mut random);
        say(&format!("{TRY}{step}"));
        step.take(&mut store);
        say(DONE);
    }
}

// Begins with a line break, because the test harness writes an unfinished line first.
const TRY: &str = "\ntry ";
const DONE: &str = "\ndone";

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// What the killed process said.
#[derive(Debug, Default)]
struct Log {
    done: Vec<Step>,
    /// Begun, and not reported as done.
    under_way: Option<Step>,
}

fn run_and_kill(path: &Path, random: &mut Random) -> Log {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writes_until_it_is_killed", "--nocapture"])
        .env(DATABASE, path)
        .env(SEED, (random.next() | 1).to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = lines_of(&mut child);
    let mut log = Log::default();
    // So many lines, then any moment until the next ones.
    for _ in 0..random.next() % 12 {
        log.add(&lines.recv_timeout(Duration::from_secs(20)).expect("the process says something"));
    }
    let moment = Duration::from_micros(random.next() % 6_000);
    match lines.recv_timeout(moment) {
        Ok(line) => log.add(&line),
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => panic!("the process ended by itself: {log:?}"),
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for line in lines {
        log.add(&line);
    }
    log
}

fn lines_of(child: &mut Child) -> Receiver<String> {
    let output = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let is_ours = line.starts_with(TRY.trim_start()) || line == DONE.trim_start();
            if is_ours && sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

impl Log {
    fn add(&mut self, line: &str) {
        match line.strip_prefix(TRY.trim_start()) {
            Some(step) => self.under_way = Some(Step::parse(step)),
            None => self.done.extend(self.under_way.take()),
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Import { from: u64, revision: u64, n_sessions: u64, n_events: u64 },
    Cancel { from: u64, n_events: u64 },
    Delete { from: u64, nth: u64 },
    Reopen,
}

impl Step {
    fn random(random: &mut Random) -> Self {
        let (kind, from, n_events) = (random.next() % 10, random.next() % 4, random.next() % 90);
        match kind {
            0..6 => Self::Import {
                from,
                revision: random.next() % 1_000,
                n_sessions: 1 + random.next() % 3,
                n_events,
            },
            6 => Self::Cancel { from, n_events },
            7 | 8 => Self::Delete { from, nth: random.next() % 3 },
            _ => Self::Reopen,
        }
    }

    fn take(&self, store: &mut Store) {
        match *self {
            Self::Import { from, revision, n_sessions, n_events } => {
                let mut import = store.begin_import(source(from)).unwrap();
                for nth in 0..n_sessions {
                    add_session(&mut import, from, revision, nth, n_events);
                }
                import.commit(&[]).unwrap();
            }
            Self::Cancel { from, n_events } => {
                let mut import = store.begin_import(source(from)).unwrap();
                add_session(&mut import, from, 9_999, 0, n_events);
                import.cancel().unwrap();
            }
            Self::Delete { from, nth } => {
                let entries = store.sessions("", 0..u32::MAX).unwrap().entries;
                let is_meant = |entry: &&SessionEntry| key(entry) == (from, nth);
                if let Some(entry) = entries.iter().find(is_meant) {
                    assert!(store.delete_session(&entry.id).unwrap());
                }
            }
            Self::Reopen => {
                let path = store.path().unwrap().to_owned();
                *store = Store::open(&path).unwrap();
            }
        }
    }

    /// What the step makes of the contents.
    fn apply(&self, contents: &mut Contents) {
        match *self {
            Self::Import { from, revision, n_sessions, n_events } => {
                for nth in 0..n_sessions {
                    contents.insert((from, nth), (revision, n_events));
                }
            }
            Self::Delete { from, nth } => {
                contents.remove(&(from, nth));
            }
            Self::Cancel { .. } | Self::Reopen => {}
        }
    }

    fn parse(text: &str) -> Self {
        let mut words = text.split(' ');
        let kind = words.next().unwrap();
        let mut number = || words.next().unwrap().parse().unwrap();
        match kind {
            "import" => {
                Self::Import { from: number(), revision: number(), n_sessions: number(), n_events: number() }
            }
            "cancel" => Self::Cancel { from: number(), n_events: number() },
            "delete" => Self::Delete { from: number(), nth: number() },
            _ => Self::Reopen,
        }
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Import { from, revision, n_sessions, n_events } => {
                write!(f, "import {from} {revision} {n_sessions} {n_events}")
            }
            Self::Cancel { from, n_events } => write!(f, "cancel {from} {n_events}"),
            Self::Delete { from, nth } => write!(f, "delete {from} {nth}"),
            Self::Reopen => write!(f, "reopen"),
        }
    }
}

/// Source and place in it to revision and number of events.
type Contents = BTreeMap<(u64, u64), (u64, u64)>;

/// Compares the file with what was reported, and makes `expected` what is there. True when an import or the clearing
/// after one was cut off.
fn check(path: &Path, expected: &mut Contents, log: &Log) -> Result<bool, String> {
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
    check_equal("rows", &[rows(path, "events"), rows(path, "event_json")], &[n_events, n_events])?;
    Ok(was_interrupted)
}

fn rows(path: &Path, table: &str) -> u64 {
    let count = format!("SELECT count(*) FROM {table}");
    Connection::open(path).unwrap().query_row(&count, [], |row| row.get::<_, i64>(0)).unwrap() as u64
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

fn key(entry: &SessionEntry) -> (u64, u64) {
    (entry.location.parse().unwrap(), entry.adk_id.parse().unwrap())
}

fn add_session(import: &mut ImportWriter<'_>, from: u64, revision: u64, nth: u64, n_events: u64) {
    let session = session(from, revision, nth, n_events);
    let mut recording = import.open_recording().unwrap();
    for batch in session.events.chunks(BATCH) {
        let bytes = Some(&b"a record that all events were read from"[..]);
        let records = vec![RawRecord { place: RecordPlace::Bytes(0..39), bytes }];
        let batch: Vec<_> = batch.iter().map(|event| NewEvent { event, records: records.clone() }).collect();
        import.append(&mut recording, &batch).unwrap();
    }
    let listing =
        Listing { title: revision.to_string(), format: "x".into(), summary: Json::Null, app_config: None };
    import.close_recording(recording, &session, listing).unwrap();
}

/// The one session with this revision and so many events, the same in both processes.
fn session(from: u64, revision: u64, nth: u64, n_events: u64) -> Session {
    let mut decoder = Decoder::new();
    let head = format!(r#"{{"id":"{nth}","state":{{"revision":{revision}}}}}"#);
    let mut session = Session::from_json(json::parse(head.as_bytes()).unwrap(), &mut decoder);
    for at in 0..n_events {
        let filler = "words and ".repeat((at % 50) as usize);
        let event = format!(
            r#"{{"id":"{at}","author":"user","content":{{"parts":[{{"text":"{filler} {from} {revision}"}}]}}}}"#
        );
        session.push_event(at as usize, json::parse(event.as_bytes()).unwrap(), &mut decoder);
    }
    session
}

fn source(from: u64) -> Source {
    Source {
        location: from.to_string(),
        format: "x".into(),
        size_bytes: 0,
        modified_ms: None,
        content: None,
        imported_at_ms: 0,
    }
}

/// Xorshift: enough to choose steps by, and the same for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }
}
