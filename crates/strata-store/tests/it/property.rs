//! Whatever is done in whatever order, exactly the committed sessions are there.

use std::collections::BTreeMap;

use proptest::prelude::*;
use strata_model::Session;
use strata_store::Store;

use crate::{Place, import, listing, session, source, stage};

#[derive(Debug, Clone)]
enum Step {
    /// Imports so many sessions from a source and commits.
    Import { from: u8, n_sessions: usize, n_events: usize },
    /// The same, and cancels.
    Cancel { from: u8, n_sessions: usize, n_events: usize },
    /// The same, and drops the import with its last recording open.
    Abandon { from: u8, n_sessions: usize, n_events: usize },
    /// Deletes one of the sessions that are there.
    Delete { nth: prop::sample::Index },
    /// Closes and opens the database.
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let import = (0..3_u8, 1..4_usize, 0..6_usize);
    prop_oneof![
        4 => import.clone().prop_map(|(from, n_sessions, n_events)| Step::Import { from, n_sessions, n_events }),
        2 => import.clone().prop_map(|(from, n_sessions, n_events)| Step::Cancel { from, n_sessions, n_events }),
        2 => import.prop_map(|(from, n_sessions, n_events)| Step::Abandon { from, n_sessions, n_events }),
        2 => any::<prop::sample::Index>().prop_map(|nth| Step::Delete { nth }),
        1 => Just(Step::Reopen),
    ]
}

/// What should be there: source and ADK id to the session.
type Expected = BTreeMap<(String, String), Session>;

fn sessions(round: usize, n_sessions: usize, n_events: usize) -> Vec<Session> {
    (0..n_sessions).map(|at| session(&format!("s{at}"), n_events + at, &format!("round {round}"))).collect()
}

fn take(store: &mut Store, expected: &mut Expected, round: usize, step: &Step) {
    match *step {
        Step::Import { from, n_sessions, n_events } => {
            let sessions = sessions(round, n_sessions, n_events);
            import(store, source(&from.to_string()), &sessions);
            expected.extend(
                sessions.into_iter().map(|session| ((from.to_string(), session.id.to_string()), session)),
            );
        }
        Step::Cancel { from, n_sessions, n_events } => {
            let mut import = store.begin_import(source(&from.to_string())).unwrap();
            for session in sessions(round, n_sessions, n_events) {
                stage(&mut import, &session, listing("x"));
            }
            import.cancel().unwrap();
        }
        Step::Abandon { from, n_sessions, n_events } => {
            let mut import = store.begin_import(source(&from.to_string())).unwrap();
            for session in sessions(round, n_sessions, n_events) {
                stage(&mut import, &session, listing("x"));
            }
            drop(import.open_recording().unwrap());
        }
        Step::Delete { nth } if !expected.is_empty() => {
            let (location, adk_id) = expected.keys().nth(nth.index(expected.len())).unwrap().clone();
            let entries = store.sessions("", 0..u32::MAX).unwrap().entries;
            let entry = entries.iter().find(|entry| entry.location == location && entry.adk_id == adk_id);
            assert!(store.delete_session(&entry.unwrap().id).unwrap());
            expected.remove(&(location, adk_id));
        }
        Step::Delete { .. } | Step::Reopen => {}
    }
}

fn stored(store: &Store) -> Expected {
    let entries = store.sessions("", 0..u32::MAX).unwrap().entries;
    let read = entries.into_iter().map(|entry| {
        let session = store.read_session(&entry.id).unwrap().unwrap();
        assert_eq!(entry.n_events as usize, session.events.len());
        ((entry.location, entry.adk_id), session)
    });
    read.collect()
}

/// Few, because each writes to a file; `PROPTEST_CASES` for more.
fn n_cases() -> u32 {
    std::env::var("PROPTEST_CASES").map_or(40, |cases| cases.parse().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_committed_sessions_are_there(steps in prop::collection::vec(step(), 1..10)) {
        let place = Place::new();
        let mut store = place.open();
        let mut expected = Expected::new();
        for (round, step) in steps.iter().enumerate() {
            take(&mut store, &mut expected, round, step);
            if matches!(step, Step::Reopen) {
                drop(store);
                store = place.open();
            }
            prop_assert_eq!(&stored(&store), &expected);
        }
        let n_events: usize = expected.values().map(|session| session.events.len()).sum();
        let n_sessions = expected.len();
        let rows = [n_sessions, n_events, n_events, 0, n_sessions * 3, 0, 0, n_sessions + n_events];
        let rows = rows.map(|n| n as i64);
        prop_assert_eq!(place.stored_rows(), rows, "nothing else is in the tables");
    }
}
