//! How much space the file takes.

use strata_store::Sizes;

use crate::{Place, import_one, session};

#[test]
fn what_is_in_the_file_adds_up_to_it() {
    let place = Place::new();
    let mut store = place.open();
    let empty = store.sizes().unwrap();
    assert_eq!((empty.sessions, empty.events), (0, 0));
    check(&empty);

    import_one(&mut store, "a", &session("a", 400, &"long ".repeat(400)));
    let id = import_one(&mut store, "b", &session("b", 3, "x"));
    let full = store.sizes().unwrap();
    assert_eq!((full.sessions, full.events), (2, 403));
    check(&full);
    let of = |sizes: &Sizes, name: &str| sizes.tables.iter().find(|(table, _)| table == name).unwrap().1;
    assert!(of(&full, "event_json") > of(&empty, "event_json") + 400 * 2_000);

    store.delete_session(&id).unwrap();
    let fewer = store.sizes().unwrap();
    assert_eq!((fewer.sessions, fewer.events), (1, 400));
    check(&fewer);
}

#[track_caller]
fn check(sizes: &Sizes) {
    let of_tables: u64 = sizes.tables.iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(of_tables + sizes.free_bytes, sizes.bytes, "{sizes:?}");
}
