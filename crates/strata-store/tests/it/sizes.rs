//! How much space the file takes.

use strata_model::{Event, FromJson as _};
use strata_store::{NewEvent, Sizes};

use crate::{Place, import_one, session};

#[test]
fn what_is_in_the_file_adds_up_to_it() {
    let place = Place::new();
    let mut store = place.open();
    let empty = store.sizes().unwrap();
    assert_eq!((empty.sessions, empty.events), (0, 0));
    check(&empty);

    import_one(&mut store, "a", &session("a", 4_000, &"long ".repeat(40)));
    let id = import_one(&mut store, "b", &session("b", 3, "x"));
    let full = store.sizes().unwrap();
    assert_eq!((full.sessions, full.events), (2, 4_003));
    check(&full);
    let of = |sizes: &Sizes, name: &str| sizes.tables.iter().find(|(table, _)| table == name).unwrap().1;
    assert!(of(&full, "events") > of(&empty, "events"));

    store.delete_session(&id).unwrap();
    let fewer = store.sizes().unwrap();
    assert_eq!((fewer.sessions, fewer.events), (1, 4_000));
    check(&fewer);
}

#[track_caller]
fn check(sizes: &Sizes) {
    let of_tables: u64 = sizes.tables.iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(of_tables + sizes.free_bytes, sizes.bytes, "{sizes:?}");
}

/// What a transcript of a coding agent is stored as: events, and the lines they were read from.
#[test]
fn a_store_is_not_larger_than_what_was_read() {
    let place = Place::new();
    let mut store = place.open();
    // A page for each table and index, whatever is stored.
    let empty = store.sizes().unwrap();
    let code = |at: usize| {
        let line = |n: usize| {
            format!("{n}\\tlet value_{} = read(\\\"{}\\\");\\n", (at * 31 + n * 7) % 997, at * n % 89)
        };
        (0..60).map(line).collect::<String>()
    };
    let recorded = crate::session_of((0..1_500).map(code));
    let lines: Vec<String> = recorded.events.iter().map(|event| line_of(event.as_ref())).collect();
    let n_bytes: usize = lines.iter().map(String::len).sum();
    let mut import = store.begin_import(crate::source("a.jsonl")).unwrap();
    let mut recording = import.open_recording().unwrap();
    for (events, lines) in recorded.events.chunks(1_000).zip(lines.chunks(1_000)) {
        let events: Vec<NewEvent<'_>> = events
            .iter()
            .zip(lines)
            .map(|(event, line)| NewEvent { event, records: vec![crate::span(0, 1, Some(line.as_bytes()))] })
            .collect();
        import.append(&mut recording, &events).unwrap();
    }
    import.close_recording(recording, &recorded, crate::listing("A")).unwrap();
    let id = import.commit(&[]).unwrap().remove(0).id;
    let sizes = store.sizes().unwrap();
    assert!(n_bytes > 3_000_000);
    assert!(
        (sizes.bytes - empty.bytes) as usize <= n_bytes + n_bytes / 10,
        "{} of {n_bytes}: {:?}",
        sizes.bytes,
        sizes.tables
    );
    for seq in [0, 777, 1_499] {
        let records = store.source_records(&id, seq).unwrap().unwrap();
        assert_eq!(records[0].bytes.as_deref(), Some(lines[seq as usize].as_bytes()));
    }
}

/// The event as a tool writes it.
fn line_of(event: &Event) -> String {
    format!(
        r#"{{"type":"user","cwd":"/home/ada/garden","version":"2.1.62","message":{}}}"#,
        strata_model::json::to_compact(&event.to_json())
    )
}
