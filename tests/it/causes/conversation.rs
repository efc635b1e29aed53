//! A conversation of a support desk, call by call, as a client would send it.

use serde_json::{Value, json};

/// The number of the call from which on something is otherwise.
pub(super) const CHANGED: u32 = 6;
/// One that begins a turn.
pub(super) const TURN_BEGINS: u32 = 7;
/// One behind it goes on with what was sent for it.
const N_CALLS: usize = TURN_BEGINS as usize;
/// A model that is not the one of the calls before; each writer has its own.
pub(super) const OTHER_MODEL: &str = "other";
/// Seconds between two calls.
const PAUSE_S: f64 = 20.0;
/// Ids of the calls, one a turn.
const IDS: [&str; 4] = ["call_7d1e90b2", "call_a03c51f8", "call_5b9e07d4", "call_c2f86e13"];

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    User(String),
    Picture,
    /// Of the same size.
    OtherPicture,
    Thought(String),
    Answer(String),
    Call {
        id: String,
        args: Value,
    },
    Result {
        id: String,
        text: String,
    },
}

/// What a client asks Anthropic to cache.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Marked {
    /// The system text and the newest message.
    Usual,
    SystemText,
    /// The first message, whatever comes behind it.
    FirstMessage,
    Nothing,
}

/// What is sent for one call, and what is answered.
#[derive(Clone)]
pub(super) struct Request {
    /// Empty for the writer's own.
    pub model: String,
    /// Blocks of the system text.
    pub system: Vec<String>,
    pub tools: Vec<Value>,
    pub settings: Vec<(&'static str, Value)>,
    pub history: Vec<Said>,
    pub answer: Said,
    /// As far as the writer says it.
    pub marked: Marked,
    /// Epoch seconds, all on 20 November 2026.
    pub time: f64,
}

impl Request {
    /// What people and tools said since the last answer.
    pub(super) fn new_messages(&self) -> &[Said] {
        let is_models = |said: &Said| matches!(said, Said::Answer(_) | Said::Call { .. } | Said::Thought(_));
        let begin = self.history.iter().rposition(is_models).map_or(0, |at| at + 1);
        &self.history[begin..]
    }
}

/// At most two calls a turn: one that calls a tool, and one that answers.
pub(super) fn conversation() -> Vec<Request> {
    let mut requests = Vec::new();
    let mut history = Vec::new();
    for (turn, id) in IDS.iter().enumerate() {
        history.push(Said::User(format!("Question {turn}: {}", filler("which orders are late", 12))));
        if turn == 0 {
            history.push(Said::Picture);
        }
        let id = (*id).to_owned();
        let call = Said::Call { id: id.clone(), args: json!({"query": format!("late orders {turn}")}) };
        push(&mut requests, &history, call.clone());
        history.push(thought_before(&id));
        history.push(call);
        history.push(Said::Result { id, text: result(turn) });
        let answer = Said::Answer(format!("Answer {turn}: {}", filler("these are late", 10)));
        push(&mut requests, &history, answer.clone());
        history.push(answer);
    }
    requests.truncate(N_CALLS);
    requests
}

fn push(requests: &mut Vec<Request>, history: &[Said], answer: Said) {
    let time = 1_795_170_000.0 + PAUSE_S * requests.len() as f64;
    requests.push(Request {
        model: String::new(),
        system: vec![instruction("Mode: plan.")],
        tools: vec![
            tool("search", "Finds orders of the shop.", &["late", "open", "paid"]),
            tool("refund", "Pays an order back.", &["full", "part"]),
        ],
        settings: vec![("temperature", json!(0.5)), ("tool_choice", json!({"type": "auto"}))],
        history: history.to_vec(),
        answer,
        marked: Marked::Usual,
        time,
    });
}

/// A system text that is long enough to be cached by anybody, with a line of its own.
pub(super) fn instruction(line: &str) -> String {
    format!("You serve a shop.\n{line}\n{}", filler("Be careful with refunds.", 200))
}

/// What the model thinks before it calls a tool.
pub(super) fn thought_before(call: &str) -> Said {
    let turn = IDS.iter().position(|id| *id == call).expect("an id of a call");
    Said::Thought(format!("Turn {turn}: {}", filler("the table should say", 6)))
}

/// Rows of an object, as tools return them.
fn result(turn: usize) -> String {
    // What is lost behind it has to be worth a finding.
    let rows = filler("order and day and place", if matches!(turn, 1 | 2) { 150 } else { 60 });
    format!("{{\"turn\": {turn}, \"late\": 3, \"rows\": \"{rows}\"}}")
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
