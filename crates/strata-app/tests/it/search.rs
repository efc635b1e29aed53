//! Words in everything that is stored.

use std::path::Path;

use serde_json::{Value, json};
use strata_app::{ErrorCode, Host, Options, Strata};

use crate::{ask, refuse, sample, start, wait_until};

fn find(query: &str) -> Value {
    json!({ "query": query, "session": null, "agent": null, "tool": null, "after": null, "limit": 20 })
}

#[test]
fn hits_say_where_they_are_and_what_was_found() {
    let strata = start();
    let session = sample(&strata);
    let page = ask(&strata, "search/find", &find("decimal"));
    let hits = page["hits"].as_array().expect("hits");
    assert!(!hits.is_empty() && hits.iter().all(|hit| hit["session"] == json!(session)), "{page}");
    for hit in hits {
        let number: u32 = hit["address"].as_str().expect("an event")[1..].parse().expect("a number");
        let event = ask(&strata, "event/get", &json!({ "session": session, "event": number }));
        assert_eq!(event["row"]["event"], number);
        let found: Vec<_> =
            hit["snippet"].as_array().expect("pieces").iter().filter(|it| it["isMatch"] == true).collect();
        assert!(
            found
                .iter()
                .all(|it| it["text"].as_str().is_some_and(|it| it.to_lowercase().starts_with("decimal")))
        );
    }
    assert_eq!(page["sessionsLeft"], 0);
    assert!(page["total"].as_u64() > Some(20) && page["next"].is_string(), "there is another page");
}

#[test]
fn an_experiment_is_searched_as_its_session() {
    let strata = start();
    let session = sample(&strata);
    let experiment = ask(&strata, "experiment/create", &json!({ "session": session, "name": "x" }));
    let mut params = find("decimal");
    params["session"] = experiment["row"]["experiment"].clone();
    let within = ask(&strata, "search/find", &params);
    assert_eq!(within["total"], ask(&strata, "search/find", &find("decimal"))["total"]);
}

#[test]
fn a_page_that_never_was_is_refused() {
    let strata = start();
    let mut params = find("decimal");
    params["after"] = json!("never");
    let (code, message) = refuse(&strata, "search/find", &params);
    assert!(matches!(code, ErrorCode::BadInput) && message.contains("first page"), "{message}");
}

#[test]
fn what_an_older_version_stored_is_found_after_a_while() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("strata.db");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-store/tests/fixtures/v2.sql");
    let statements = std::fs::read_to_string(fixture).expect("a fixture");
    let bare = rusqlite::Connection::open(&database).expect("a database");
    bare.execute_batch(&statements).expect("the older version");
    drop(bare);
    let options = Options {
        host: Host::Browser,
        database: Some(database),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    };
    let strata = Strata::start(options).expect("it is brought up to date");
    wait_until(|| ask(&strata, "search/find", &find("quoted"))["sessionsLeft"] == 0);
    assert_eq!(ask(&strata, "search/find", &find("quoted"))["total"], 3);
}
