//! What is opened, what is created, what is refused, and how that is said.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use strata_store::{SCHEMA_VERSION, Store, StoreError};

use crate::{Place, events, import_one, is_running_as_root, listing, session, source, span, titles};

const SHORT: Duration = Duration::from_millis(30);

fn refusal(path: &Path) -> StoreError {
    Store::open(path).unwrap_err()
}

#[test]
fn a_new_file_is_created_and_opened_again() {
    let place = Place::new();
    let mut store = place.open();
    assert_eq!(store.path(), Some(&*place.path));
    import_one(&mut store, "a.json", &session("s", 2, "x"));
    drop(store);
    assert_eq!(titles(&place.open(), ""), ["Session s"]);
    let names = std::fs::read_dir(place.folder.path()).unwrap().map(|file| file.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["strata.db", "strata.db.imports"], "the log is folded in by the last to close");
}

#[cfg(unix)]
#[test]
fn a_new_file_can_be_read_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let _store = place.open();
    for name in ["strata.db", "strata.db-wal", "strata.db-shm"] {
        let metadata = std::fs::metadata(place.folder.path().join(name)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{name}");
    }
}

#[test]
fn settings_of_sqlite_are_as_documented() {
    let place = Place::new();
    let mut store = place.open();
    store.set_setting("a", "b").unwrap();
    let connection = place.bare();
    let pragma = |name: &str| {
        connection.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0)).unwrap()
    };
    assert_eq!(pragma("journal_mode"), "wal".to_owned().into());
    assert_eq!(pragma("page_size"), 32_768.into());
    assert_eq!(pragma("user_version"), i64::from(SCHEMA_VERSION).into());
    assert_eq!(pragma("application_id"), 0x5354_5241.into());
}

#[test]
fn a_database_in_memory_needs_no_file() {
    let mut store = Store::in_memory().unwrap();
    assert_eq!(store.path(), None);
    let id = import_one(&mut store, "a.json", &session("s", 2, "x"));
    assert_eq!(store.read_session(&id).unwrap().unwrap().events.len(), 2);
    assert!(store.delete_session(&id).unwrap());
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let place = Place::new();
    import_one(&mut place.open(), "a.json", &session("s", 2, "x"));
    place.bare().pragma_update(None, "user_version", 99).unwrap();
    let before = std::fs::read(&place.path).unwrap();
    for error in [refusal(&place.path), Store::open_read_only(&place.path).unwrap_err()] {
        assert!(matches!(error, StoreError::Newer { found: 99, known: SCHEMA_VERSION, .. }));
        assert_eq!(
            error.to_string(),
            format!(
                "{} was written by a newer Strata: its format is version 99, this Strata knows versions up to \
                 {SCHEMA_VERSION}. Nothing in it was changed. Open it with a newer Strata, or choose another file.",
                place.path.display()
            )
        );
    }
    assert!(std::fs::read(&place.path).unwrap() == before);
}

#[test]
fn a_file_that_is_not_sqlite_is_refused_and_left_alone() {
    let place = Place::new();
    let text = "{\"id\": \"s1\", \"events\": []}".repeat(100);
    std::fs::write(&place.path, &text).unwrap();
    for error in [refusal(&place.path), Store::open_read_only(&place.path).unwrap_err()] {
        assert_eq!(
            error.to_string(),
            format!(
                "{} is not a Strata database: it is not an SQLite file. It was not changed. Choose another file.",
                place.path.display()
            )
        );
    }
    assert_eq!(std::fs::read_to_string(&place.path).unwrap(), text);
}

#[test]
fn a_database_of_another_program_is_refused_and_left_alone() {
    let place = Place::new();
    place
        .bare()
        .execute_batch("CREATE TABLE sessions (id TEXT); INSERT INTO sessions VALUES ('s1')")
        .unwrap();
    let before = std::fs::read(&place.path).unwrap();
    let error = refusal(&place.path);
    assert!(matches!(error, StoreError::NotAStore { reason: "it is a database of another program", .. }));
    assert!(std::fs::read(&place.path).unwrap() == before);
    assert!(!place.path.with_added_extension("imports").exists());
}

#[test]
fn an_empty_file_becomes_a_database_unless_it_may_only_be_read() {
    let place = Place::new();
    std::fs::write(&place.path, "").unwrap();
    let error = Store::open_read_only(&place.path).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore { reason: "it is empty", .. }));
    place.open();
    Store::open_read_only(&place.path).unwrap();
}

#[test]
fn a_path_that_cannot_be_opened_says_why() {
    let place = Place::new();
    let missing_folder = place.folder.path().join("none/strata.db");
    for (path, error) in [
        (&*missing_folder, refusal(&missing_folder)),
        (place.folder.path(), refusal(place.folder.path())),
        (&*place.path, Store::open_read_only(&place.path).unwrap_err()),
    ] {
        let message = error.to_string();
        assert!(matches!(error, StoreError::CannotOpen { .. }), "{message}");
        assert!(
            message
                .starts_with(&format!("{} cannot be opened: unable to open database file", path.display()))
        );
        assert!(message.ends_with(
            "Nothing was created or changed. Check that the folder exists and that you may write in it, or choose \
             another file."
        ));
    }
    assert!(!place.path.exists() && !missing_folder.exists());
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_only_be_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let folder = place.folder.path().join("locked");
    std::fs::create_dir(&folder).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    // Permissions do not stop root; nobody creates files in /proc.
    let folder = if is_running_as_root(&folder) { Path::new("/proc/self").to_owned() } else { folder };
    let error = refusal(&folder.join("strata.db"));
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error}");
}

#[test]
fn reading_only_reads_and_says_so_when_asked_to_write() {
    let place = Place::new();
    let id = import_one(&mut place.open(), "a.json", &session("s", 2, "x"));
    let mut store = Store::open_read_only(&place.path).unwrap();
    assert_eq!(store.read_session(&id).unwrap().unwrap().events.len(), 2);
    let error = store.set_setting("theme", "dark").unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly(_)));
    assert_eq!(
        error.to_string(),
        "the Strata database can only be read: the file, its folder or this way of opening it does not allow \
         writing. Nothing was changed. Allow writing, or copy the file to a folder where you may write."
    );
    assert!(matches!(store.delete_session(&id).unwrap_err(), StoreError::ReadOnly(_)));
    assert!(matches!(
        store.begin_import(source("b")).unwrap().open_recording().unwrap_err(),
        StoreError::ReadOnly(_)
    ));
    drop(store);
    assert_eq!(titles(&place.open(), "").len(), 1);
}

#[test]
fn a_database_that_stays_locked_is_reported_after_waiting() {
    let place = Place::new();
    place.open();
    let mut store = Store::open_with_timeout(&place.path, SHORT).unwrap();
    let other = place.bare();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.set_setting("theme", "dark").unwrap_err();
    assert!(matches!(error, StoreError::Locked(_)));
    assert_eq!(
        error.to_string(),
        "the Strata database is being written by another program that did not finish in time. Nothing of this was \
         stored, and everything stored before is as it was. Try again; if it stays like this, close other Strata \
         windows and commands."
    );
    assert_eq!(store.setting("theme").unwrap(), None, "reading does not wait for a writer");
    other.execute_batch("ROLLBACK").unwrap();
    store.set_setting("theme", "dark").unwrap();
}

#[test]
fn a_file_that_another_program_holds_for_itself_is_reported_as_locked() {
    let place = Place::new();
    place.open();
    let other = place.bare();
    other.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").unwrap();
    let error = Store::open_with_timeout(&place.path, SHORT).unwrap_err();
    assert!(matches!(error, StoreError::Locked(_)), "{error}");
}

#[test]
fn an_import_that_meets_a_lock_can_go_on_after_it() {
    let place = Place::new();
    place.open();
    let mut store = Store::open_with_timeout(&place.path, SHORT).unwrap();
    let recorded = session("s", 4, "x");
    let mut import = store.begin_import(source("a.json")).unwrap();
    let mut recording = import.open_recording().unwrap();
    let mut events = events(&recorded);
    for event in &mut events {
        event.records.push(span(0, 3, Some(b"raw")));
    }
    import.append(&mut recording, &events[..1]).unwrap();
    let other = Connection::open(&place.path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(import.append(&mut recording, &events[1..3]).unwrap_err(), StoreError::Locked(_)));
    other.execute_batch("COMMIT").unwrap();
    import.append(&mut recording, &events[1..]).unwrap();
    import.close_recording(recording, &recorded, listing("A")).unwrap();
    let id = import.commit(&[]).unwrap().remove(0).id;
    assert_eq!(store.read_session(&id).unwrap().unwrap(), recorded);
    assert_eq!(store.session_entry(&id).unwrap().unwrap().n_events, 4);
}
