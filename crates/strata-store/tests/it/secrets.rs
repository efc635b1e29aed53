//! What is never written to the file.

use strata_model::{Diagnostic, Fingerprint, Json, Object, json};
use strata_store::{
    Alignment, AppConfig, AppConfigOrigin, FoundSecrets, Growth, LabRunState, Listing, NewEvent, RecordPlace,
    RecordedRequest, SearchQuery, SessionId, Store, StoreError,
};

use crate::{Place, events, import_one, listing, session, source, span, text, titles};

const KEY: &str = "sk-proj-abcdefghij0123456789ABCDEFGHIJ";

/// Whether the bytes stand anywhere in the database or its log.
fn is_on_disk(place: &Place, needle: &str) -> bool {
    let files = std::fs::read_dir(place.folder.path()).unwrap();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .any(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
}

#[test]
fn source_text_with_an_api_key_is_not_kept() {
    let place = Place::new();
    let mut store = place.open();
    let recorded = session("s", 2, "hello");
    let entry = format!(r#"{{"headers":[{{"name":"Authorization","value":"Bearer {KEY}"}}]}}"#);
    let mut import = store.begin_import(source("a.har")).unwrap();
    let mut recording = import.open_recording().unwrap();
    let events = [
        NewEvent { event: &recorded.events[0], records: vec![span(0, 9, Some(entry.as_bytes()))] },
        NewEvent { event: &recorded.events[1], records: vec![span(9, 12, Some(b"{ }"))] },
    ];
    import.append(&mut recording, &events).unwrap();
    import.close_recording(recording, &recorded, listing("A")).unwrap();
    let id = import.commit(&[]).unwrap().remove(0).id;

    let bytes = [0, 1].map(|seq| store.source_records(&id, seq).unwrap().unwrap().remove(0).bytes);
    assert_eq!(bytes, [None, Some(b"{ }".to_vec())]);
    assert!(!is_on_disk(&place, KEY));
    let found = store.diagnostics("a.har").unwrap();
    assert_eq!(
        found[0].message,
        "source text with an API key is not kept; records left out: 1. Their events were stored, and their \
         places in the source"
    );
}

#[test]
fn a_key_is_no_setting() {
    let place = Place::new();
    let mut store = place.open();
    let error = store.set_setting("provider", &format!(r#"{{"key":"{KEY}"}}"#)).unwrap_err();
    assert!(matches!(error, StoreError::HoldsCredential { .. }));
    assert_eq!(
        error.to_string(),
        "the setting provider was not stored because there seems to be an API key in it. Keys belong in the key \
         store of the operating system."
    );
    assert_eq!(store.setting("provider").unwrap(), None);
    assert!(!is_on_disk(&place, KEY));
}

#[test]
fn an_answer_with_a_key_is_not_kept() {
    let place = Place::new();
    let mut store = place.open();
    let question = Fingerprint::of(b"Which key do I use?");
    let error = store.keep_paid_answer(question, &format!("You use {KEY}.")).unwrap_err();
    assert!(matches!(error, StoreError::HoldsCredential { .. }));
    assert_eq!(store.paid_answer(question).unwrap(), None);
    assert!(!is_on_disk(&place, KEY));
}

#[test]
fn a_configuration_with_a_key_is_refused() {
    let place = Place::new();
    let mut store = place.open();
    let text = format!("model: x\napi_key: {KEY}\n");
    let config = AppConfig {
        origin: AppConfigOrigin::Given,
        format: "yaml".into(),
        text,
        location: Some("app.yaml".into()),
    };
    let id = import_one(&mut store, "a.json", &session("s", 1, "x"));
    assert!(matches!(store.set_app_config(&id, &config).unwrap_err(), StoreError::HoldsCredential { .. }));
    let mut import = store.begin_import(source("b.json")).unwrap();
    let with_config = Listing { app_config: Some(config), ..listing("B") };
    let refused = import.add_session(&session("s", 0, ""), &[], with_config).unwrap_err();
    assert!(matches!(refused, StoreError::HoldsCredential { .. }));
    import.cancel().unwrap();
    assert_eq!(store.app_config(&id).unwrap(), None);
    assert!(!is_on_disk(&place, KEY));
}

#[test]
fn what_was_said_in_a_session_is_kept_as_it_was_said() {
    let place = Place::new();
    let mut store = place.open();
    let recorded = session("s", 1, KEY);
    let id = import_one(&mut store, "a.json", &recorded);
    assert_eq!(store.read_session(&id).unwrap().unwrap().events, recorded.events);
}

#[test]
fn a_title_that_holds_a_key_is_shown_without_it() {
    let place = Place::new();
    let mut store = place.open();
    let mut import = store.begin_import(source("a.json")).unwrap();
    import.add_session(&session("s", 1, "x"), &[], listing(&format!("use {KEY} here"))).unwrap();
    import.commit(&[]).unwrap();
    assert_eq!(titles(&store, ""), ["use ‹redacted: API key› here"]);
}

#[test]
fn what_is_found_of_a_text_holds_no_key_nor_a_piece_of_one() {
    let mut store = Store::in_memory().unwrap();
    import_one(&mut store, "a.json", &session("s", 1, &format!("use {KEY} for the invoice")));
    let snippet = |typed: &str| {
        let page = store.search(&SearchQuery { text: typed, limit: 9, ..SearchQuery::default() }).unwrap();
        page.hits.into_iter().map(|hit| hit.snippet.text).collect::<Vec<_>>()
    };
    assert_eq!(snippet("invoice"), ["use ‹redacted: API key› for the invoice 0"]);
    assert_eq!(snippet("abcdefghij0123456789ABCDEFGHIJ"), snippet("invoice"));
}

const PASSWORD: &str = "hunter2!hunter2";

/// A session that says a key in all places where a session can.
fn telling(store: &mut Store) -> SessionId {
    let said = format!("use {KEY} at\n{KEY} or password={PASSWORD}");
    let mut recorded = session("s", 3, &said.replace('\n', "\\n"));
    recorded.state = Object::from_iter([("api", Json::from(said.as_str()))]);
    let mut import = store.begin_import(source("a.json")).unwrap();
    let mut recording = import.open_recording().unwrap();
    let line = format!("password={PASSWORD}");
    let mut events = events(&recorded);
    events[0].records = vec![span(0, 9, Some(line.as_bytes())), span(9, 11, Some(b"{}"))];
    import.append(&mut recording, &events).unwrap();
    let body = format!(r#"{{"messages":[{{"content":"{KEY}"}},"b"]}}"#);
    let request = RecordedRequest {
        answer: Some(1),
        body: json::parse(body.as_bytes()).unwrap(),
        place: RecordPlace::Bytes(0..5),
        alignment: Alignment::default(),
        added_from: None,
    };
    import.append_requests(&mut recording, &[request]).unwrap();
    import.close_recording(recording, &recorded, listing(&said)).unwrap();
    let id = import.commit(&[Diagnostic::info("odd", "", said.clone())]).unwrap().remove(0).id;
    // Keys are refused in what a person writes, passwords are not.
    let edit = format!(r#"{{"edit":"replace","text":"password={PASSWORD}"}}"#);
    store.create_experiment(&id, "X1", &[edit], 9).unwrap().unwrap();
    let run = store.begin_lab_run(&id, "x1", "{}", 11).unwrap().unwrap();
    store
        .set_lab_run(run, LabRunState::Done, &format!(r#"{{"summary":"password={PASSWORD}"}}"#), 12)
        .unwrap();
    id
}

fn values(found: &FoundSecrets) -> Vec<(&'static str, usize)> {
    found.kinds().collect()
}

#[test]
fn what_looks_like_a_key_is_told_and_masked_for_good() {
    let place = Place::new();
    let mut store = place.open();
    let id = telling(&mut store);
    let other = import_one(&mut store, "b.json", &session("t", 2, "nothing"));
    let found = store.secrets_of(&id).unwrap();
    assert_eq!(values(&found), [("API key", 1), ("password", 1)]);
    assert!(store.secrets_of(&other).unwrap().is_empty());
    assert!(is_on_disk(&place, PASSWORD), "looking changes nothing");

    let before = store.read_session_after(&id, &[]).unwrap().unwrap();
    let changes = store.change_counter().unwrap();
    assert_eq!(store.mask_secrets_of(&id).unwrap(), found);
    assert!(store.mask_secrets_of(&other).unwrap().is_empty());
    assert!(store.change_counter().unwrap() > changes);
    while store.index_some().unwrap() {}
    store.give_back_space().unwrap();
    assert!(store.secrets_of(&id).unwrap().is_empty());
    let after = store.read_session_after(&id, &before.marks).unwrap().unwrap();
    assert_eq!((after.n_known, after.session.events.len()), (0, 3));
    let text = text(&store.read_session(&id).unwrap().unwrap());
    assert!(
        text.contains("use ‹redacted: API key› at\\n‹redacted: API key› or password=‹redacted: password›"),
        "{text}"
    );
    let entry = store.session_entry(&id).unwrap().unwrap();
    let json = [0, 1, 2].map(|seq| store.event_json(&id, seq).unwrap().unwrap().len() as u64);
    assert_eq!(entry.json_bytes, json.iter().sum::<u64>());
    assert_eq!(store.source_records(&id, 0).unwrap().unwrap()[1].bytes.as_deref(), Some(&b"{}"[..]));
    assert_eq!(store.requests(&id).unwrap().len(), 1);
    let search =
        |text| store.search(&SearchQuery { text, limit: 9, ..SearchQuery::default() }).unwrap().total;
    assert_eq!((search("abcdefghij0123456789ABCDEFGHIJ"), search("redacted")), (0, 4));
    for needle in [KEY, PASSWORD, "abcdefghij0123456789abcdefghij"] {
        assert!(!is_on_disk(&place, needle), "{needle}");
    }
}

#[test]
fn what_is_stored_from_then_on_is_masked_until_it_is_kept_again() {
    let place = Place::new();
    let mut store = place.open();
    store.set_masks_secrets(true).unwrap();
    let id = telling(&mut store);
    drop(store);
    let mut store = place.open();
    assert!(store.masks_secrets().unwrap());
    let found = store.secrets_of(&id).unwrap();
    // What a person writes beside a session is what they wrote.
    assert_eq!(values(&found), [("password", 1)]);
    let text = text(&store.read_session(&id).unwrap().unwrap());
    assert!(!text.contains(KEY) && !text.contains(PASSWORD), "{text}");
    assert_eq!(
        store.search(&SearchQuery { text: "hunter2", limit: 9, ..SearchQuery::default() }).unwrap().total,
        0
    );
    store.set_masks_secrets(false).unwrap();
    let kept = import_one(&mut store, "c.json", &session("u", 1, KEY));
    assert_eq!(values(&store.secrets_of(&kept).unwrap()), [("API key", 1)]);
}

#[test]
fn what_a_session_grows_by_is_masked_too() {
    let place = Place::new();
    let mut store = place.open();
    let id = import_one(&mut store, "a.json", &session("s", 2, "nothing to hide"));
    store.set_masks_secrets(true).unwrap();
    let grown = session("s", 3, &format!("password={PASSWORD}"));
    let config = AppConfig {
        origin: AppConfigOrigin::Inferred,
        format: "json".into(),
        text: format!(r#"{{"instruction":"password={PASSWORD}"}}"#),
        location: None,
    };
    let growth = Growth {
        id: id.clone(),
        kept: 2,
        events: events(&grown).split_off(2),
        kept_requests: 0,
        requests: Vec::new(),
        session: &grown,
        keeps_state: false,
        listing: Listing { app_config: Some(config), ..listing(&format!("password={PASSWORD}")) },
    };
    let source = source("a.json");
    assert!(store.append(&source, source.content.unwrap(), &[growth], &[]).unwrap());
    assert_eq!(store.read_session(&id).unwrap().unwrap().events.len(), 3);
    assert!(store.secrets_of(&id).unwrap().is_empty());
    let found = store.search(&SearchQuery { text: "hunter2", limit: 9, ..SearchQuery::default() }).unwrap();
    assert_eq!(found.total, 0);
    assert!(!is_on_disk(&place, PASSWORD));
}
