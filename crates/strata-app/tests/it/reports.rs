//! Reports as the window asks for them.

use serde_json::{Value, json};
use strata_app::report::{self, ReportForm, Source};

use crate::samples::Unwatched;
use crate::{ask, sample, start};

fn headings(page: &str) -> Vec<&str> {
    page.split("<h2>").skip(1).filter_map(|rest| rest.split("</h2>").next()).collect()
}

/// Rows of a table of terms.
fn says<'p>(page: &'p str, term: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("<dt>{term}</dt>")).expect("the term");
    rest.split_once("</dd>").expect("what is said of it").0
}

#[test]
fn the_report_of_an_open_session_is_that_of_the_command_line() {
    let strata = start();
    let session = sample(&strata);
    let params = json!({ "session": session, "as": "html", "masksSecrets": true });
    let answer = ask(&strata, "experiment/report", &params);
    assert_eq!(answer["file"], "invoice_triage.html");
    let page = answer["text"].as_str().expect("a page");

    let source = Source { name: "sample".to_owned(), ..Source::default() };
    let read = report::page(&source, None, ReportForm::Html, true, &Unwatched::default()).expect("a page");
    assert_eq!(headings(page), headings(&read.text));
    for term in ["Prompts", "Of these, from a cache", "Cost", "Largest prompt", "Broken prefixes", "Findings"]
    {
        assert_eq!(says(page, term), says(&read.text, term), "{term}");
    }
}

#[test]
fn the_report_of_an_experiment_is_of_the_session_before_and_after() {
    let strata = start();
    let session = sample(&strata);
    let made = ask(&strata, "experiment/create", &json!({ "session": session, "name": "Fewer rows" }));
    let experiment = made["experiment"].as_str().expect("an experiment");
    let edits = json!([{ "edit": "insert_processor", "use": "cap_rows", "params": { "max_rows": 5 } }]);
    ask(
        &strata,
        "experiment/edit",
        &json!({ "experiment": experiment, "edits": edits, "replacesLast": false }),
    );
    let report = |form: &str| {
        let params = json!({ "session": experiment, "as": form, "masksSecrets": true });
        ask(&strata, "experiment/report", &params)
    };
    let answer = report("html");
    let page = answer["text"].as_str().expect("a page");
    assert_eq!(headings(page)[..2], ["Summary", "Before and after"]);
    assert!(page.contains("<h1 dir=\"auto\">invoice-triage: Fewer rows</h1>"));
    let bill = ask(&strata, "call/bill", &json!({ "session": experiment, "from": 1, "to": 41 }));
    let tokens = bill["bill"]["promptTokens"].as_u64().or(bill["promptTokens"].as_u64()).expect("a sum");
    let said: String = says(page, "Prompts").chars().filter(char::is_ascii_digit).collect();
    assert!(said.starts_with(&tokens.to_string()), "{said} {tokens}");
    assert_eq!(report("map-svg")["file"], "invoice_triage__fewer_rows.map.svg");
}

#[test]
fn a_report_of_what_is_not_there_says_so() {
    let strata = start();
    let params: Value = json!({ "session": "x9", "as": "html", "masksSecrets": true });
    let (_, message) = crate::refuse(&strata, "experiment/report", &params);
    assert!(message.contains("no longer in the store"), "{message}");
}
