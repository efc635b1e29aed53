//! Sessions of any size, for benchmarks: two agents, tools, transfers, and state that a template reads.

use std::sync::Arc;

use strata_model::{
    App, Content, Event, FunctionCall, FunctionResponse, Json, Object, Part, Session, Str, json,
};

use crate::compiled::app as read_app;
use crate::seeded::Seeded;

const WORDS: [&str; 24] = [
    "warehouse",
    "depot",
    "contract",
    "route",
    "update",
    "naïve",
    "order",
    "parcel",
    "ledger",
    "meeting",
    "process",
    "carrier",
    "signal",
    "東京",
    "sample",
    "ответ",
    "archive",
    "straße",
    "customer",
    "window",
    "harbour",
    "season",
    "budget",
    "façade",
];
/// Words in an event, so that 10,000 events hold about 1.9 million tokens.
const WORDS_PER_EVENT: std::ops::RangeInclusive<usize> = 20..=200;
/// Of a turn: what a person said, calls with their results, an answer.
const CALLS_PER_TURN: usize = 2;
/// Turns between two transfers.
const TURNS_PER_AGENT: usize = 8;

/// The app of [`session`], as vectors write it.
pub const APP: &str = r#"{"name": "large", "root_agent": {
    "type": "llm", "name": "desk", "model": "gpt-4o", "description": "First contact",
    "instruction": "Serve {user:name}. Case {case}.", "global_instruction": "Be precise.",
    "tools": [{"type": "function", "declaration": {"name": "search", "description": "Finds things.",
        "parametersJsonSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}}],
    "sub_agents": [{
        "type": "llm", "name": "expert", "model": "gpt-4o", "description": "Resolves hard cases",
        "instruction": "Resolve case {case}. Notes: {notes?}",
        "tools": [{"type": "function", "declaration": {"name": "fetch", "description": "Fetches things.",
            "parametersJsonSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}}]
    }]
}}"#;

/// The app of [`session`].
pub fn app() -> App {
    read_app(APP)
}

/// A session with so many events, the same for the same number.
pub fn session(n_events: usize) -> Session {
    let mut made = SessionGenerator {
        random: Seeded::new(7),
        events: Vec::with_capacity(n_events),
        turn: 0,
        n_calls: 0,
    };
    while made.events.len() < n_events {
        made.turn();
    }
    made.events.truncate(n_events);
    let text = |text: &str| Json::String(text.into());
    Session {
        id: "large".into(),
        app_name: "large".into(),
        user_id: "u1".into(),
        state: Object::from_iter([("case", text("C-17")), ("user:name", text("Ada"))]),
        last_update_time: n_events as f64,
        events: made.events,
        ..Session::default()
    }
}

/// [`session`] as google-adk writes one, to be read as a file.
pub fn written(n_events: usize) -> String {
    json::to_compact(&session(n_events).to_json())
}

struct SessionGenerator {
    random: Seeded,
    events: Vec<Arc<Event>>,
    turn: usize,
    n_calls: usize,
}

impl SessionGenerator {
    fn turn(&mut self) {
        self.turn += 1;
        let n_words = self.n_words();
        self.say("user", n_words);
        let is_expert = self.turn / TURNS_PER_AGENT % 2 == 1;
        if self.turn.is_multiple_of(TURNS_PER_AGENT) {
            let (from, to) = if is_expert { ("desk", "expert") } else { ("expert", "desk") };
            let args = Object::from_iter([("agent_name", Json::String(to.into()))]);
            self.tool(from, "transfer_to_agent", args, Object::from_iter([("result", Json::Null)]), Some(to));
        }
        let (agent, tool) = if is_expert { ("expert", "fetch") } else { ("desk", "search") };
        for _ in 0..CALLS_PER_TURN {
            let (query, found) = (self.words(6), self.n_words() * 2);
            let found = self.words(found);
            let args = Object::from_iter([("q", Json::String(query))]);
            self.tool(agent, tool, args, Object::from_iter([("found", Json::String(found))]), None);
        }
        self.say(agent, n_words);
    }

    fn n_words(&mut self) -> usize {
        self.random.between(*WORDS_PER_EVENT.start(), *WORDS_PER_EVENT.end())
    }

    fn words(&mut self, n: usize) -> Str {
        (0..n).map(|_| *self.random.pick(&WORDS)).collect::<Vec<_>>().join(" ").into()
    }

    fn say(&mut self, author: &str, n_words: usize) {
        let text = self.words(n_words);
        let role = if author == "user" { "user" } else { "model" };
        self.push(author, Content::new(role, [Part::from_text(text)]), None);
    }

    fn tool(&mut self, agent: &str, tool: &str, args: Object, response: Object, transfer: Option<&str>) {
        self.n_calls += 1;
        let id: Str = format!("call-{}", self.n_calls).into();
        let call = FunctionCall {
            id: Some(id.clone()),
            name: Some(tool.into()),
            args: Some(Arc::new(args)),
            ..FunctionCall::default()
        };
        self.push(agent, Content::new("model", [Part::from_call(call)]), None);
        let response = FunctionResponse {
            id: Some(id),
            name: Some(tool.into()),
            response: Some(Arc::new(response)),
            ..FunctionResponse::default()
        };
        self.push(agent, Content::new("user", [Part::from_response(response)]), transfer);
    }

    fn push(&mut self, author: &str, content: Content, transfer: Option<&str>) {
        let number = self.events.len() + 1;
        let mut event = Event {
            id: format!("e{number}").into(),
            author: author.into(),
            invocation_id: format!("i{}", self.turn).into(),
            timestamp: number as f64,
            content: Some(Arc::new(content)),
            ..Event::default()
        };
        event.actions.transfer_to_agent = transfer.map(Into::into);
        self.events.push(Arc::new(event));
    }
}
