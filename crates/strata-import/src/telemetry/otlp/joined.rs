//! Log records and the spans they belong to.

use std::collections::HashMap;

use strata_model::{Json, Object, Str};

use super::log::Log;
use crate::draft::Draft;
use crate::telemetry::span::{DETAILS, Span};

/// An exporter's clock and the span's are read one after the other.
const SLACK: f64 = 0.1;

/// Names that say which call a record is of.
const CALL: [&str; 2] = ["gen_ai.response.id", "gcp.vertex.agent.event_id"];

/// Gives log records to their spans; records of spans that are not there make spans of their own.
pub(super) fn join(spans: &mut Vec<Span>, logs: Vec<Log>, draft: &mut Draft) {
    let mut places: HashMap<(Str, Str), usize> =
        spans.iter().enumerate().map(|(at, span)| ((span.trace.clone(), span.id.clone()), at)).collect();
    let mut adrift = Vec::new();
    for log in logs {
        if !log.event.name.starts_with("gen_ai.") {
            draft.unmapped.record("log record", log.source);
            continue;
        }
        if log.span.is_empty() {
            adrift.push(log);
            continue;
        }
        let key = (log.trace.clone(), log.span.clone());
        match places.get(&key) {
            Some(at) => give(log, &mut spans[*at]),
            None => {
                places.insert(key, spans.len());
                spans.push(alone(log));
            }
        }
    }
    // Of records that name no span, those of calls find theirs by session and time.
    let mut own = None;
    for log in adrift {
        match spans.iter_mut().find(|span| is_of(&log, span)) {
            Some(span) => give(log, span),
            None if &*log.event.name == DETAILS => spans.push(alone(log)),
            None => match own {
                Some(at) => {
                    let span: &mut Span = &mut spans[at];
                    span.events.push(log.event);
                }
                None => {
                    own = Some(spans.len());
                    spans.push(alone(log));
                }
            },
        }
    }
    split(spans);
}

/// A record, and what it says of the call that its span does not.
fn give(log: Log, span: &mut Span) {
    if &*log.event.name == DETAILS
        && !span.attributes.contains_key(CALL[0])
        && let Some(id) = log.event.attributes.get(CALL[0])
    {
        span.attributes.insert(CALL[0], id.clone());
    }
    span.events.push(log.event);
}

fn is_of(log: &Log, span: &Span) -> bool {
    const SESSION: [&str; 2] = ["gen_ai.conversation.id", "session.id"];
    if &*log.event.name != DETAILS || !span.is_inference() {
        return false;
    }
    let session = SESSION.iter().find_map(|key| log.event.attributes.get(key)?.as_str());
    let (Some(session), Some(time), Some(start), Some(end)) = (session, log.time, span.start, span.end)
    else {
        return false;
    };
    let differs = |key: &str| {
        let pair = (log.event.attributes.get(key), span.attributes.get(key));
        matches!(pair, (Some(one), Some(other)) if one != other)
    };
    span.first_text(&SESSION).as_deref() == Some(session)
        && (start - SLACK..=end + SLACK).contains(&time)
        && ![CALL[0], "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"]
            .iter()
            .any(|key| differs(key))
}

fn alone(log: Log) -> Span {
    let mut attributes = log.event.attributes.clone();
    if !attributes.contains_key("gen_ai.operation.name") {
        attributes.insert("gen_ai.operation.name", "chat");
    }
    Span {
        name: log.event.name.clone(),
        trace: log.trace,
        id: log.span,
        parent: None,
        start: log.time,
        end: None,
        attributes,
        events: vec![log.event],
        error: None,
        source: log.source,
    }
}

/// Where the span of a call was replaced by that of its agent, records of several calls come to one span: each call gets one.
fn split(spans: &mut Vec<Span>) {
    for at in 0..spans.len() {
        let own = spans[at].attributes.clone();
        let mut calls = Vec::new();
        let events = std::mem::take(&mut spans[at].events);
        for event in events {
            match other_call(&own, &event.attributes) {
                Some(other) if &*event.name == DETAILS => calls.push((other, event)),
                _ => spans[at].events.push(event),
            }
        }
        // The span has the times of all of them; a record has that of its own answer.
        let details = spans[at].events.iter().find(|event| &*event.name == DETAILS);
        if let Some(time) = details.and_then(|event| event.time).filter(|_| !calls.is_empty()) {
            (spans[at].start, spans[at].end) = (Some(time), Some(time));
        }
        for (id, event) in calls {
            let holder = &spans[at];
            let mut attributes = event.attributes.clone();
            for key in ["gen_ai.operation.name", "gen_ai.request.model", "openinference.span.kind"] {
                if let (false, Some(value)) = (attributes.contains_key(key), holder.attributes.get(key)) {
                    attributes.insert(key, value.clone());
                }
            }
            let span = Span {
                name: event.name.clone(),
                trace: holder.trace.clone(),
                id,
                parent: holder.parent.clone(),
                start: event.time.or(holder.start),
                end: event.time,
                attributes,
                error: None,
                source: holder.source.clone(),
                events: vec![event],
            };
            spans.push(span);
        }
    }
}

/// The call that a record is of, where its span is of another one.
fn other_call(span: &Object, record: &Object) -> Option<Str> {
    CALL.iter().rev().find_map(|key| {
        let text = |attributes: &Object| attributes.get(key).and_then(Json::as_str).map(Str::from);
        let (own, other) = (text(span)?, text(record)?);
        Some((own != other).then_some(other))
    })?
}
