//! What providers say by themselves of prefixes that were missed, read from answers in their dialects.

use std::collections::BTreeMap;

use strata_model::json;
use strata_wire::CacheVerdict;
use strata_wire::message::{Reader, ToolNames};

fn read(body: &str) -> (Option<CacheVerdict>, BTreeMap<String, u64>) {
    let mut unread = BTreeMap::new();
    let body = json::parse(body.as_bytes()).expect("JSON");
    let mut tools = ToolNames::default();
    let answer = Reader { tools: &mut tools, unread: &mut unread }.answer(body);
    (answer.cache_verdict, unread)
}

#[track_caller]
fn check(body: &str, expected: Option<(&str, Option<u64>)>) {
    let (verdict, unread) = read(body);
    let said = verdict.as_ref().map(|verdict| (&*verdict.reason, verdict.missed_tokens));
    assert_eq!(said, expected);
    assert_eq!(verdict.as_ref().and_then(|verdict| CacheVerdict::from_json(&verdict.to_json())), verdict);
    assert_eq!(unread, BTreeMap::new());
}

#[test]
fn anthropic_names_what_changed() {
    let answer = |diagnostics: &str| {
        format!(
            r#"{{"id":"msg_1","type":"message","role":"assistant","content":[],"diagnostics":{diagnostics}}}"#
        )
    };
    let changed = r#"{"cache_miss_reason":{"type":"tools_changed","cache_missed_input_tokens":12345}}"#;
    check(&answer(changed), Some(("tools_changed", Some(12_345))));
    let unknown = r#"{"cache_miss_reason":{"type":"previous_message_not_found"}}"#;
    check(&answer(unknown), Some(("previous_message_not_found", None)));
    check(&answer(r#"{"cache_miss_reason":null}"#), None);
    check(&answer("null"), None);
}

#[test]
fn openai_says_what_came_of_a_comparison() {
    let answer = |said: &str| {
        format!(r#"{{"id":"resp_1","object":"response","output":[],"prompt_cache_diagnostics":{said}}}"#)
    };
    let missed = r#"{"type":"cache_miss","reason":"input_changed","cache_missed_tokens":2048}"#;
    check(&answer(missed), Some(("input_changed", Some(2_048))));
    check(&answer(r#"{"type":"cache_hit"}"#), Some(("cache_hit", None)));
    check(
        &answer(r#"{"type":"comparison_response_not_found"}"#),
        Some(("comparison_response_not_found", None)),
    );
    let (verdict, unread) =
        read(&answer(r#"{"type":"cache_miss","reason":"new_word","comparison_reusable_tokens":7}"#));
    assert_eq!(verdict.map(|verdict| verdict.reason.to_string()).as_deref(), Some("new_word"));
    assert_eq!(
        unread.into_keys().collect::<Vec<_>>(),
        ["response.prompt_cache_diagnostics.comparison_reusable_tokens"]
    );
}
