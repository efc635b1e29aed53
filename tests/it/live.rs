//! Predictions of a prompt cache beside what an inference server reports of the very calls.
//!
//! `STRATA_LIVE_BASE_URL` names an OpenAI-compatible server (`http://127.0.0.1:8080`, with or without `/v1`);
//! `STRATA_LIVE_MODEL` its model, where it has several; `STRATA_LIVE_RULE` the cache rule to predict by, `llama.cpp`
//! when absent; `STRATA_LIVE_API_KEY` a key, if it wants one. Without the first the test says so and passes.
//!
//! A server that tells the tokens of a prompt (`/apply-template` and `/tokenize`) is predicted in those; one that does not,
//! by our own count.
//!
//! The referee itself is tried on a small server in this test, which has a cache of blocks over a tokenised prompt.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the figures are what the test is run for")]

mod referee;
mod server;
mod story;

use referee::{Referee, Row};
use server::Server;

/// Tokens by which our count of a stretch of text may be off, where the server's vocabulary is not known: of 100.
const COUNTED_OFF: u32 = 4;

fn print(rows: &[Row]) {
    println!("call  counted  prompt  predicted  reported  difference  cause");
    for row in rows {
        println!(
            "{:>4}  {:>7}  {:>6}  {:>9}  {:>8}  {:>10}  {}",
            row.call,
            row.counted.map_or("-".to_owned(), |counted| counted.to_string()),
            row.prompt,
            row.predicted,
            row.reported,
            i64::from(row.reported) - i64::from(row.predicted),
            row.cause.unwrap_or_default()
        );
    }
}

fn of_our_server(block_tokens: u32, preamble: Option<&'static str>) -> Vec<Row> {
    let server = Server::start(block_tokens, preamble);
    let referee = Referee {
        base_url: server.base_url(),
        model: "test".into(),
        api_key: None,
        rules: referee::blocks_of(block_tokens),
    };
    let rows = referee.run(&story::twenty_turns(""));
    print(&rows);
    rows
}

/// What a server that told its tokens reports is what was predicted: sizes within 1 %, and where prompts part within a
/// block.
#[track_caller]
fn check_in_its_tokens(rows: &[Row]) {
    for Row { call, counted, prompt, predicted, reported, block_tokens, .. } in rows {
        let counted = counted.expect("it told its tokens");
        assert!(counted.abs_diff(*prompt) * 100 <= *prompt, "C{call}: counted {counted}, reported {prompt}");
        assert!(
            predicted.abs_diff(*reported) <= *block_tokens,
            "C{call}: predicted {predicted}, reported {reported}, blocks of {block_tokens}"
        );
    }
}

#[track_caller]
fn check_with_blocks_of(block_tokens: u32) {
    let rows = of_our_server(block_tokens, None);
    assert!(rows.len() >= 40, "{} calls", rows.len());
    // The vocabulary is the one we count with, so that every difference is one of the cache.
    for row in &rows {
        assert!(
            row.predicted.abs_diff(row.reported) <= block_tokens,
            "C{}: predicted {}, reported {}",
            row.call,
            row.predicted,
            row.reported
        );
    }
    let causes: Vec<_> = rows.iter().filter_map(|row| row.cause).collect();
    assert!(causes.iter().filter(|cause| **cause == "state_in_instruction").count() >= 3, "{causes:?}");
    // What a session is rewound to was sent before: all of it is found again, and nothing is lost.
    let is_found = |row: &Row| row.cause.is_none() && row.prompt - row.reported <= 4 * block_tokens;
    assert!(rows.windows(2).any(|pair| pair[1].prompt < pair[0].prompt && is_found(&pair[1])), "{causes:?}");
    // The calls between the changes find nearly all of what was sent before.
    let found = rows.iter().filter(|row| row.cause.is_none() && row.reported > 0).count();
    assert!(found >= 30, "{found} calls continued the prompt before");
}

#[test]
fn predictions_are_within_a_block_of_16() {
    check_with_blocks_of(16);
}

#[test]
fn predictions_are_within_a_block_of_32() {
    check_with_blocks_of(32);
}

#[test]
fn a_server_that_tells_its_tokens_is_predicted_in_them_whatever_its_template_says() {
    let preamble =
        "Cutting Knowledge Date: December 2023\nToday Date: 27 November 2026\n\nEnvironment: a shop of paper";
    let rows = of_our_server(1, Some(preamble));
    check_in_its_tokens(&rows);
    assert!(rows.iter().all(|row| row.counted == Some(row.prompt)));
    // What the template says stands before every break, and is found again.
    let hidden = of_our_server(1, None);
    let moved = rows.iter().zip(&hidden).filter(|(told, hidden)| told.reported > hidden.reported + 10);
    assert!(moved.count() >= 3);
    check_in_its_tokens(&of_our_server(16, Some(preamble)));
}

#[test]
fn a_server_that_was_named_reports_what_is_predicted() {
    let Some(referee) = Referee::from_environment() else {
        eprintln!(
            "NOT RUN: there is no server; set STRATA_LIVE_BASE_URL to one that speaks OpenAI's chat completions"
        );
        return;
    };
    // A shop of its own, so that a server that was asked before finds nothing of that but what its template says.
    let mut rows = referee.run(&story::twenty_turns(&format!(" number {}", std::process::id())));
    print(&rows);
    // What the server held before the first call nobody here knows.
    let first = rows.remove(0);
    assert!(first.counted.is_none_or(|counted| counted == first.prompt));
    let (breaks, continued): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.cause.is_some());
    let off = |row: &&&Row| row.predicted.abs_diff(row.reported);
    let worst = continued.iter().max_by_key(off).expect("calls that continue the one before");
    println!("continued: off by {} of {} at most", worst.predicted.abs_diff(worst.reported), worst.prompt);
    for row in breaks {
        println!("break at C{}: predicted {}, reported {}", row.call, row.predicted, row.reported);
    }
    if rows.iter().all(|row| row.counted.is_some()) {
        return check_in_its_tokens(&rows);
    }
    for row in &rows {
        // Where the prompt before was continued, the server's own count of it is known. Elsewhere the prefix is
        // measured by us, in a vocabulary that may not be the server's.
        let counted = if row.cause.is_some() { row.predicted * COUNTED_OFF / 100 } else { 0 };
        let allowed = row.block_tokens.max(referee::TEMPLATE_TOKENS) + counted;
        assert!(
            row.predicted.abs_diff(row.reported) <= allowed,
            "C{}: predicted {}, reported {}, allowed {allowed}",
            row.call,
            row.predicted,
            row.reported
        );
    }
}
