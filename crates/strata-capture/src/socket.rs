//! What a WebSocket carried, as requests with their answers: each message of a client that asks for a response is a request,
//! and what comes back until that response is over is its answer.

use std::collections::VecDeque;

use serde::Deserialize;

use crate::exchange::{ExchangeId, Headers};
use crate::frames::Frames;

/// The method of requests that were messages.
pub(crate) const METHOD: &str = "WEBSOCKET";

/// A WebSocket of which both sides are heard.
#[derive(Debug)]
pub(crate) struct Socket {
    up: Frames,
    down: Frames,
    /// Those that are not answered whole, the first first.
    asked: VecDeque<ExchangeId>,
}

/// A message of a provider.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The request that it answers, where one waits.
    pub(crate) of: Option<ExchangeId>,
    pub(crate) text: String,
    /// Nothing of that answer comes behind it.
    pub(crate) is_last: bool,
    /// As HTTP would say it.
    pub(crate) status: u16,
}

/// What of a message says what it is.
#[derive(Debug, Default, Deserialize)]
struct About {
    #[serde(default, rename = "type")]
    kind: String,
    status: Option<u16>,
}

impl About {
    fn of(message: &str) -> Self {
        serde_json::from_str(message).unwrap_or_default()
    }
}

impl Socket {
    /// From the headers that a provider agreed with.
    pub(crate) fn new(answered: &Headers) -> Self {
        let is_it = |name: &str| name.eq_ignore_ascii_case("sec-websocket-extensions");
        let extensions: String =
            answered.iter().filter(|(name, _)| is_it(name)).map(|(_, value)| value.as_str()).collect();
        Self {
            up: Frames::new(&extensions, "client"),
            down: Frames::new(&extensions, "server"),
            asked: VecDeque::new(),
        }
    }

    /// Whether something of either side could not be read.
    pub(crate) fn is_lost(&self) -> bool {
        self.up.is_lost() || self.down.is_lost()
    }

    /// The requests among what the client said.
    pub(crate) fn client_said(&mut self, bytes: &[u8]) -> Vec<String> {
        self.up.feed(bytes).into_iter().filter(|text| About::of(text).kind == "response.create").collect()
    }

    /// What the provider says when those before it are answered is the answer to this one.
    pub(crate) fn asks(&mut self, id: ExchangeId) {
        self.asked.push_back(id);
    }

    pub(crate) fn provider_said(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for text in self.down.feed(bytes) {
            let About { kind, status } = About::of(&text);
            let is_last =
                matches!(&*kind, "response.completed" | "response.failed" | "response.incomplete" | "error");
            let of = if is_last { self.asked.pop_front() } else { self.asked.front().copied() };
            let status = status.filter(|_| kind == "error").unwrap_or(200);
            events.push(Event { of, text, is_last, status });
        }
        events
    }

    /// The requests that nothing more comes to.
    pub(crate) fn unanswered(self) -> VecDeque<ExchangeId> {
        self.asked
    }
}
