//! A file that was damaged outside of the program.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use strata_model::{Content, Part};
use strata_store::{SessionId, Store, StoreError};

use crate::{Place, import_one, session, titles};

const PAGE: u64 = 32 * 1024;

/// A closed database with one session whose events fill many pages.
fn filled() -> (Place, SessionId) {
    let place = Place::new();
    let mut recorded = session("s", 400, "");
    let mut random = 1_u64;
    for event in &mut recorded.events {
        Arc::make_mut(event).content =
            Some(Arc::new(Content::new("user", [Part::from_text(noise(&mut random))])));
    }
    let id = import_one(&mut place.open(), "a.json", &recorded);
    assert!(std::fs::metadata(&place.path).unwrap().len() > 18 * PAGE);
    (place, id)
}

/// 3 KB of letters that no packing makes much smaller.
fn noise(random: &mut u64) -> String {
    let mut letter = || {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b' ' + (*random >> 33) as u8 % 64)
    };
    (0..3_000).map(|_| letter()).collect()
}

fn overwrite(path: &Path, page: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(page * PAGE)).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn damaged_pages_are_reported_and_the_rest_can_be_read() {
    let (place, id) = filled();
    // The last page of a pack holds the end of it, and the one before says where that is.
    let last = "SELECT pageno FROM dbstat WHERE name = 'event_packs' AND pagetype = 'overflow'
                ORDER BY pageno DESC LIMIT 1 OFFSET 1";
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
        place.replace_packs(&[json]);
        let error = place.open().read_session(&id).unwrap_err();
        assert!(matches!(&error, StoreError::Corrupt { detail } if detail.starts_with(found)), "{error}");
    }
}

/// A pack says how long it is, what of it and with which checksum: none of that is believed.
#[test]
fn packs_that_are_damaged_are_reported() {
    let good = crate::packed(&["{}"]);
    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let no_lengths = zstd::bulk::compress(&[1, 0], 1).unwrap();
    let long = zstd::bulk::compress(&[&100_u32.to_le_bytes()[..], b"{}"].concat(), 1).unwrap();
    for (length, packed) in [(6, flipped), (5, good.clone()), (1_i64 << 40, good), (2, no_lengths), (6, long)]
    {
        let (place, id) = filled();
        let all = place.bare();
        all.execute("DELETE FROM event_packs WHERE rowid > 1", []).unwrap();
        all.execute("UPDATE event_packs SET last = 0, count = 1, length = ?1, packed = ?2", (length, packed))
            .unwrap();
        let error = place.open().read_session(&id).unwrap_err();
        assert!(
            matches!(&error, StoreError::Corrupt { detail } if detail.starts_with("what was packed together")),
            "{error}"
        );
        assert!(matches!(place.open().event_json(&id, 0).unwrap_err(), StoreError::Corrupt { .. }));
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
