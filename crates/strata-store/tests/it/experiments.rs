//! Experiments over sessions.

use strata_store::{ExperimentId, SessionId, Store, StoreError};

use crate::{Place, import, session, source};

fn list(store: &Store, id: ExperimentId) -> (u32, Vec<String>) {
    (store.experiment(id).unwrap().unwrap().n_applied, store.edits(id).unwrap())
}

fn with_session(store: &mut Store) -> SessionId {
    import(store, source("a.jsonl"), &[session("s1", 3, "text")]).remove(0).id
}

fn texts(edits: &[&str]) -> Vec<String> {
    edits.iter().map(|edit| (*edit).to_owned()).collect()
}

#[test]
fn undoing_moves_a_cursor_and_editing_cuts_what_was_undone() {
    let place = Place::new();
    let mut store = place.open();
    let session = with_session(&mut store);
    let id = store.create_experiment(&session, "first", &[], 1).unwrap().unwrap();
    assert!(store.set_edits(id, 0, &texts(&["a", "b"]), 2).unwrap());
    assert!(store.set_edits(id, 2, &texts(&["c"]), 3).unwrap());
    assert!(store.set_applied(id, 1, 4).unwrap());
    assert_eq!(list(&store, id), (1, texts(&["a", "b", "c"])));
    assert!(!store.set_applied(id, 4, 5).unwrap(), "there are no four edits");
    drop(store);
    let mut store = place.open();
    assert_eq!(list(&store, id), (1, texts(&["a", "b", "c"])), "undone edits are there after a start");
    assert!(store.set_edits(id, 1, &texts(&["d"]), 6).unwrap());
    assert_eq!(list(&store, id), (2, texts(&["a", "d"])));
    assert!(!store.set_edits(id, 3, &[], 7).unwrap());
    assert_eq!(list(&store, id), (2, texts(&["a", "d"])), "what does not fit changes nothing");
}

#[test]
fn a_promise_goes_with_its_edit() {
    let place = Place::new();
    let mut store = place.open();
    let session = with_session(&mut store);
    let id = store.create_experiment(&session, "first", &texts(&["a", "b", "c"]), 1).unwrap().unwrap();
    assert!(store.set_promise(id, 1, "much").unwrap());
    assert!(store.set_promise(id, 2, "more").unwrap());
    assert!(!store.set_promise(id, 3, "nothing").unwrap(), "there is no such edit");
    drop(store);
    let mut store = place.open();
    let promises = |store: &Store| store.promises(id).unwrap();
    assert_eq!(promises(&store), [(1, "much".to_owned()), (2, "more".to_owned())]);
    store.set_applied(id, 1, 2).unwrap();
    assert_eq!(promises(&store).len(), 2, "what was undone can be made again");
    store.set_edits(id, 2, &texts(&["d"]), 3).unwrap();
    assert_eq!(promises(&store), [(1, "much".to_owned())]);
}

#[test]
fn experiments_are_listed_by_their_last_change_and_go_with_their_session() {
    let place = Place::new();
    let mut store = place.open();
    let session_id = with_session(&mut store);
    let first = store.create_experiment(&session_id, "first", &texts(&["a"]), 1).unwrap().unwrap();
    let second = store.create_experiment(&session_id, "second", &[], 2).unwrap().unwrap();
    let names = |store: &Store| -> Vec<String> {
        store.experiments(&session_id).unwrap().into_iter().map(|entry| entry.name).collect()
    };
    assert_eq!(names(&store), ["second", "first"]);
    store.set_applied(first, 0, 3).unwrap();
    assert!(store.rename_experiment(first, "renamed").unwrap());
    assert_eq!(names(&store), ["renamed", "second"]);
    import(&mut store, source("a.jsonl"), &[session("s1", 5, "text")]);
    assert_eq!(names(&store), ["renamed", "second"], "importing again keeps them");
    assert!(store.delete_experiment(second).unwrap());
    assert!(!store.delete_experiment(second).unwrap());
    let third = store.create_experiment(&session_id, "third", &[], 4).unwrap().unwrap();
    assert_ne!(third, second, "numbers are not used again");
    store.delete_session(&session_id).unwrap();
    assert_eq!(store.experiment(first).unwrap(), None);
    assert_eq!(store.edits(first).unwrap(), texts(&[]));
    assert_eq!(store.create_experiment(&session_id, "late", &[], 5).unwrap(), None);
}

#[test]
fn an_edit_with_a_key_in_it_is_refused_whole() {
    let place = Place::new();
    let mut store = place.open();
    let session = with_session(&mut store);
    let id = store.create_experiment(&session, "first", &texts(&["a"]), 1).unwrap().unwrap();
    let key = format!("const key = 'sk-{}'", "a1B2".repeat(12));
    let refused = store.set_edits(id, 1, &[String::from("b"), key], 2);
    assert!(matches!(refused, Err(StoreError::HoldsCredential { .. })), "{refused:?}");
    assert_eq!(list(&store, id), (1, texts(&["a"])));
}

#[test]
fn ids_are_told_from_those_of_sessions() {
    assert_eq!(ExperimentId::parse("x12").map(|id| id.to_string()).as_deref(), Some("x12"));
    for text in ["", "x", "x-1", "12", "x1a", "0123456789abcdef"] {
        assert_eq!(ExperimentId::parse(text), None, "{text}");
    }
}
