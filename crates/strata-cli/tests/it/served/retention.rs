//! What a context does not keep, its agents are not sent.

use serde_json::{Value, json};

use super::server::Server;

/// Asks, with a retention at first, and returns the context.
fn asked(server: &Server, retention: &Value, messages: &[&str]) -> String {
    let first = server.run(&[], &json!({"message": messages[0], "retention": retention})).json();
    let id = first["context_id"].as_str().unwrap_or_else(|| panic!("{first}")).to_owned();
    for message in &messages[1..] {
        let got = server.run(&[("X-Context-ID", &id)], &json!({"message": message}));
        assert_eq!(got.status, 200, "{got:?}");
    }
    id
}

/// The contents of the request of a call, as `strata compile` reads them from the stored session.
fn prompt(server: &Server, context: &str, call: usize) -> String {
    let shown = server.strata(&format!("contexts show {context}"));
    let session = shown["context"]["session"].as_str().unwrap();
    let contents = server.strata(&format!("compile {session} --call {call}"))["request"]["contents"].clone();
    assert!(contents.is_array(), "{contents}");
    contents.to_string()
}

const ORDERS: [&str; 4] = [
    "Order A-1000 costs 7 dollars.",
    "Order A-1001 costs 1 dollars.",
    "Order A-1002 costs 2 dollars.",
    "Order A-1003 costs 3 dollars.",
];

#[test]
fn messages_that_are_not_kept_are_not_sent_and_the_loss_says_so() {
    let server = Server::echo();
    let id = asked(&server, &json!({"strategy": "count", "limit": 1}), &ORDERS);
    let last = prompt(&server, &id, 4);
    assert!(last.contains("A-1003") && last.contains("[Messages that were here are not kept.]"), "{last}");
    assert!(["A-1000", "A-1001", "A-1002"].iter().all(|gone| !last.contains(gone)), "{last}");

    let shown = server.strata(&format!("contexts show {id}"));
    let loss = &shown["retentionLoss"];
    assert_eq!((&loss["said"], &loss["gone"], &loss["used"]), (&json!(8), &json!(7), &json!(0)), "{loss}");
    // The question that was answered last went with its answer.
    assert_eq!(loss["gap"], "Agents were still sent 1 of those that are gone with the last request.");
    let line = format!("contexts show {id} --db {}", server.computer.path("x.db").display());
    let text = server.computer.run(&line).stdout;
    assert!(text.contains("1 kept of 8, 7 dropped") && text.contains("7 of 8 are gone"), "{text}");
}

#[test]
fn a_summary_is_sent_in_the_place_of_what_it_stands_for() {
    let server = Server::echo();
    let retention = json!({"strategy": "count", "limit": 3, "summarize_on_truncate": true});
    let id = asked(&server, &retention, &ORDERS);
    let last = prompt(&server, &id, 4);
    let summary = server.strata(&format!("contexts show {id}"))["messages"][0].clone();
    assert_eq!(summary["role"], "system");
    let content = summary["content"].as_str().unwrap();
    assert!(content.starts_with("[Extract of messages up to ") && content.contains("A-1000"), "{content}");
    assert!(last.contains("[Extract of messages up to ") && last.contains("user: Order A-1000"), "{last}");
    assert!(!last.contains("\"Order A-1000 costs 7 dollars.\""), "the message itself is not: {last}");
    let line = format!("contexts show {id} --db {}", server.computer.path("x.db").display());
    let text = server.computer.run(&line).stdout;
    assert!(
        text.contains("2 kept of 8, a summary stands for 6") && text.contains("6 of 8 are gone"),
        "{text}"
    );
}

#[test]
fn a_call_is_never_sent_without_its_answer() {
    let turn = |n: usize| {
        let call = json!({"calls": [{"name": "remember", "args": {"key": "k", "value": n}}]});
        [call, json!(format!("Kept {n}."))]
    };
    let answers: Vec<Value> = (0..4).flat_map(turn).collect();
    let server = Server::scripted(&json!(answers));
    let id = asked(&server, &json!({"strategy": "count", "limit": 2}), &ORDERS);
    for call in 1..=8 {
        let sent = prompt(&server, &id, call);
        let n = |one: &str, other: &str| sent.matches(one).count() + sent.matches(other).count();
        let (calls, answers) = (
            n("\"function_call\":", "\"functionCall\":"),
            n("\"function_response\":", "\"functionResponse\":"),
        );
        assert_eq!(calls, answers, "{call}: {sent}");
        assert!(calls <= 2, "{call}: {sent}");
        assert!(call == 1 || calls > 0, "{call}: {sent}");
    }
}
