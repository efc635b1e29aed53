//! OTLP: requests to export spans or log records, as JSON (one a line or one a file) or as protobuf; the same as Tempo and
//! Jaeger give it out, and as SDKs print it.
//!
//! JSON is read by our own reader: the generated one takes ids in hexadecimal and names in one spelling only, and leaves
//! out what it does not know without a word.
//!
//! Numbers are texts, names and values are pairs, ids are hexadecimal or Base64. Log records that name a span become its
//! events.

mod claude_code;
mod codex;
mod jaeger;
mod joined;
mod log;
mod printed;
mod protobuf;

use std::collections::HashSet;

use strata_model::take::{count_of, take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Str};

use super::span::{self, Event, Span};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use joined::join;
use log::Log;
pub(crate) use protobuf::is_protobuf;

pub(crate) fn is_telemetry(keys: Keys<'_>) -> bool {
    let is_export = keys.has_any(&["resourceSpans", "resourceLogs", "resource_spans", "resource_logs"]);
    // What Tempo and Jaeger give out.
    let is_wrapped = keys.inner_has("trace", &["resourceSpans"])
        || keys.first_has("batches", &["resource"])
        || keys.has_all(&["traceID", "spans"])
        || keys.first_has("data", &["traceID", "spans"]);
    // What the console exporters of SDKs print.
    let is_span = |keys: Keys<'_>| keys.inner_has("context", &["trace_id", "span_id"]);
    let is_printed = is_span(keys)
        || keys.first_of("data").is_some_and(is_span)
        || keys.has_all(&["context.trace_id", "context.span_id"])
        || (keys.has_all(&["body", "trace_id", "span_id"])
            && keys.has_any(&["severity_number", "severity_text", "observed_timestamp"]));
    let is_alone = is_bare(keys) || keys.first_of("data").is_some_and(is_bare);
    is_export || is_wrapped || is_printed || is_alone
}

/// A span without the resource around it, as Phoenix gives them out.
fn is_bare(keys: Keys<'_>) -> bool {
    keys.has_any(&["trace_id", "traceId"])
        && keys.has_any(&["span_id", "spanId"])
        && keys.has_any(&BARE)
        && keys.first_has("attributes", &["key", "value"])
}

const BARE: [&str; 2] = ["start_time_unix_nano", "startTimeUnixNano"];

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "data"], repeats: false, read, read_other: Some(read_protobuf) };

fn read_protobuf(bytes: &[u8], format: Format, findings: &mut Findings) -> Option<Vec<ImportedSession>> {
    if !is_protobuf(bytes) {
        return None;
    }
    let mut draft = Draft::new("otel", "model");
    let mut reading = Reading { spans: Vec::new(), logs: Vec::new() };
    for (request, place) in protobuf::requests(bytes, findings) {
        reading.request(request, &SourceRecord::Bytes(place), &mut draft);
    }
    Some(reading.sessions(draft, format, findings))
}

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("otel", "model");
    let mut reading = Reading { spans: Vec::new(), logs: Vec::new() };
    for mut document in documents {
        for value in document.take("").into_iter().chain(document.take("data")) {
            let source = value.source();
            if let Some(request) = draft.object("file", value.json) {
                reading.request(request, &source, &mut draft);
            }
        }
        let source = document.source.clone();
        reading.request(document.fields, &source, &mut draft);
    }
    reading.sessions(draft, format, findings)
}

/// A span as SDKs print it, or with its attributes as objects in objects.
pub(super) fn printed_span(object: Object, source: &SourceRecord) -> Span {
    printed::span(object, source)
}

/// What lists of spans and records by scope are called.
const SCOPES: [&str; 6] = [
    "scopeSpans",
    "scope_spans",
    "scopeLogs",
    "scope_logs",
    "instrumentationLibrarySpans",
    "instrumentation_library_spans",
];

/// Every span once: exporters that try again send the same twice. Spans without ids are all kept.
fn distinct(spans: Vec<Span>, draft: &mut Draft) -> Vec<Span> {
    let mut seen = HashSet::new();
    let mut kept = Vec::with_capacity(spans.len());
    for span in spans {
        if span.id.is_empty() || seen.insert((span.trace.clone(), span.id.clone())) {
            kept.push(span);
        } else {
            draft.unmapped.record("repeated span", span.source);
        }
    }
    kept
}

struct Reading {
    spans: Vec<Span>,
    logs: Vec<Log>,
}

impl Reading {
    fn sessions(self, mut draft: Draft, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
        let Self { spans, logs } = self;
        let mut spans = distinct(spans, &mut draft);
        let logs = claude_code::take_calls(&mut spans, logs, &mut draft);
        let logs = codex::take_calls(&mut spans, logs, &mut draft);
        join(&mut spans, logs, &mut draft);
        span::read(spans, draft, format, findings)
    }

    fn request(&mut self, mut request: Object, source: &SourceRecord, draft: &mut Draft) {
        if let Some(inner) = take_object(&mut request, "trace") {
            self.request(inner, source, draft);
        }
        if let Some(spans) = jaeger::spans(&mut request, source) {
            return self.spans.extend(spans);
        }
        if printed::is_span(&request) {
            return self.spans.push(printed::span(request, source));
        }
        if printed::is_log(&request) {
            return self.logs.push(printed::log(request, source));
        }
        if BARE.iter().any(|key| request.contains_key(key)) {
            match span_of(Json::Object(request), source, draft) {
                Some(span) => self.spans.push(span),
                None => draft.unmapped.record("span without ids", source.clone()),
            }
            return;
        }
        for key in ["resourceSpans", "resource_spans", "resourceLogs", "resource_logs", "batches"] {
            for resource in take_list(&mut request, key).unwrap_or_default() {
                let Some(mut resource) = draft.object(key, resource) else { continue };
                let is_codex = codex::is_own(&service_of(&resource));
                for key in SCOPES {
                    for scope in take_list(&mut resource, key).unwrap_or_default() {
                        let Some(mut scope) = draft.object(key, scope) else { continue };
                        for one in take_list(&mut scope, "spans").unwrap_or_default() {
                            match span_of(one, source, draft) {
                                Some(_) if is_codex => {
                                    draft.unmapped.record("span of Codex's insides", source.clone());
                                }
                                Some(span) => self.spans.push(span),
                                None => draft.unmapped.record("span without ids", source.clone()),
                            }
                        }
                        for one in
                            take_any(&mut scope, &["logRecords", "log_records"]).into_iter().flat_map(items)
                        {
                            match log_of(one, source) {
                                Some(log) => self.logs.push(log),
                                None => draft.unmapped.record("log record", source.clone()),
                            }
                        }
                        note_holder("scope", scope, draft);
                    }
                }
                note_holder("resource", resource, draft);
            }
        }
        draft.note_rest("export request", &request);
    }
}

/// What program a resource is.
fn service_of(resource: &Object) -> Str {
    let about = resource.get("resource").and_then(|about| about.get("attributes")).cloned();
    attributes(about).get("service.name").and_then(Json::as_str).unwrap_or_default().into()
}

/// Counts what is said of a resource or a scope, by attribute.
fn note_holder(name: &str, mut holder: Object, draft: &mut Draft) {
    for key in [name, "instrumentationLibrary", "instrumentation_library"] {
        if let Some(mut about) = take_object(&mut holder, key) {
            let attributes = attributes(about.remove("attributes"));
            draft.note_rest(name, &attributes);
            draft.note_rest(name, &about);
        }
    }
    draft.note_rest(name, &holder);
}

fn items(value: Json) -> Vec<Json> {
    match value {
        Json::Array(items) => items,
        _ => Vec::new(),
    }
}

fn span_of(span: Json, source: &SourceRecord, draft: &mut Draft) -> Option<Span> {
    let Json::Object(mut span) = span else { return None };
    let status = take_object(&mut span, "status").unwrap_or_default();
    let is_error = status
        .get("code")
        .is_some_and(|code| count_of(code) == Some(2) || code.as_str() == Some("STATUS_CODE_ERROR"));
    let message = status.get("message").and_then(Json::as_str).unwrap_or("the call failed");
    let parent = take_text(&mut span, "parentSpanId").or_else(|| take_text(&mut span, "parent_span_id"));
    let read = Span {
        name: take_text(&mut span, "name").unwrap_or_default(),
        trace: take_any(&mut span, &["traceId", "trace_id"])?.as_str()?.into(),
        id: take_any(&mut span, &["spanId", "span_id"])?.as_str()?.into(),
        parent: parent.filter(|parent| !parent.is_empty()),
        start: take_time(&mut span, "startTimeUnixNano")
            .or_else(|| take_time(&mut span, "start_time_unix_nano")),
        end: take_time(&mut span, "endTimeUnixNano").or_else(|| take_time(&mut span, "end_time_unix_nano")),
        attributes: attributes(span.remove("attributes")),
        events: take_list(&mut span, "events").unwrap_or_default().into_iter().filter_map(event_of).collect(),
        error: is_error.then(|| message.into()),
        source: source.clone(),
    };
    for (key, value) in
        span.iter().filter(|(key, _)| !matches!(&***key, "kind" | "flags" | "droppedAttributesCount"))
    {
        if value.is_truthy() {
            draft.unmapped.field("span", key, value);
        }
    }
    Some(read)
}

fn event_of(event: Json) -> Option<Event> {
    let Json::Object(mut event) = event else { return None };
    let name = take_text(&mut event, "name").unwrap_or_default();
    Some(Event { name, attributes: attributes(event.remove("attributes")), body: Json::Null, time: None })
}

fn log_of(log: Json, source: &SourceRecord) -> Option<Log> {
    let Json::Object(mut log) = log else { return None };
    let mut id = |keys: &[&str]| take_first_text(&mut log, keys).unwrap_or_default();
    let (trace, span) = (id(&["traceId", "trace_id"]), id(&["spanId", "span_id"]));
    let attributes = attributes(log.remove("attributes"));
    let written =
        take_any(&mut log, &["eventName", "event_name"]).and_then(|name| name.as_str().map(Str::from));
    // Loggers of Rust write the place in the source as the name.
    let name = attributes.get("event.name").and_then(Json::as_str).map(Str::from).or(written);
    let times = ["timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "observed_time_unix_nano"];
    let time = times.iter().find_map(|key| take_time(&mut log, key).filter(|time| *time > 0.0));
    Some(Log {
        trace,
        span,
        time,
        event: Event {
            name: name.unwrap_or_default(),
            attributes,
            body: log.remove("body").map(plain).unwrap_or_default(),
            time,
        },
        source: source.clone(),
    })
}

/// `[{key, value: {stringValue: …}}]` as an object; an object stays what it is.
fn attributes(value: Option<Json>) -> Object {
    match value {
        Some(Json::Array(pairs)) => pairs
            .into_iter()
            .filter_map(|pair| {
                let Json::Object(mut pair) = pair else { return None };
                Some((take_text(&mut pair, "key")?, plain(pair.remove("value").unwrap_or_default())))
            })
            .collect(),
        Some(Json::Object(object)) => object,
        _ => Object::new(),
    }
}

/// The value inside of its type.
fn plain(value: Json) -> Json {
    let Json::Object(mut object) = value else { return value };
    // Some write every type, and null for all but one.
    if object.contains_key("string_value") || object.contains_key("stringValue") {
        object.retain(|_, value| !value.is_null());
    }
    if object.len() != 1 {
        return if object.is_empty() { Json::Null } else { Json::Object(object) };
    }
    let mut take = |keys: [&str; 2]| keys.iter().find_map(|key| object.remove(key));
    if let Some(inner) = take(["intValue", "int_value"]) {
        return count_of(&inner).and_then(|count| i64::try_from(count).ok()).map_or(inner, Json::Int);
    }
    for keys in [
        ["stringValue", "string_value"],
        ["boolValue", "bool_value"],
        ["doubleValue", "double_value"],
        ["bytesValue", "bytes_value"],
    ] {
        if let Some(inner) = take(keys) {
            return inner;
        }
    }
    if let Some(list) = take(["arrayValue", "array_value"]) {
        let values = match list {
            Json::Object(mut list) => take_list(&mut list, "values").unwrap_or_default(),
            _ => Vec::new(),
        };
        return values.into_iter().map(plain).collect::<Vec<_>>().into();
    }
    if let Some(pairs) = take(["kvlistValue", "kvlist_value"]) {
        let pairs = if let Json::Object(mut pairs) = pairs { pairs.remove("values") } else { None };
        return Json::Object(attributes(pairs));
    }
    Json::Object(object)
}
