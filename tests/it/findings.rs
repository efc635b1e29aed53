//! Findings: for each rule a session that has what it looks for, and a neighbour that has not.

mod agents;
mod case;
mod compaction;
mod configuration;
mod delegation;
mod history;
mod left_out;
mod prefix;
mod repeated;
mod sample;

use std::collections::BTreeSet;

use case::{Case, Given, all, codes};
use strata_measure::findings::{NOT_DETECTABLE, rules};

fn cases() -> impl Iterator<Item = &'static Case> {
    let tables = [
        prefix::CASES,
        agents::CASES,
        delegation::CASES,
        repeated::CASES,
        compaction::CASES,
        history::CASES,
        configuration::CASES,
    ];
    tables.into_iter().flatten()
}

#[test]
fn every_rule_has_a_case() {
    // Causes that are injected have sessions of their own, with and without each.
    let injected = crate::causes::codes_of_findings();
    let tested: BTreeSet<&str> = cases().map(|case| case.code).chain(injected).collect();
    let known: BTreeSet<&str> = rules().map(|rule| rule.code).collect();
    assert_eq!(known, tested);
    assert_eq!(known.len(), rules().count(), "no code twice");
}

#[test]
fn every_surprise_of_adk_has_a_rule_or_a_reason() {
    let detected: BTreeSet<&str> = rules().flat_map(|rule| rule.surprises).copied().collect();
    let not_detected: BTreeSet<&str> = NOT_DETECTABLE.iter().map(|surprise| surprise.surprise).collect();
    assert!(detected.is_disjoint(&not_detected));
    let accounted: Vec<String> = detected.union(&not_detected).map(|id| (*id).to_owned()).collect();
    assert_eq!(accounted, (1..=52).map(|number| format!("S{number:02}")).collect::<Vec<_>>());
}

#[test]
fn codes_are_kebab_case_and_texts_are_sentences() {
    for rule in rules() {
        let is_kebab = rule.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        assert!(is_kebab, "{}", rule.code);
        assert!(!rule.title.ends_with('.'), "{}", rule.title);
        for text in [rule.meaning, rule.advice] {
            assert!(text.ends_with('.') && !text.contains("  "), "{}: {text}", rule.code);
        }
    }
}

#[test]
fn nothing_is_found_in_a_plain_session() {
    let plain = Given { app: "", session: "user: Hello\ndesk: Hello\nuser: How are you?\ndesk: Fine" };
    assert_eq!(codes(&all(plain)), [] as [&str; 0]);
    let with_tool = Given {
        app: "
            name: desk
            description: Does bills.
            instruction: You do bills.
            tools: [{type: function, declaration: {name: list_bills}}]",
        session: "
            user: What do I owe?
            desk: -> list_bills() #c1
            tool: {\"dentist\": 42}
            desk: 42 EUR
            user: Thanks
            desk: You are welcome.",
    };
    assert_eq!(codes(&all(with_tool)), [] as [&str; 0]);
}
