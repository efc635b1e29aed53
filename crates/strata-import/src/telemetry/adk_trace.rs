//! Traces as `adk web` shows them: a list of spans with their logs. Ids are integers of up to 128 bits.

use strata_model::take::{take_list, take_object, take_text};
use strata_model::{Json, Object, Str, json};

use super::span::{self, Event, Span};
use crate::documents::read_documents;
use crate::draft::Draft;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

pub(crate) fn is_span(keys: Keys<'_>) -> bool {
    keys.has_all(&["name", "trace_id", "span_id"])
}

/// A span, or the attributes of one event.
pub(crate) fn is_trace(keys: Keys<'_>) -> bool {
    is_span(keys) || keys.has("gcp.vertex.agent.event_id")
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("adk", "agent");
    let mut spans = Vec::new();
    for mut document in read_documents(bytes, &[""], findings) {
        for value in document.take("") {
            let source = value.source();
            if let Some(span) = draft.object("trace", value.json) {
                spans.push(span_of(span, source, &mut draft));
            }
        }
        // Spans may stand one a line.
        let is_span =
            ["attributes", "start_time", "logs"].iter().any(|key| document.fields.contains_key(key));
        if is_span {
            spans.push(span_of(document.fields, document.source, &mut draft));
        } else if !document.fields.is_empty() {
            spans.push(of_event(document.fields, document.source));
        }
    }
    span::read(spans, draft, format, findings)
}

fn id(span: &mut Object, key: &str) -> Option<Str> {
    match span.remove(key)? {
        Json::Null => None,
        Json::String(text) => Some(text),
        other => Some(json::to_compact(&other).into()),
    }
}

fn span_of(mut span: Object, source: SourceRecord, draft: &mut Draft) -> Span {
    let logs = take_list(&mut span, "logs").unwrap_or_default();
    let events = logs.into_iter().filter_map(|log| {
        let mut log = draft.object("span.logs", log)?;
        let event = Event {
            name: take_text(&mut log, "event_name").unwrap_or_default(),
            attributes: take_object(&mut log, "attributes").unwrap_or_default(),
            body: log.remove("body").unwrap_or_default(),
            time: None,
        };
        draft.note_rest("span.log", &log);
        Some(event)
    });
    let events = events.collect();
    let read = Span {
        events,
        name: take_text(&mut span, "name").unwrap_or_default(),
        trace: id(&mut span, "trace_id").unwrap_or_default(),
        id: id(&mut span, "span_id").unwrap_or_default(),
        parent: id(&mut span, "parent_span_id"),
        start: take_time(&mut span, "start_time"),
        end: take_time(&mut span, "end_time"),
        attributes: take_object(&mut span, "attributes").unwrap_or_default(),
        error: None,
        source,
    };
    draft.note_rest("span", &span);
    read
}

/// The trace of one event: the attributes of its span, and nothing around them.
fn of_event(mut attributes: Object, source: SourceRecord) -> Span {
    let trace = id(&mut attributes, "trace_id").unwrap_or_default();
    Span {
        name: "call_llm".into(),
        trace,
        id: id(&mut attributes, "span_id").unwrap_or_default(),
        parent: None,
        start: None,
        end: None,
        attributes,
        events: Vec::new(),
        error: None,
        source,
    }
}
