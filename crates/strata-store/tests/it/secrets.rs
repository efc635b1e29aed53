//! What is never written to the file.

use strata_model::Fingerprint;
use strata_store::{AppConfig, AppConfigOrigin, Listing, NewEvent, SearchQuery, Store, StoreError};

use crate::{Place, import_one, listing, session, source, span, titles};

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
