//! Finding events and sessions by words.

use proptest::prelude::*;
use strata_store::{SearchHit, SearchPage, SearchQuery, SessionId, Store};

use crate::{import, import_one, session, session_from, source, text};

fn query(text: &str) -> SearchQuery<'_> {
    SearchQuery { text, limit: 100, ..SearchQuery::default() }
}

/// A session of one event per content, by these authors.
fn talk(adk_id: &str, events: &[(&str, &str)]) -> strata_model::Session {
    let events: Vec<_> = events
        .iter()
        .map(|(author, rest)| {
            format!(r#"{{"id":"e","invocationId":"i","author":"{author}",{rest},"timestamp":1.0}}"#)
        })
        .collect();
    session_from(&format!(
        r#"{{"id":"{adk_id}","appName":"app","userId":"ada","state":{{}},"events":[{}],"lastUpdateTime":1}}"#,
        events.join(",")
    ))
}

fn says(text: &str) -> String {
    format!(r#""content":{{"parts":[{{"text":"{text}"}}]}}"#)
}

/// Each hit as `session E<n> …found…`, with brackets around what was found.
fn told(page: &SearchPage) -> Vec<String> {
    page.hits.iter().map(tell).collect()
}

fn tell(hit: &SearchHit) -> String {
    let mut text = hit.snippet.text.clone();
    for found in hit.snippet.matches.iter().rev() {
        text.insert(found.end, ']');
        text.insert(found.start, '[');
    }
    let event = hit.event.as_ref().map_or("-".to_owned(), |event| format!("E{}", event.seq + 1));
    format!("{} {event} {text}", hit.title)
}

fn find(store: &Store, typed: &str) -> Vec<String> {
    told(&store.search(&query(typed)).unwrap())
}

#[test]
fn an_event_of_any_length_is_found_by_its_first_megabytes() {
    let mut store = Store::in_memory().unwrap();
    let filler = "lorem ipsum ".repeat(400_000);
    let words = format!("first {filler} middle {filler} last");
    import_one(&mut store, "/long.json", &talk("s1", &[("user", &says(&words)), ("user", &says("after"))]));
    let n_found = |typed: &str| store.search(&query(typed)).unwrap().hits.len();
    assert_eq!(["first", "middle", "last", "after"].map(n_found), [1, 1, 0, 1]);
}

#[test]
fn words_are_found_in_all_that_was_said_and_done() {
    let mut store = Store::in_memory().unwrap();
    let call = r#""content":{"parts":[{"functionCall":{"name":"read_file","args":{"path":"src/Größe.rs","lines":[12,4711]}}}]}"#;
    let answer = r#""content":{"parts":[{"functionResponse":{"name":"read_file","response":{"stdout":"Decimal is not defined","found":{"deep":"treasure"}}}},{"inlineData":{"data":"AAAA","mimeType":"image/png","displayName":"chart.png"}}]}"#;
    let acts = r#""actions":{"stateDelta":{"budget":"two hundred"},"artifactDelta":{"report.pdf":1},"transferToAgent":"critic"}"#;
    let recorded = talk(
        "s1",
        &[
            ("user", &says("Fix the invoice totals")),
            ("planner", call),
            ("planner", answer),
            ("planner", acts),
        ],
    );
    import_one(&mut store, "/home/ada/run-7.json", &recorded);

    assert_eq!(find(&store, "invoice"), ["Session s1 E1 Fix the [invoice] totals"]);
    assert_eq!(find(&store, "INVOICE tot"), ["Session s1 E1 Fix the [invoice] [totals]"]);
    assert_eq!(find(&store, "totals invoice missing"), [""; 0]);
    assert_eq!(find(&store, "grosse").len(), 0, "ß is no s");
    assert_eq!(find(&store, "große"), ["Session s1 E2 path src/[Größe].rs lines 12 4711"]);
    assert_eq!(find(&store, "4711"), ["Session s1 E2 path src/Größe.rs lines 12 [4711]"]);
    assert_eq!(find(&store, "treas"), ["Session s1 E3 stdout Decimal is not defined found deep [treasure]"]);
    assert_eq!(find(&store, "read_file"), ["Session s1 E3 [read_file]", "Session s1 E2 [read_file]"]);
    assert_eq!(find(&store, "chart"), ["Session s1 E3 [chart].png"]);
    assert_eq!(find(&store, "report.pdf"), ["Session s1 E4 [report.pdf]"]);
    assert_eq!(find(&store, "hundred"), ["Session s1 E4 budget two [hundred]"]);
    assert_eq!(find(&store, "critic"), ["Session s1 E4 planner [critic]"]);
    assert_eq!(find(&store, "run-7"), ["Session s1 - /home/ada/[run-7].json"]);
    assert_eq!(find(&store, "\"Session s1\""), ["Session s1 - [Session s1] app ada s1"]);
}

#[test]
fn parts_of_sentences_without_spaces_are_found() {
    let mut store = Store::in_memory().unwrap();
    import_one(&mut store, "a", &talk("s", &[("user", &says("請修正發票的總額，謝謝"))]));
    assert_eq!(find(&store, "發票"), ["Session s E1 請修正[發票]的總額，謝謝"]);
    assert_eq!(find(&store, "票發"), [""; 0]);
}

#[test]
fn encoded_bytes_are_passed_over_and_what_stands_around_them_is_found() {
    let mut store = Store::in_memory().unwrap();
    let encoded = "QUJD".repeat(20_000);
    import_one(
        &mut store,
        "a",
        &talk("s", &[("user", &says(&format!("before data:image/png;base64,{encoded} after")))]),
    );
    assert_eq!(find(&store, "after"), ["Session s E1 before data:image/png;base64,… [after]"]);
    assert_eq!(find(&store, "QUJD"), [""; 0]);
}

#[test]
fn results_are_narrowed_by_session_agent_and_tool() {
    let mut store = Store::in_memory().unwrap();
    let call = |name: &str| {
        format!(r#""content":{{"parts":[{{"functionCall":{{"name":"{name}","args":{{"q":"oslo"}}}}}}]}}"#)
    };
    let recorded = talk(
        "s1",
        &[("user", &says("oslo")), ("planner", &call("find")), ("planner_two", &call("find_all"))],
    );
    let id = import_one(&mut store, "a", &recorded);
    import_one(&mut store, "b", &talk("s2", &[("user", &says("oslo again"))]));
    let events = |query: SearchQuery<'_>| -> Vec<Option<u32>> {
        store.search(&query).unwrap().hits.into_iter().map(|hit| hit.event.map(|event| event.seq)).collect()
    };
    assert_eq!(
        events(query("oslo")),
        [Some(0), Some(2), Some(1), Some(0)],
        "the newest session, the last events"
    );
    assert_eq!(events(SearchQuery { session: Some(&id), ..query("oslo") }), [Some(2), Some(1), Some(0)]);
    assert_eq!(events(SearchQuery { agent: Some("planner"), ..query("oslo") }), [Some(1)]);
    assert_eq!(events(SearchQuery { tool: Some("find"), ..query("oslo") }), [Some(1)]);
    assert_eq!(events(SearchQuery { tool: Some("find_all"), agent: Some("user"), ..query("oslo") }), []);
    let nowhere = SessionId::from("0123456789abcdef");
    assert_eq!(events(SearchQuery { session: Some(&nowhere), ..query("oslo") }), []);
}

#[test]
fn pages_follow_one_another_without_gaps() {
    let mut store = Store::in_memory().unwrap();
    import(&mut store, source("a"), &[session("s1", 7, "word"), session("s2", 6, "word")]);
    let whole = store.search(&query("word")).unwrap();
    assert_eq!(
        (whole.hits.len(), whole.total, whole.is_total_capped, whole.has_more),
        (13, 13, false, false)
    );
    let mut hits = Vec::new();
    let mut after = None;
    loop {
        let page = store.search(&SearchQuery { limit: 4, after, ..query("word") }).unwrap();
        after = page.hits.last().map(|hit| hit.place);
        assert_eq!(page.total, 13, "of all pages");
        hits.extend(page.hits);
        if !page.has_more {
            break;
        }
    }
    assert_eq!(hits, whole.hits);
}

#[test]
fn what_is_staged_replaced_or_deleted_is_not_found() {
    let mut store = Store::in_memory().unwrap();
    let id = import_one(&mut store, "a", &session("s1", 3, "first"));
    let mut staged = store.begin_import(source("b")).unwrap();
    crate::stage(&mut staged, &session("s2", 3, "hidden"), crate::listing("Hidden"));
    staged.cancel().unwrap();
    assert_eq!(find(&store, "hidden"), [""; 0]);
    import_one(&mut store, "a", &session("s1", 2, "second"));
    assert_eq!((find(&store, "first").len(), find(&store, "second").len()), (0, 2));
    store.delete_session(&id).unwrap();
    assert_eq!(find(&store, "second"), [""; 0]);
}

#[test]
fn many_matches_are_counted_to_a_limit() {
    let mut store = Store::in_memory().unwrap();
    import_one(&mut store, "a", &session("s1", 1_200, "word"));
    let page = store.search(&SearchQuery { limit: 5, ..query("word") }).unwrap();
    assert_eq!((page.hits.len(), page.total, page.is_total_capped), (5, 1_000, true));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_typed_is_a_query(typed in r#"(\PC|[\x00-\x7f]|["*^():+\-{}]|AND|NOT|NEAR| ){0,24}"#) {
        let mut store = Store::in_memory().unwrap();
        import_one(&mut store, "a", &session("s1", 1, "NEAR and far: a OR b"));
        for (agent, tool) in [(None, None), (Some(&*typed), Some(&*typed))] {
            let found = store.search(&SearchQuery { agent, tool, ..query(&typed) });
            prop_assert!(found.is_ok(), "{:?} gives {:?}", typed, found);
        }
    }

    #[test]
    fn matches_lie_in_the_text_they_are_given_with(said in "(\\PC|[a-z ]){0,80}", typed in "[a-z]{1,3}") {
        let recorded = session("s1", 1, &said.replace(['"', '\\'], " "));
        let mut store = Store::in_memory().unwrap();
        import_one(&mut store, "a", &recorded);
        prop_assert!(!text(&recorded).is_empty());
        for hit in store.search(&query(&typed)).unwrap().hits {
            let mut last = 0;
            for found in hit.snippet.matches {
                prop_assert!(found.start >= last && hit.snippet.text.get(found.clone()).is_some());
                last = found.end;
            }
        }
    }
}
