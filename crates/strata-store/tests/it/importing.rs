//! Staging, committing, cancelling, importing again.

use strata_model::{Diagnostic, Fingerprint, Severity};
use strata_store::Source;

use crate::{Place, events, import, import_one, listing, session, source, stage, text, titles};

#[test]
fn a_session_appears_when_its_import_commits() {
    let place = Place::new();
    let (mut writer, reader) = (place.open(), place.open());
    let imported = session("s1", 3, "hello");
    let mut import = writer.begin_import(source("a.json")).unwrap();
    stage(&mut import, &imported, listing("A"));
    assert_eq!(titles(&reader, ""), [""; 0]);
    assert_eq!(reader.source("a.json").unwrap(), None);

    let id = import.commit(&[]).unwrap().remove(0).id;

    assert_eq!(titles(&reader, ""), ["A"]);
    assert_eq!(text(&reader.read_session(&id).unwrap().unwrap()), text(&imported));
    assert_eq!(reader.source("a.json").unwrap(), Some(source("a.json")));
}

#[test]
fn cancelling_and_dropping_leave_no_trace() {
    let place = Place::new();
    let mut store = place.open();
    let before = store.change_counter().unwrap();

    let mut import = store.begin_import(source("a.json")).unwrap();
    stage(&mut import, &session("s1", 3, "hello"), listing("A"));
    import.cancel().unwrap();
    let mut import = store.begin_import(source("b.json")).unwrap();
    stage(&mut import, &session("s1", 3, "hello"), listing("B"));
    drop(import);

    assert_eq!(place.stored_rows(), [0; 8]);
    assert_eq!(store.source("a.json").unwrap(), None);
    assert_eq!(store.change_counter().unwrap(), before);
}

#[test]
fn sessions_of_one_source_are_written_side_by_side_and_appear_together() {
    let place = Place::new();
    let mut store = place.open();
    let (one, two) = (session("one", 4, "a"), session("two", 4, "b"));
    let mut import = store.begin_import(source("both.db")).unwrap();
    let (mut first, mut second) = (import.open_recording().unwrap(), import.open_recording().unwrap());
    let dropped = import.open_recording().unwrap();
    for (a, b) in events(&one).chunks(2).zip(events(&two).chunks(2)) {
        import.append(&mut first, a).unwrap();
        import.append(&mut second, b).unwrap();
    }
    drop(dropped);
    import.close_recording(second, &two, listing("Two")).unwrap();
    import.close_recording(first, &one, listing("One")).unwrap();
    let imported = import.commit(&[]).unwrap();

    let read = |at: usize| text(&store.read_session(&imported[at].id).unwrap().unwrap());
    assert_eq!([read(0), read(1)], [text(&one), text(&two)], "in the order they were opened in");
    assert_eq!(place.stored_rows()[0], 2, "the dropped one is gone");
}

#[test]
fn importing_again_replaces_what_the_source_held_and_keeps_the_id() {
    let place = Place::new();
    let mut store = place.open();
    let sessions = [session("s1", 3, "old"), session("s2", 3, "old")];
    let first = import(&mut store, source("a.db"), &sessions);
    assert!(first.iter().all(|session| !session.is_replacement));
    store.mark_opened(&first[0].id, 5).unwrap();

    let longer = session("s1", 5, "new");
    let later = Source { imported_at_ms: 1_700_000_200_000, size_bytes: 2_000, ..source("a.db") };
    let again = import(&mut store, later.clone(), std::slice::from_ref(&longer));

    assert_eq!((&again[0].id, again[0].is_replacement), (&first[0].id, true));
    assert_eq!(text(&store.read_session(&first[0].id).unwrap().unwrap()), text(&longer));
    assert_eq!(store.session_entry(&first[0].id).unwrap().unwrap().opened_at_ms, Some(5));
    assert_eq!(store.source("a.db").unwrap(), Some(later));
    let kept = store.read_session(&first[1].id).unwrap().unwrap();
    assert_eq!(text(&kept), text(&sessions[1]), "what the source holds no more stays");
    assert_eq!(place.stored_rows()[..3], [2, 8, 8], "the replaced events are gone");
}

#[test]
fn an_import_that_is_cancelled_leaves_what_the_source_held_before() {
    let place = Place::new();
    let mut store = place.open();
    let old = session("s1", 3, "old");
    let id = import_one(&mut store, "a.json", &old);
    let mut import = store.begin_import(source("a.json")).unwrap();
    stage(&mut import, &session("s1", 9, "new"), listing("New"));
    import.cancel().unwrap();
    assert_eq!(text(&store.read_session(&id).unwrap().unwrap()), text(&old));
}

#[test]
fn ids_depend_on_the_source_and_on_what_a_session_calls_itself() {
    let place = Place::new();
    let mut store = place.open();
    let same_name = [session("s", 1, "x"), session("s", 1, "y"), session("t", 1, "z")];
    let mut ids: Vec<_> = import(&mut store, source("a"), &same_name).into_iter().map(|s| s.id).collect();
    let again: Vec<_> = import(&mut store, source("a"), &same_name).into_iter().map(|s| s.id).collect();
    assert_eq!(ids, again);
    ids.push(import_one(&mut store, "b", &same_name[0]));
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 4);
    assert!(ids.iter().all(|id| id.as_str().len() == 16));
}

#[test]
fn an_unchanged_source_is_recognised_by_its_content() {
    let place = Place::new();
    let mut store = place.open();
    let id = import_one(&mut store, "a.json", &session("s1", 1, "x"));
    let known = store.source("a.json").unwrap().unwrap();
    assert!(known.looks_unchanged(1_000, 1_700_000_000_000));
    assert!(!known.looks_unchanged(1_001, 1_700_000_000_000));
    assert!(!known.looks_unchanged(1_000, 1_700_000_000_001));
    assert!(known.is_unchanged(Fingerprint::of(b"a.json")));
    assert!(!known.is_unchanged(Fingerprint::of(b"edited within the same millisecond")));
    assert_eq!(store.source_sessions("a.json").unwrap(), [id]);
    assert_eq!(store.source("never seen").unwrap(), None);
}

#[test]
fn a_source_of_which_a_session_was_deleted_counts_as_changed() {
    let place = Place::new();
    let mut store = place.open();
    let sessions = [session("s1", 2, "x"), session("s2", 2, "y")];
    let ids: Vec<_> = import(&mut store, source("a.db"), &sessions).into_iter().map(|s| s.id).collect();
    assert!(store.delete_session(&ids[0]).unwrap());
    let known = store.source("a.db").unwrap().unwrap();
    assert!(
        !known.is_unchanged(Fingerprint::of(b"a.db")) && !known.looks_unchanged(1_000, 1_700_000_000_000)
    );
    assert_eq!(store.source_sessions("a.db").unwrap(), [ids[1].clone()]);

    assert!(store.delete_session(&ids[1]).unwrap());
    assert_eq!(store.source("a.db").unwrap(), None, "nothing is left to know of it");
    assert!(!store.delete_session(&ids[1]).unwrap());
    assert_eq!(place.stored_rows(), [0; 8]);
}

#[test]
fn findings_are_kept_in_order_and_replaced_with_the_source() {
    let place = Place::new();
    let mut store = place.open();
    let import = store.begin_import(source("bad.json")).unwrap();
    let found = [
        Diagnostic::error("truncated", "byte 10", "the file ends in the middle of an event"),
        Diagnostic::warning("odd", "events[1]", "odd"),
        Diagnostic::info("note", "", "note"),
    ];
    assert_eq!(import.commit(&found).unwrap(), []);
    let stored = store.diagnostics("bad.json").unwrap();
    assert_eq!(stored, found.iter().map(Into::into).collect::<Vec<_>>());
    assert_eq!(stored[0].severity, Severity::Error);

    import_one(&mut store, "bad.json", &session("s", 1, "x"));
    assert_eq!(store.diagnostics("bad.json").unwrap(), []);
    assert_eq!(store.diagnostics("never seen").unwrap(), []);
}
