//! A file that was damaged outside of the program.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use strata_store::{SessionId, Store, StoreError};

use crate::{Place, import_one, session, titles};

const PAGE: u64 = 32 * 1024;

/// A closed database with one session whose events fill many pages.
fn filled() -> (Place, SessionId) {
    let place = Place::new();
    let id = import_one(&mut place.open(), "a.json", &session("s", 400, &"many words ".repeat(100)));
    assert!(std::fs::metadata(&place.path).unwrap().len() > 18 * PAGE);
    (place, id)
}

fn overwrite(path: &Path, page: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(page * PAGE)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn damaged_pages_are_reported_and_the_rest_can_be_read() {
    let (place, id) = filled();
    let last = "SELECT max(pageno) FROM dbstat WHERE name = 'event_json' AND pagetype = 'leaf'";
    let last: u64 = place.bare().query_row(last, [], |row| row.get::<_, i64>(0)).unwrap() as u64;
    overwrite(&place.path, last - 1, &vec![0xA5; PAGE as usize]);
    let store = place.open();
    let error = store.read_session(&id).unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt { .. }));
    assert_eq!(
        error.to_string(),
        "the Strata database is damaged: database disk image is malformed. Nothing was changed; what is not in the \
         damaged place can still be read. Copy the file before anything else, then import the sources again into a \
         new one."
    );
    assert_eq!(titles(&store, ""), ["Session s"]);
    assert!(store.event_json(&id, 0).unwrap().is_some());
}

#[test]
fn text_that_is_no_event_any_more_is_reported() {
    for (json, found) in [("{\"id\":", "stored JSON cannot be read"), ("[1]", "a stored event is an array")] {
        let (place, id) = filled();
        place.bare().execute("UPDATE event_json SET json = ?1 WHERE seq = 7", [json]).unwrap();
        let error = place.open().read_session(&id).unwrap_err();
        assert!(matches!(&error, StoreError::Corrupt { detail } if detail.starts_with(found)), "{error}");
    }
}

#[test]
fn a_file_that_was_cut_off_is_reported() {
    let (place, _) = filled();
    OpenOptions::new().write(true).open(&place.path).unwrap().set_len(6 * PAGE).unwrap();
    let error = Store::open(&place.path).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
}

#[test]
fn a_destroyed_header_is_not_taken_for_a_database() {
    let (place, _) = filled();
    overwrite(&place.path, 0, &[0; 100]);
    assert!(matches!(Store::open(&place.path).unwrap_err(), StoreError::NotAStore { .. }));
}
