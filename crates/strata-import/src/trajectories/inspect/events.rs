//! The events of a sample: what models were asked and answered, and what tools returned.

use std::collections::HashMap;

use strata_model::take::{take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Str};
use strata_wire::message::Turn;
use strata_wire::usage::spelling::INSPECT;
use strata_wire::usage::{Counts, UsageReport};

use super::pool::Pool;
use crate::draft::Draft;
use crate::time::take_time;

#[derive(Default)]
pub(super) struct Events {
    /// The calls of models, in the order in which they began.
    pub(super) asked: Vec<Asked>,
    /// What tools returned, by the ids of their calls.
    pub(super) returned: HashMap<Str, Returned>,
}

/// A call of a model.
pub(super) struct Asked {
    /// The message that answers it, and its text.
    pub(super) id: Option<Str>,
    pub(super) text: String,
    /// Who made it, where that was a sub-agent.
    pub(super) agent: Option<SubAgent>,
    /// Until it is told.
    pub(super) call: Option<Call>,
}

pub(super) struct Call {
    pub(super) turn: Turn,
    pub(super) usage: Option<UsageReport>,
    pub(super) model: Option<Str>,
    pub(super) finish: Option<Str>,
    pub(super) time: Option<f64>,
    pub(super) body: Option<Json>,
    /// What a sub-agent was given.
    pub(super) given: Vec<Json>,
}

/// An agent that works for a call of another one.
#[derive(Clone)]
pub(super) struct SubAgent {
    /// The span of this work.
    pub(super) span: Str,
    pub(super) name: Str,
}

pub(super) struct Returned {
    /// The result, as a message.
    pub(super) message: Json,
    /// The id of the message that it became.
    pub(super) said_in: Option<Str>,
    pub(super) time: Option<f64>,
}

impl Events {
    pub(super) fn take(sample: &mut Object, pool: &Pool, draft: &mut Draft) -> Self {
        let all = take_list(sample, "events").or_else(|| {
            take_object(sample, "transcript").and_then(|mut transcript| take_list(&mut transcript, "events"))
        });
        let all = all.unwrap_or_default();
        let spans = Spans::of(&all);
        let mut events = Self::default();
        for event in all {
            let Some(mut event) = draft.object("events", event) else { continue };
            let kind = take_text(&mut event, "event").unwrap_or_default();
            match &*kind {
                "model" => events.asked.push(asked(event, &spans, pool, draft)),
                "tool" => events.tool(event, draft),
                kind => draft.unmapped.field("events", kind, &Json::Bool(true)),
            }
        }
        events
    }

    /// What all calls report.
    pub(super) fn counts(&self) -> Counts {
        let usages = self.asked.iter().filter_map(|asked| asked.call.as_ref()?.usage.as_ref());
        usages.map(UsageReport::counts).fold(Counts::default(), Counts::plus)
    }

    fn tool(&mut self, mut event: Object, draft: &mut Draft) {
        let returned = Returned {
            time: take_time(&mut event, "completed").or_else(|| take_time(&mut event, "timestamp")),
            said_in: take_text(&mut event, "message_id"),
            message: Json::Null,
        };
        let before = match take_first_text(&mut event, &["id"]) {
            Some(id) => {
                let about = [("role", Json::from("tool")), ("tool_call_id", Json::from(id.clone()))];
                let mut message = Object::from_iter(about);
                message.push_some("function", event.remove("function"));
                message.push_some("content", event.remove("result"));
                message.push_some("error", event.remove("error"));
                self.returned.insert(id, Returned { message: message.into(), ..returned })
            }
            None => Some(returned),
        };
        if before.is_some() {
            draft.unmapped.field("events", "tool", &Json::Bool(true));
        }
    }
}

fn asked(mut event: Object, spans: &Spans, pool: &Pool, draft: &mut Draft) -> Asked {
    let time = take_time(&mut event, "timestamp");
    let mut output = take_object(&mut event, "output").unwrap_or_default();
    let model = take_text(&mut output, "model").or_else(|| take_text(&mut event, "model"));
    let usage = take_object(&mut output, "usage").and_then(|usage| read_usage(usage, draft));
    let choice =
        take_list(&mut output, "choices").and_then(|choices| choices.into_iter().next()).unwrap_or_default();
    let finish = choice.get("stop_reason").and_then(Json::as_str).map(Str::from);
    let message = choice.get("message").cloned().unwrap_or_default();
    let id = message.get("id").and_then(Json::as_text).cloned();
    let turn = draft.messages("output").read(pool.resolved(message));
    let agent = take_text(&mut event, "span_id").and_then(|span| spans.sub_agent(&span));
    let sent = take_object(&mut event, "call").and_then(|call| pool.request(call, draft));
    let is_read = sent.is_none() || agent.is_some();
    let mut given = if is_read { pool.given(&mut event, draft) } else { None };
    let body = sent.or_else(|| {
        let messages = if agent.is_some() { given.clone() } else { given.take() };
        let mut body = Object::from_iter([("messages", Json::Array(messages?))]);
        body.push_some("tools", event.remove("tools"));
        Some(body)
    });
    let body = body.map(|body| pool.resolved(body.into()));
    let (text, given) = (turn.text(), given.unwrap_or_default());
    Asked { id, text, agent, call: Some(Call { turn, usage, model, finish, time, body, given }) }
}

fn read_usage(mut counts: Object, draft: &mut Draft) -> Option<UsageReport> {
    let told = INSPECT.take(&mut counts);
    draft.note_rest("output.usage", &counts);
    (!told.is_empty()).then(|| told.into())
}

/// The pieces of work that a sample was made of, by their ids.
struct Spans {
    all: HashMap<Str, Span>,
}

struct Span {
    parent: Option<Str>,
    kind: Str,
    name: Str,
}

impl Spans {
    fn of(events: &[Json]) -> Self {
        let is_begin = |event: &&Json| event.get("event").and_then(Json::as_str) == Some("span_begin");
        let spans = events.iter().filter(is_begin).filter_map(|event| {
            let text = |key: &str| event.get(key).and_then(Json::as_text).cloned();
            let (kind, name) = (text("type").unwrap_or_default(), text("name").unwrap_or_default());
            Some((text("id")?, Span { parent: text("parent_id"), kind, name }))
        });
        Self { all: spans.collect() }
    }

    /// The agent that works in a span, where a tool or a hand-off began it.
    fn sub_agent(&self, span: &Str) -> Option<SubAgent> {
        let mut agent = None;
        let mut id = span;
        for _ in 0..self.all.len() {
            let span = self.all.get(id)?;
            match &*span.kind {
                // What a tool asks by itself is no work of an agent.
                "tool" | "handoff" => return agent,
                "agent" if agent.is_none() => {
                    agent = Some(SubAgent { span: id.clone(), name: span.name.clone() });
                }
                _ => {}
            }
            id = span.parent.as_ref()?;
        }
        None
    }
}
