//! The list, pages of events, single events and their sources.

use strata_model::{Fingerprint, FromJson, Json, Object, json};
use strata_store::{EventKinds, Listing, NewEvent, RawRecord, RecordPlace, SessionId, Source, StoredRecord};

use crate::{Place, import_one, listing, session, session_from, source, span, stage, titles};

#[test]
fn the_list_shows_the_most_recent_first_and_filters_by_words() {
    let place = Place::new();
    let mut store = place.open();
    let mut ids = Vec::new();
    for (minute, title) in ["Flüge nach Oslo", "Billing errors", "Oslo billing"].into_iter().enumerate() {
        let location = format!("{title}.json");
        let source = Source { imported_at_ms: 1_000 + minute as i64, ..source(&location) };
        let mut import = store.begin_import(source).unwrap();
        stage(&mut import, &session("s", 1, "x"), listing(title));
        ids.push(import.commit(&[]).unwrap().remove(0).id);
    }
    assert_eq!(titles(&store, ""), ["Oslo billing", "Billing errors", "Flüge nach Oslo"]);
    assert_eq!(titles(&store, "BILLING oslo"), ["Oslo billing"]);
    assert_eq!(titles(&store, "FLÜGE"), ["Flüge nach Oslo"]);
    assert_eq!(titles(&store, ids[1].as_str()), ["Billing errors"]);
    assert_eq!(titles(&store, "errors.json"), ["Billing errors"], "the location is searched");
    assert_eq!(titles(&store, "100%"), [""; 0]);

    store.mark_opened(&ids[0], 2_000).unwrap();
    assert_eq!(titles(&store, ""), ["Flüge nach Oslo", "Oslo billing", "Billing errors"]);
    let page = store.sessions("", 1..2).unwrap();
    assert_eq!((page.total, page.entries.len(), &*page.entries[0].title), (3, 1, "Oslo billing"));
}

#[test]
fn recent_sessions_are_those_that_were_opened() {
    let place = Place::new();
    let mut store = place.open();
    let ids = ["a", "b", "c"].map(|name| import_one(&mut store, name, &session(name, 1, "x")));
    assert_eq!(store.recent_sessions(10).unwrap(), []);
    assert!(store.mark_opened(&ids[1], 10).unwrap());
    assert!(store.mark_opened(&ids[0], 20).unwrap());
    assert!(!store.mark_opened(&SessionId::from("none"), 30).unwrap());
    let recent = |limit| store.recent_sessions(limit).unwrap().into_iter().map(|entry| entry.id);
    assert!(recent(10).eq([ids[0].clone(), ids[1].clone()]));
    assert!(recent(1).eq([ids[0].clone()]));
}

#[test]
fn an_entry_says_what_was_imported() {
    let place = Place::new();
    let mut store = place.open();
    let imported = session("s1", 5, "hello");
    let summary = Json::Object(Object::from_iter([("calls", Json::Int(4))]));
    let mut import = store.begin_import(source("a.json")).unwrap();
    stage(&mut import, &imported, Listing { summary: summary.clone(), ..listing("A") });
    let id = import.commit(&[]).unwrap().remove(0).id;

    let entry = store.session_entry(&id).unwrap().unwrap();
    let texts: Vec<String> = (0..5).map(|seq| store.event_json(&id, seq).unwrap().unwrap()).collect();
    assert_eq!((&*entry.adk_id, &*entry.app_name, &*entry.user_id), ("s1", "app", "ada"));
    assert_eq!((&*entry.location, &*entry.title, &*entry.format), ("a.json", "A", "ADK session"));
    assert_eq!((entry.summary, entry.n_events), (summary, 5));
    assert_eq!(entry.json_bytes, texts.iter().map(|text| text.len() as u64).sum::<u64>());
    assert_eq!((entry.last_update_time, entry.imported_at_ms), (1_700_000_000.5, 1_700_000_100_000));
    let content =
        texts.iter().fold(Fingerprint::default(), |all, text| all.then(Fingerprint::of(text.as_bytes())));
    assert_eq!(entry.content, content);
    assert_eq!(store.session_entry(&SessionId::from("none")).unwrap(), None);
}

#[test]
fn equal_recordings_have_equal_content_whatever_they_came_from() {
    let place = Place::new();
    let mut store = place.open();
    let ids = [("a", "x"), ("b", "x"), ("c", "y")]
        .map(|(location, text)| import_one(&mut store, location, &session("s", 2, text)));
    let content = ids.map(|id| store.session_entry(&id).unwrap().unwrap().content);
    assert_eq!(content[0], content[1]);
    assert_ne!(content[0], content[2]);
}

#[test]
fn a_page_holds_the_rows_asked_for() {
    let place = Place::new();
    let mut store = place.open();
    let imported = session("s1", 10, "hello");
    let id = import_one(&mut store, "a.json", &imported);
    let seqs = |range| store.event_rows(&id, range).unwrap().iter().map(|row| row.seq).collect::<Vec<_>>();
    assert_eq!(seqs(3..6), [3, 4, 5]);
    assert_eq!(seqs(8..100), [8, 9]);
    assert_eq!(seqs(10..20), [0; 0]);
    assert_eq!(store.event_rows(&SessionId::from("none"), 0..10).unwrap(), []);

    let row = &store.event_rows(&id, 4..5).unwrap()[0];
    assert_eq!((&*row.id, &*row.invocation_id, &*row.author), ("s1-4", "i1", "user"));
    assert_eq!((row.branch.as_deref(), row.timestamp, row.kinds), (None, 4.25, EventKinds::TEXT));
    assert_eq!(row.json_bytes as usize, store.event_json(&id, 4).unwrap().unwrap().len());
    assert_eq!(store.event_seq(&id, "s1-7").unwrap(), Some(7));
    assert_eq!(store.event_seq(&id, "s1-70").unwrap(), None);
    assert_eq!(store.event_json(&id, 10).unwrap(), None);
}

#[test]
fn rows_say_what_an_event_holds() {
    let place = Place::new();
    let mut store = place.open();
    let kinds_of = |store: &mut _, event: &str| {
        let session = session_from(&format!(r#"{{"id":"s","events":[{event}]}}"#));
        let id = import_one(store, "a", &session);
        store.event_rows(&id, 0..1).unwrap()[0].kinds
    };
    for (event, kinds) in [
        (
            r#"{"content":{"parts":[{"text":"t","thought":true},{"text":"u"}]}}"#,
            EventKinds::THOUGHT | EventKinds::TEXT,
        ),
        (
            r#"{"content":{"parts":[{"functionCall":{"name":"f"}}]},"usageMetadata":{}}"#,
            EventKinds::FUNCTION_CALL | EventKinds::USAGE,
        ),
        (
            r#"{"content":{"parts":[{"functionResponse":{"name":"f"}}]},"errorCode":"E"}"#,
            EventKinds::FUNCTION_RESPONSE | EventKinds::ERROR,
        ),
        (
            r#"{"content":{"parts":[{"inlineData":{"data":"AA=="}},{"executableCode":{"code":"1"}}]}}"#,
            EventKinds::MEDIA | EventKinds::CODE,
        ),
        (
            r#"{"actions":{"stateDelta":{"a":1},"artifactDelta":{"f":0},"transferToAgent":"b"}}"#,
            EventKinds::STATE | EventKinds::ARTIFACT | EventKinds::TRANSFER,
        ),
        (
            r#"{"actions":{"rewindBeforeInvocationId":"i"},"partial":true}"#,
            EventKinds::REWIND | EventKinds::PARTIAL,
        ),
        (
            r#"{"actions":{"compaction":{"startTimestamp":1.0,"endTimestamp":2.0,"compactedContent":{}}}}"#,
            EventKinds::COMPACTION,
        ),
        (r#"{"content":{"parts":[]}}"#, EventKinds::empty()),
    ] {
        assert_eq!(kinds_of(&mut store, event), kinds, "{event}");
    }
}

#[test]
fn the_source_of_an_event_is_kept_once() {
    let place = Place::new();
    let mut store = place.open();
    let imported = session("s1", 5, "hello");
    let json_of_first = json::to_compact(&imported.events[0].to_json());
    let line: &[u8] = br#"{"type":"turn","messages":["hello 1","hello 2"]}"#;
    let row = RecordPlace::Row { table: "events".into(), id: "it's \"e4\"".into() };
    let records = [
        vec![span(0, 300, Some(json_of_first.as_bytes()))],
        vec![span(301, 349, Some(line))],
        vec![span(301, 349, Some(line)), span(350, 360, None), span(400, 448, Some(line))],
        vec![RawRecord { place: row, bytes: Some(b"row") }],
        vec![],
    ];
    let events: Vec<_> = imported
        .events
        .iter()
        .zip(&records)
        .map(|(event, records)| NewEvent { event, records: records.clone() })
        .collect();
    let mut import = store.begin_import(source("a.jsonl")).unwrap();
    let mut recording = import.open_recording().unwrap();
    import.append(&mut recording, &events[..2]).unwrap();
    import.append(&mut recording, &events[2..]).unwrap();
    import.close_recording(recording, &imported, listing("A")).unwrap();
    let id = import.commit(&[]).unwrap().remove(0).id;

    for (seq, given) in records.iter().enumerate() {
        let stored = store.source_records(&id, seq as u32).unwrap().unwrap();
        let given = given.iter().map(|record| StoredRecord {
            place: record.place.clone(),
            bytes: record.bytes.map(<[u8]>::to_vec),
        });
        assert!(stored.iter().cloned().eq(given), "event {seq}: {stored:?}");
    }
    assert_eq!(store.source_records(&id, 5).unwrap(), None);
    assert_eq!(place.stored_rows()[3], 2, "equal bytes once, the event's own JSON never");
}
