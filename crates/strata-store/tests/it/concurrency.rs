//! Several handles on one file, as the window and the command line have it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use strata_store::Store;

use crate::{Place, import, import_one, listing, session, source, stage, text, titles};

#[test]
fn a_handle_can_be_given_to_another_thread() {
    let place = Place::new();
    let mut store = place.open();
    let id = thread::spawn(move || import_one(&mut store, "a.json", &session("s", 1, "x"))).join().unwrap();
    assert!(place.open().session_entry(&id).unwrap().is_some());
}

#[test]
fn many_can_create_the_same_file_at_once() {
    for _ in 0..5 {
        let place = Place::new();
        let open = |_| Store::open(&place.path).map(|_| ());
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|at| scope.spawn(move || open(at))).collect();
            for thread in threads {
                thread.join().unwrap().unwrap();
            }
        });
    }
}

#[test]
fn a_change_by_another_handle_is_noticed() {
    let place = Place::new();
    let (mut one, mut two) = (place.open(), place.open());
    let mut seen = two.change_counter().unwrap();
    let mut is_news = |store: &Store| {
        let counter = store.change_counter().unwrap();
        std::mem::replace(&mut seen, counter) != counter
    };
    assert!(!is_news(&two));
    let mut import = one.begin_import(source("a.json")).unwrap();
    stage(&mut import, &session("s", 10, "x"), listing("A"));
    assert!(!is_news(&two), "what is staged is no news");
    let id = import.commit(&[]).unwrap().remove(0).id;
    assert!(is_news(&two));
    two.set_setting("theme", "dark").unwrap();
    assert!(is_news(&two));
    one.mark_opened(&id, 1).unwrap();
    assert!(is_news(&two));
    one.delete_session(&id).unwrap();
    assert!(is_news(&two));
}

#[test]
fn imports_of_two_handles_run_side_by_side() {
    let place = Place::new();
    let (mut one, mut two) = (place.open(), place.open());
    let (a, b) = (session("a", 30, "x"), session("b", 30, "y"));
    let mut import_a = one.begin_import(source("a.json")).unwrap();
    stage(&mut import_a, &a, listing("A"));
    let mut import_b = two.begin_import(source("b.json")).unwrap();
    stage(&mut import_b, &b, listing("B"));
    place.open();
    let id_a = import_a.commit(&[]).unwrap().remove(0).id;
    let id_b = import_b.commit(&[]).unwrap().remove(0).id;
    let store = place.open();
    assert_eq!(text(&store.read_session(&id_a).unwrap().unwrap()), text(&a));
    assert_eq!(text(&store.read_session(&id_b).unwrap().unwrap()), text(&b));
}

#[test]
fn what_a_killed_import_left_is_removed_when_no_import_runs() {
    let place = Place::new();
    let mut store = place.open();
    let leave_behind = || {
        place
            .bare()
            .execute_batch(
                "INSERT INTO recordings (status) VALUES ('staged');
                 INSERT INTO states VALUES (last_insert_rowid(), 0, 'session', 'k', '1');",
            )
            .unwrap();
    };
    leave_behind();
    let running = store.begin_import(source("a.json")).unwrap();
    assert_eq!(place.stored_rows()[0], 0, "the next import removes it");
    leave_behind();
    place.open();
    assert_eq!(place.stored_rows()[0], 1, "it could belong to the import that runs");
    running.cancel().unwrap();
    place.open();
    assert_eq!(place.stored_rows(), [0; 8], "the next opening removes it");
}

#[test]
fn an_import_keeps_nobody_from_writing_or_reading() {
    let place = Place::new();
    let mut store = place.open();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut other = place.open();
            let long = session("long", 3_000, "x");
            for _ in 0..3 {
                import(&mut other, source("long.json"), std::slice::from_ref(&long));
            }
            is_done.store(true, Ordering::Release);
        });
        let mut n_written = 0;
        while !is_done.load(Ordering::Acquire) {
            store.set_setting("n", &n_written.to_string()).unwrap();
            n_written += 1;
            for entry in store.sessions("", 0..10).unwrap().entries {
                assert_eq!(entry.n_events, 3_000, "never half of a session");
            }
        }
        assert!(n_written > 1);
    });
}

#[test]
fn a_session_that_is_replaced_while_it_is_read_is_read_as_of_one_moment() {
    let place = Place::new();
    let versions = [session("s", 20, "old"), session("s", 50, "new")];
    let id = import_one(&mut place.open(), "a.json", &versions[0]);
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut store = place.open();
            for round in 1..=30 {
                import_one(&mut store, "a.json", &versions[round % 2]);
            }
            is_done.store(true, Ordering::Release);
        });
        let store = Store::open_read_only(&place.path).unwrap();
        while !is_done.load(Ordering::Acquire) {
            let read = store.read_session(&id).unwrap().unwrap();
            assert!(versions.contains(&read), "{} events", read.events.len());
        }
    });
}

#[test]
fn writers_take_turns() {
    let place = Place::new();
    place.open();
    let write = |path: &Path, writer: u32| {
        let mut store = Store::open(path).unwrap();
        for n in 0..25 {
            store.set_setting(&format!("{writer}/{n}"), "x").unwrap();
        }
    };
    thread::scope(|scope| {
        for writer in 0..4 {
            let path = &place.path;
            scope.spawn(move || write(path, writer));
        }
    });
    assert_eq!(place.open().change_counter().unwrap(), 100);
    assert_eq!(titles(&place.open(), ""), [""; 0]);
}
