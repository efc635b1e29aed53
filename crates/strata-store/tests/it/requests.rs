//! What was really sent stays with its session.

use strata_model::{Fingerprint, Json, json};
use strata_store::{Alignment, RecordPlace, RecordedRequest, SessionId, Store};

use crate::{Place, events, import_one, listing, session, source};

fn request(answer: Option<u32>, messages: usize) -> RecordedRequest {
    let texts = (0..messages).map(|at| Json::from(format!("message {at}")));
    let mut body = strata_model::Object::new();
    body.push("model", "m");
    body.push("messages", texts.collect::<Vec<_>>());
    RecordedRequest {
        answer,
        body: Json::Object(body),
        place: RecordPlace::Bytes(10..20),
        alignment: Alignment { shared: messages as u32, appended: 1, removed: 0, rewritten: 0 },
        added_from: None,
    }
}

fn import_with(store: &mut Store, n_events: usize, requests: &[RecordedRequest]) -> SessionId {
    let session = session("s1", n_events, "said");
    let mut import = store.begin_import(source("log.jsonl")).unwrap();
    let mut recording = import.open_recording().unwrap();
    import.append(&mut recording, &events(&session)).unwrap();
    for some in requests.chunks(2) {
        import.append_requests(&mut recording, some).unwrap();
    }
    import.close_recording(recording, &session, listing("Log")).unwrap();
    import.commit(&[]).unwrap().remove(0).id
}

#[test]
fn requests_are_read_back_in_their_order() {
    let place = Place::new();
    let requests = [request(Some(1), 1), request(None, 2), request(Some(3), 3)];
    let id = import_with(&mut place.open(), 4, &requests);
    assert_eq!(place.open().requests(&id).unwrap(), requests);
    assert_eq!(place.open().requests(&SessionId::from("nothing")).unwrap(), []);
}

#[test]
fn what_requests_share_is_kept_once() {
    let place = Place::new();
    let requests: Vec<_> = (1..=100).map(|n| request(Some(1), n)).collect();
    import_with(&mut place.open(), 4, &requests);
    let pieces = place.stored_rows()[6];
    assert_eq!(pieces, 100 + 2, "a piece for each message, one before and one behind them");
}

#[test]
fn a_body_that_is_known_by_its_mark_is_not_read_and_another_one_is() {
    let place = Place::new();
    let mut store = place.open();
    let id = import_with(&mut store, 6, &[request(Some(1), 1), request(Some(3), 2)]);
    let marked = |store: &Store, known: &[Fingerprint]| {
        let mut all = Vec::new();
        store.for_each_unknown_body(&id, |mark| known.contains(&mark), |request| all.push(request)).unwrap();
        all
    };
    let first = marked(&store, &[]);
    assert_eq!(first.iter().map(|it| it.answer).collect::<Vec<_>>(), [Some(1), Some(3)]);
    assert_eq!(first[1].body.as_ref(), Some(&request(None, 2).body));
    let marks: Vec<_> = first.iter().map(|it| it.mark).collect();
    assert_ne!(marks[0], marks[1]);
    // What stands in the same place now has pieces of the same numbers.
    let mut other = request(Some(3), 2);
    let Json::Object(body) = &mut other.body else { panic!("a body") };
    body.insert("messages", vec![Json::from("message 0"), Json::from("another")]);
    import_with(&mut store, 6, &[request(Some(1), 1), other.clone(), request(Some(5), 2)]);
    let again = marked(&store, &marks);
    assert_eq!(again[0].body, None);
    assert_eq!((again[1].answer, again[1].body.as_ref()), (Some(3), Some(&other.body)));
    assert_eq!((again[2].mark, &again[2].body), (marks[1], &None), "it was sent before");
    assert_eq!(marked(&store, &[]).iter().filter(|it| it.body.is_some()).count(), 3);
}

#[test]
fn requests_go_with_their_session() {
    let place = Place::new();
    let mut store = place.open();
    let id = import_with(&mut store, 4, &[request(Some(1), 2)]);
    import_with(&mut store, 5, &[request(Some(1), 3)]);
    assert_eq!(store.requests(&id).unwrap(), [request(Some(1), 3)]);
    store.delete_session(&id).unwrap();
    assert_eq!(place.stored_rows(), [0; 8]);
}

#[test]
fn requests_of_another_file_stay_when_the_session_is_imported_again() {
    let place = Place::new();
    let mut store = place.open();
    let id = import_with(&mut store, 4, &[request(Some(1), 1)]);
    let added = |answer, messages| RecordedRequest {
        added_from: Some("trace.json".into()),
        ..request(answer, messages)
    };
    assert!(store.add_requests(&id, "trace.json", &[request(Some(2), 2), request(Some(3), 3)]).unwrap());
    let once = [request(Some(1), 1), added(Some(2), 2), added(Some(3), 3)];
    assert_eq!(store.requests(&id).unwrap(), once);

    store.add_requests(&id, "trace.json", &[request(Some(3), 4)]).unwrap();
    assert_eq!(
        store.requests(&id).unwrap(),
        [request(Some(1), 1), added(Some(3), 4)],
        "in place of the first"
    );

    import_with(&mut store, 6, &[request(Some(1), 1), request(Some(5), 5)]);
    let again = [request(Some(1), 1), request(Some(5), 5), added(Some(3), 4)];
    assert_eq!(store.requests(&id).unwrap(), again);

    import_with(&mut store, 2, &[]);
    assert_eq!(store.requests(&id).unwrap(), [added(None, 4)], "its answer is gone");
    assert!(!store.add_requests(&SessionId::from("nothing"), "trace.json", &[]).unwrap());
}

#[test]
fn bodies_keep_what_python_tells_apart() {
    let place = Place::new();
    let mut store = place.open();
    let id = import_one(&mut store, "plain.json", &session("s2", 2, "said"));
    let text = r#"{"temperature":1.0,"n":1,"big":123456789012345678901234567890,"input":[{"π":"\u0001"}]}"#;
    let body = json::parse(text.as_bytes()).unwrap();
    store.add_requests(&id, "t", &[RecordedRequest { body, ..request(Some(1), 1) }]).unwrap();
    assert_eq!(json::to_compact(&store.requests(&id).unwrap()[0].body), text);
}
