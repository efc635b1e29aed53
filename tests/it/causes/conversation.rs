//! A conversation of a support desk, call by call, as a client would send it.

use serde_json::{Value, json};

/// The number of the call from which on something is otherwise.
pub(super) const CHANGED: u32 = 6;
/// Seconds between two calls.
const PAUSE_S: f64 = 20.0;
const TURNS: usize = 5;

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    User(String),
    Picture,
    Thought(String),
    Answer(String),
    Call { id: String, args: Value },
    Result { id: String, text: String },
}

/// What is sent for one call, and what is answered.
#[derive(Clone)]
pub(super) struct Request {
    pub model: String,
    /// Blocks of the system text.
    pub system: Vec<String>,
    pub tools: Vec<Value>,
    pub settings: Vec<(&'static str, Value)>,
    pub history: Vec<Said>,
    pub answer: Said,
    /// Epoch seconds.
    pub time: f64,
}

/// Two calls a turn: one that calls a tool, and one that answers.
pub(super) fn conversation() -> Vec<Request> {
    let mut requests = Vec::new();
    let mut history = Vec::new();
    for turn in 0..TURNS {
        history.push(Said::User(format!("Question {turn}: {}", filler("which orders are late", 12))));
        if turn == 0 {
            history.push(Said::Picture);
        }
        let id = format!("call_{turn}");
        let call = Said::Call { id: id.clone(), args: json!({"query": format!("late orders {turn}")}) };
        push(&mut requests, &history, call.clone());
        history.push(Said::Thought(format!("Turn {turn}: {}", filler("the table should say", 6))));
        history.push(call);
        history.push(Said::Result {
            id,
            text: format!("Table {turn}: {}", filler("order and day and place", 60)),
        });
        let answer = Said::Answer(format!("Answer {turn}: {}", filler("these are late", 10)));
        push(&mut requests, &history, answer.clone());
        history.push(answer);
    }
    requests
}

fn push(requests: &mut Vec<Request>, history: &[Said], answer: Said) {
    let time = 1_795_170_000.0 + PAUSE_S * requests.len() as f64;
    requests.push(Request {
        model: String::new(),
        system: vec![format!("You serve a shop.\nMode: plan.\n{}", filler("Be careful with refunds.", 200))],
        tools: vec![
            tool("search", "Finds orders of the shop.", &["late", "open", "paid"]),
            tool("refund", "Pays an order back.", &["full", "part"]),
        ],
        settings: vec![("temperature", json!(0.5))],
        history: history.to_vec(),
        answer,
        time,
    });
}

pub(super) fn tool(name: &str, description: &str, kinds: &[&str]) -> Value {
    json!({"name": name, "description": description, "parameters": {
        "type": "object", "properties": {"query": {"type": "string"}, "kind": {"type": "string", "enum": kinds}}
    }})
}

/// The words so many times.
pub(super) fn filler(words: &str, times: usize) -> String {
    (0..times).map(|at| format!("{words} {}", ["now", "then", "soon"][at % 3])).collect::<Vec<_>>().join(". ")
}
