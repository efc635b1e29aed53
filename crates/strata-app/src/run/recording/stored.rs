//! What the store has of a session that a run adds to.

use std::collections::HashSet;
use std::sync::Arc;

use strata_engine::n_calls;
use strata_import::{ReportedUsage, SessionSummary};
use strata_model::{Event, Fingerprint, FromJson as _, FunctionCall, Session, Str};
use strata_store::{AppConfig, Listing, NewEvent, Source};

use super::stand_in::StandIn;
use crate::import::{Summary, flow_kind, now_ms};
use crate::show::words::cut;

/// What people call the format of such a session.
const FORMAT_NAME: &str = "Strata run";
/// As ADK compiles, so its calls are read.
const FORMAT: &str = "adk-run";
/// Characters of a title.
const TITLE: usize = 80;

/// What the store has: what was said, and what is known of it as a whole.
pub(super) struct Stored {
    pub events: Vec<Arc<Event>>,
    invocations: HashSet<Str>,
    pub head: Head,
}

/// What the store has of a session beside its events. It is as large however many events there are.
#[derive(Clone)]
pub(super) struct Head {
    pub location: String,
    pub content: Fingerprint,
    /// Without its events.
    pub session: Session,
    pub n_events: u32,
    pub n_requests: u32,
    pub title: String,
    pub numbers: SessionSummary,
    /// Of the last event.
    pub last_invocation: Option<Str>,
    pub waiting: Vec<WaitingCall>,
    /// Stand behind all events, in the order in which their calls were held.
    pub stand_ins: Vec<StandIn>,
    /// Written with the next event.
    pub app_config: Option<AppConfig>,
}

/// A call that waits for an answer from outside.
#[derive(Debug, Clone)]
pub(crate) struct WaitingCall {
    pub id: Str,
    /// Who made it.
    pub agent: Str,
    pub call: Arc<FunctionCall>,
}

impl Stored {
    /// Of a session without stand-ins.
    pub(super) fn of(location: String, session: Session, n_requests: usize) -> Self {
        let calls = n_calls(&session, flow_kind(FORMAT)) as u64;
        let numbers = SessionSummary { calls, ..SessionSummary::of(&session) };
        let first = session.events.iter().find_map(title_of);
        let hashes = session.events.iter().map(|event| fingerprint(event));
        let content = hashes.fold(Fingerprint::of(location.as_bytes()), Fingerprint::then);
        let invocations: HashSet<Str> =
            session.events.iter().map(|event| event.invocation_id.clone()).collect();
        let head = Head {
            content,
            title: first.unwrap_or_else(|| session.app_name.to_string()),
            n_events: session.events.len() as u32,
            n_requests: n_requests as u32,
            last_invocation: session.events.last().map(|event| event.invocation_id.clone()),
            waiting: waiting(&session.events),
            stand_ins: Vec::new(),
            numbers,
            app_config: None,
            session: Session { events: Vec::new(), ..session.clone() },
            location,
        };
        Self { events: session.events, invocations, head }
    }

    /// The head with an event that comes next.
    pub(super) fn with(&self, event: &Arc<Event>, is_answer: bool) -> Head {
        let mut head = self.head.clone();
        head.count(event, is_answer);
        head.numbers.invocations += u64::from(!self.invocations.contains(&event.invocation_id));
        head
    }

    /// Takes in an event that is stored.
    pub(super) fn add(&mut self, event: Arc<Event>, head: Head) {
        if !self.invocations.contains(&event.invocation_id) {
            self.invocations.insert(event.invocation_id.clone());
        }
        self.events.push(event);
        self.head = head;
    }
}

impl Head {
    fn count(&mut self, event: &Arc<Event>, is_answer: bool) {
        if self.numbers.user_turns == 0
            && let Some(title) = title_of(event)
        {
            self.title = title;
        }
        let of_one = SessionSummary::of(&Session { events: vec![event.clone()], ..Session::default() });
        let numbers = &mut self.numbers;
        numbers.events += 1;
        numbers.calls += u64::from(is_answer);
        numbers.user_turns += of_one.user_turns;
        numbers.tool_calls += of_one.tool_calls;
        numbers.compactions += of_one.compactions;
        for agent in of_one.agents {
            if !numbers.agents.contains(&agent) {
                numbers.agents.push(agent);
            }
        }
        if let Some(usage) = of_one.reported_usage {
            let sum = numbers.reported_usage.get_or_insert_default();
            *sum = ReportedUsage {
                input_tokens: sum.input_tokens + usage.input_tokens,
                cached_tokens: sum.cached_tokens + usage.cached_tokens,
                cache_write_tokens: sum.cache_write_tokens + usage.cache_write_tokens,
                output_tokens: sum.output_tokens + usage.output_tokens,
            };
        }
        self.last_invocation = Some(event.invocation_id.clone());
        wait_for(&mut self.waiting, event);
        self.session.state.update(&event.actions.state_delta);
        self.session.last_update_time = event.timestamp;
        self.content = self.content.then(fingerprint(event));
        self.n_events += 1;
    }

    pub(super) fn source(&self) -> Source {
        Source {
            location: self.location.clone(),
            format: FORMAT_NAME.to_owned(),
            size_bytes: 0,
            modified_ms: None,
            content: Some(self.content),
            imported_at_ms: now_ms(),
        }
    }

    pub(super) fn listing(&self, app_config: Option<AppConfig>) -> Listing {
        let summary =
            Summary { format: FORMAT.to_owned(), numbers: self.numbers.clone(), ..Summary::default() };
        Listing {
            title: self.title.clone(),
            format: FORMAT_NAME.to_owned(),
            summary: summary.to_json(),
            app_config,
        }
    }
}

pub(super) fn new_event(event: &Event) -> NewEvent<'_> {
    NewEvent { event, records: Vec::new() }
}

fn fingerprint(event: &Event) -> Fingerprint {
    let mut text = String::new();
    event.write_json(&mut text);
    Fingerprint::of(text.as_bytes())
}

/// The first words that a user said.
fn title_of(event: &Arc<Event>) -> Option<String> {
    let texts = event.content.iter().filter(|_| event.is_from_user()).flat_map(|content| content.parts());
    let said = texts.filter_map(|part| part.text.as_deref()).map(str::trim).find(|text| !text.is_empty())?;
    Some(cut(said.lines().next().unwrap_or(said), TITLE))
}

/// Calls that wait for an answer from outside.
fn waiting(events: &[Arc<Event>]) -> Vec<WaitingCall> {
    let mut waiting = Vec::new();
    for event in events {
        wait_for(&mut waiting, event);
    }
    waiting
}

fn wait_for(waiting: &mut Vec<WaitingCall>, event: &Event) {
    for id in event.long_running_tool_ids.iter().flatten() {
        let parts = event.parts().iter().filter_map(|part| part.function_call.as_ref());
        let call = parts.into_iter().find(|call| call.id.as_ref() == Some(id));
        let call = Arc::new(call.map(|call| FunctionCall::clone(call)).unwrap_or_default());
        waiting.push(WaitingCall { id: id.clone(), agent: event.author.clone(), call });
    }
    if event.is_from_user() {
        let is_answered = |id: &Str| event.function_responses().any(|answer| answer.id.as_ref() == Some(id));
        waiting.retain(|waiting| !is_answered(&waiting.id));
    }
}
