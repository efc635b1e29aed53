//! A session that grows is the session imported whole.

use std::fmt::Debug;

use proptest::prelude::*;
use rusqlite::types::Value;
use strata_model::{Diagnostic, Fingerprint, Json, Object, Session, json};
use strata_store::{
    Alignment, Growth, Listing, NewEvent, RecordPlace, RecordedRequest, SearchQuery, SessionId, Store,
};

use crate::{Place, listing, session, source, span};

/// What a source holds of a session when it has so many events: some end otherwise than they go on later.
struct Read {
    session: Session,
    lines: Vec<Vec<u8>>,
    requests: Vec<RecordedRequest>,
}

/// A source with so many events, of which the last few are not finished.
fn read(n_events: usize, n_unfinished: usize) -> Read {
    let mut session = session("s1", n_events, "words of event");
    let from = n_events.saturating_sub(n_unfinished);
    let unfinished = crate::session("s1", n_events, "unfinished words of event");
    session.events.splice(from.., unfinished.events[from..].iter().cloned());
    session.last_update_time = n_events as f64;
    // Two events share a line.
    let line = |nth: usize| {
        let state = if 2 * nth + 2 > from { "unfinished" } else { "done" };
        format!("line {nth} with what was read {state}").into_bytes()
    };
    Read {
        lines: (0..n_events.div_ceil(2)).map(line).collect(),
        requests: (0..n_events).step_by(3).map(|answer| request(answer, answer < from)).collect(),
        session,
    }
}

fn request(answer: usize, is_done: bool) -> RecordedRequest {
    let item =
        |at: usize| Json::from(format!("message {at} {}", "is long enough to stand alone ".repeat(12)));
    let messages: Vec<Json> = (0..=answer).map(item).collect();
    RecordedRequest {
        answer: Some(answer as u32),
        body: Json::Object(Object::from_iter([
            ("messages", Json::Array(messages)),
            ("is_done", Json::Bool(is_done)),
        ])),
        place: RecordPlace::Bytes(0..9),
        alignment: Alignment { shared: answer as u32, ..Alignment::default() },
        added_from: None,
    }
}

/// A line is a hundred bytes.
fn events(read: &Read, from: usize) -> Vec<NewEvent<'_>> {
    let all = read.session.events.iter().enumerate().skip(from);
    all.map(|(at, event)| {
        let place = (at / 2 * 100) as u64;
        NewEvent { event, records: vec![span(place, place + 100, Some(&read.lines[at / 2]))] }
    })
    .collect()
}

fn shown(read: &Read) -> Listing {
    let n_events = read.session.events.len();
    Listing { summary: Json::Int(n_events as i64), ..listing(&format!("A session of {n_events}")) }
}

fn import(store: &mut Store, read: &Read) -> SessionId {
    let mut import = store.begin_import(source("a.jsonl")).unwrap();
    let mut recording = import.open_recording().unwrap();
    import.append(&mut recording, &events(read, 0)).unwrap();
    import.append_requests(&mut recording, &read.requests).unwrap();
    import.close_recording(recording, &read.session, shown(read)).unwrap();
    import.commit(&found(read)).unwrap().remove(0).id
}

fn found(read: &Read) -> Vec<Diagnostic> {
    vec![Diagnostic::info("read", "", format!("{} events", read.session.events.len()))]
}

fn append(store: &mut Store, id: &SessionId, read: &Read, kept: usize) -> bool {
    let source = source("a.jsonl");
    let before = source.content.unwrap();
    store.append(&source, before, &[growth(id, read, kept)], &found(read)).unwrap()
}

/// The first so many events stay, with the requests that they answer.
fn growth<'r>(id: &SessionId, read: &'r Read, kept: usize) -> Growth<'r> {
    let kept_requests = read.requests.iter().filter(|request| request.answer < Some(kept as u32)).count();
    Growth {
        id: id.clone(),
        kept: kept as u32,
        events: events(read, kept),
        kept_requests: kept_requests as u32,
        requests: read.requests[kept_requests..].to_vec(),
        session: &read.session,
        keeps_state: false,
        listing: shown(read),
    }
}

/// Everything there is to read of it.
fn everything(store: &Store, id: &SessionId) -> Vec<String> {
    fn line(value: &impl Debug) -> String {
        format!("{value:?}")
    }
    let session = store.read_session(id).unwrap().unwrap();
    let n_events = session.events.len() as u32;
    let mut all = vec![
        json::to_compact(&session.to_json()),
        line(&store.session_entry(id).unwrap()),
        line(&store.event_rows(id, 0..n_events + 1).unwrap()),
        line(&store.requests(id).unwrap()),
        line(&store.diagnostics("a.jsonl").unwrap()),
        line(&store.source("a.jsonl").unwrap()),
    ];
    all.extend((0..=n_events).map(|seq| line(&store.source_records(id, seq).unwrap())));
    for words in ["unfinished", "words", "session", &n_events.to_string()] {
        let query = SearchQuery { text: words, session: Some(id), limit: 100, ..SearchQuery::default() };
        let hits = store.search(&query).unwrap().hits;
        all.extend(
            hits.into_iter().map(|hit| format!("{:?} {:?}", hit.title, hit.event.map(|event| event.seq))),
        );
    }
    all
}

/// The rows of a table with parts of the only recording, without its number.
fn rows(place: &Place, table: &str) -> Vec<Vec<Value>> {
    let connection = place.bare();
    let mut select = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
    let n_columns = select.column_count();
    let row = |row: &rusqlite::Row<'_>| (1..n_columns).map(|at| row.get(at)).collect();
    select.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn what_grew_is_what_is_imported_whole(
        sizes in prop::collection::vec((0..12_usize, 0..3_usize), 1..6),
        is_traced in any::<bool>(),
    ) {
        let (grown, whole) = (Place::new(), Place::new());
        let (mut a, mut b) = (grown.open(), whole.open());
        let (mut n_events, mut n_unfinished) = (2, 1);
        let id = import(&mut a, &read(n_events, n_unfinished));
        prop_assert_eq!(&import(&mut b, &read(n_events, n_unfinished)), &id);
        if is_traced {
            for store in [&mut a, &mut b] {
                prop_assert!(store.add_requests(&id, "trace.jsonl", &[request(1, true)]).unwrap());
            }
        }
        for (more, unfinished) in sizes {
            let n_done = n_events - n_unfinished.min(n_events);
            (n_events, n_unfinished) = (n_events + more, unfinished);
            // What is done may be opened again. Two events share a line, and what was read of it.
            let kept = n_done.min(n_events - n_unfinished.min(n_events)) / 2 * 2;
            let now = read(n_events, n_unfinished);
            let looked = a.read_session_after(&id, &[]).unwrap().unwrap();
            prop_assert!(append(&mut a, &id, &now, kept));
            import(&mut b, &now);
            let later = a.read_session_after(&id, &looked.marks).unwrap().unwrap();
            prop_assert!(later.n_known >= kept, "{} of {} stayed", later.n_known, kept);
            let known = looked.session.events[..later.n_known].iter().cloned();
            let events: Vec<_> = known.chain(later.session.events).collect();
            let all = a.read_session_after(&id, &[]).unwrap().unwrap();
            prop_assert_eq!((events, later.marks), (all.session.events, all.marks));
            for (grown, whole) in everything(&a, &id).iter().zip(&everything(&b, &id)) {
                prop_assert_eq!(grown, whole);
            }
        }
        prop_assert_eq!(everything(&grown.open(), &id), everything(&whole.open(), &id), "reopened");
        prop_assert_eq!(grown.stored_rows(), whole.stored_rows());
        for table in ["events", "states", "requests"] {
            prop_assert_eq!(rows(&grown, table), rows(&whole, table), "{}", table);
        }
    }
}

#[test]
fn what_others_wrote_meanwhile_is_seen() {
    let place = Place::new();
    let (mut one, mut other) = (place.open(), place.open());
    let id = import(&mut one, &read(4, 0));
    assert!(append(&mut one, &id, &read(7, 0), 4));
    assert!(append(&mut other, &id, &read(10, 0), 7), "by another handle");
    assert!(append(&mut one, &id, &read(13, 0), 10), "and by the first again");
    assert!(other.add_requests(&id, "trace.jsonl", &[request(1, false)]).unwrap());
    assert!(append(&mut one, &id, &read(16, 0), 13), "behind what was added");
    let traced = one.requests(&id).unwrap();
    let (own, added) = traced.split_at(traced.len() - 1);
    assert_eq!(own, read(16, 0).requests);
    assert_eq!(added[0].body, request(1, false).body);
    assert!(append(&mut one, &id, &read(6, 0), 6), "it was cut off");
    assert!(append(&mut one, &id, &read(19, 0), 6), "and went on");
    assert_eq!(one.requests(&id).unwrap()[..7], read(19, 0).requests);
}

#[test]
fn pieces_that_were_masked_to_the_same_text_stay_apart() {
    let place = Place::new();
    let mut store = place.open();
    let with_key = |nth: usize| {
        let key = format!("sk-ant-api03-{}", format!("a{nth}B2c3D4e5").repeat(9));
        let messages = (0..=nth).map(|at| Json::from(format!("message with {key} {at}"))).collect();
        let body = Json::Object(Object::from_iter([("messages", Json::Array(messages))]));
        RecordedRequest { body, ..request(3 * nth, true) }
    };
    let with_keys = |n: usize| Read { requests: (0..n.div_ceil(3)).map(with_key).collect(), ..read(n, 0) };
    let id = import(&mut store, &with_keys(7));
    store.mask_secrets_of(&id).unwrap();
    while store.index_some().unwrap() {}
    let masked = store.requests(&id).unwrap();
    assert!(append(&mut store, &id, &with_keys(10), 7));
    let all = store.requests(&id).unwrap();
    assert_eq!(all[..3], masked);
    assert_eq!(all[3].body, with_key(3).body);
}

#[test]
fn what_is_written_otherwise_is_not_known() {
    let place = Place::new();
    let mut store = place.open();
    let data = |json: &str| {
        let mut read = read(6, 0);
        let event = std::sync::Arc::make_mut(&mut read.session.events[2]);
        event.actions.state_delta = Object::from_iter([("data", json::parse(json.as_bytes()).unwrap())]);
        read
    };
    let id = import(&mut store, &data(r#"{"a": 1, "b": 2}"#));
    let marks = store.read_session_after(&id, &[]).unwrap().unwrap().marks;
    let mut n_known = |json: &str| {
        import(&mut store, &data(json));
        store.read_session_after(&id, &marks).unwrap().unwrap().n_known
    };
    assert_eq!(n_known(r#"{"a": 1, "b": 2}"#), 6);
    assert_eq!(n_known(r#"{"b": 2, "a": 1}"#), 2);
    assert_eq!(n_known(r#"{"a": 1.0, "b": 2}"#), 2);
}

#[test]
fn what_is_not_as_expected_is_left_alone() {
    let place = Place::new();
    let mut store = place.open();
    let id = import(&mut store, &read(4, 0));
    let before = everything(&store, &id);
    assert!(!append(&mut store, &id, &read(9, 0), 5), "it has four events");
    let other = SessionId::from("0123456789abcdef");
    assert!(!append(&mut store, &other, &read(9, 0), 4), "there is no such session");
    assert_eq!(everything(&store, &id), before);
}

#[test]
fn another_content_of_the_source_is_left_alone() {
    let place = Place::new();
    let mut store = place.open();
    let id = import(&mut store, &read(4, 0));
    let other = Fingerprint::of(b"what somebody else imported");
    let now = read(6, 0);
    assert!(!store.append(&source("a.jsonl"), other, &[growth(&id, &now, 4)], &[]).unwrap());
    assert_eq!(store.read_session(&id).unwrap().unwrap().events.len(), 4);
}

#[test]
fn a_recording_of_an_older_version_is_left_alone() {
    let place = Place::new();
    let id = import(&mut place.open(), &read(5, 1));
    place.bare().execute("UPDATE events SET content = NULL", []).unwrap();
    assert!(!append(&mut place.open(), &id, &read(8, 0), 4));
}

#[test]
fn what_is_withheld_is_counted_over_all_of_it() {
    let place = Place::new();
    let mut store = place.open();
    let secret = |at: usize| format!("line {at} sk-ant-api03-{}", "a1B2c3D4e5".repeat(9)).into_bytes();
    let with_keys = |n: usize| Read { lines: (0..n.div_ceil(2)).map(secret).collect(), ..read(n, 0) };
    let id = import(&mut store, &with_keys(4));
    let n_withheld = |store: &Store| store.diagnostics("a.jsonl").unwrap().last().unwrap().message.clone();
    assert!(n_withheld(&store).contains("left out: 4"), "{}", n_withheld(&store));
    assert!(append(&mut store, &id, &with_keys(8), 3));
    assert!(n_withheld(&store).contains("left out: 8"), "{}", n_withheld(&store));
}
