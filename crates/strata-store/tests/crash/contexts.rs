//! A process that obeys commands on contexts is killed at any moment: what it reported is there, and nothing half-done.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use strata_context::{
    Command, Context, ContextId, Millis, NewMessage, NewTask, NoSummary, Principal, Role, TaskEnd, TaskId,
};
use strata_model::Object;
use strata_store::Store;
use strata_testkit::Seeded;
use strata_testkit::killed::{Moments, about_to, done, run_and_kill};

const DATABASE: &str = "STRATA_CRASH_CONTEXTS";
const ROUNDS: usize = 25;

/// The n-th turn: its task begins, says its number, sets it and ends, in one transaction.
struct Turn(i64);

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {}", self.0)
    }
}

impl FromStr for Turn {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.parse().unwrap()))
    }
}

fn id() -> ContextId {
    ContextId::parse("ctx-1").unwrap()
}

fn owner() -> Principal {
    Principal::new("ana")
}

fn turn(n: i64) -> Vec<Command> {
    let task = TaskId::parse(&format!("t{n}")).unwrap();
    let new = NewTask {
        task_id: task.clone(),
        operation: "count".into(),
        params: Object::new(),
        parent: None,
        waits_for: Vec::new(),
    };
    let said =
        NewMessage { role: Role::User, content: n.to_string().into(), door: None, task: Some(task.clone()) };
    vec![
        Command::BeginTask(new),
        Command::Say(vec![said]),
        Command::SetState { changes: Object::from_iter([("n", n)]), task: Some(task.clone()) },
        Command::EndTask { task, end: TaskEnd::Completed, told: None },
    ]
}

/// The last turn that is in the file, which is there whole. `None` where there is none.
fn last_turn(store: &Store) -> Option<i64> {
    let held = store.context(&id()).unwrap()?;
    let last = held.context.working_state.get("n")?.as_i64().unwrap();
    assert_eq!(held.context.n_messages as i64, last + 1);
    assert_eq!(held.context.n_completed as i64, last + 1);
    assert_eq!(&*held.context.messages.last().unwrap().content, last.to_string());
    assert!(held.context.active_tasks.is_empty());
    assert_eq!(held.tasks.len() as i64, last + 1);
    Some(last)
}

#[test]
fn what_was_acknowledged_in_a_context_survives_being_killed() {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let path = folder.path().join("strata.db");
    let mut random = Seeded::new(u64::from(std::process::id()));
    let mut reported = None;
    for round in 0..ROUNDS {
        let moments = Moments { lines: 30, then_micros: 4_000 };
        let environment: [(&str, &OsStr); 1] = [(DATABASE, path.as_os_str())];
        let log =
            run_and_kill::<Turn>("contexts::obeys_until_it_is_killed", &environment, moments, &mut random);
        reported = log.done.last().map(|turn| turn.0).or(reported);
        let under_way = log.under_way.as_ref().map(|turn| turn.0);
        let found = Store::open(&path).ok().as_ref().and_then(last_turn);
        assert!(
            found == reported || (under_way.is_some() && found == under_way),
            "round {round}: {found:?}, {log:?}"
        );
        reported = found;
    }
    assert!(reported.is_some_and(|last| last > 20), "{reported:?}");
}

/// The process that is killed; as a test of its own it does nothing.
#[test]
fn obeys_until_it_is_killed() {
    let Some(path) = std::env::var_os(DATABASE) else { return };
    let mut store = Store::open(&PathBuf::from(path)).unwrap();
    store.begin_context(&Context::new(id(), owner(), Millis(0))).unwrap();
    let mut next = last_turn(&store).map_or(0, |last| last + 1);
    loop {
        about_to(Turn(next));
        store.obey_context(&id(), &owner(), turn(next), Millis(next), &NoSummary).unwrap();
        done();
        next += 1;
    }
}
