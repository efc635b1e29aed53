//! Requests to export telemetry (OTLP): read from protobuf into the shape that the JSON of the same request has, and the
//! answers to them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, LogsData};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{Span, TracesData};
use prost::Message as _;
use strata_model::{Json, Object};

const TRACE_ID: usize = 16;
const SPAN_ID: usize = 8;

/// A request of either kind, by what it holds: both have the same fields.
pub fn export_request(bytes: &[u8]) -> Option<Object> {
    let traces = TracesData::decode(bytes).ok().filter(|traces| {
        let mut spans = traces.resource_spans.iter().flat_map(|it| &it.scope_spans).flat_map(|it| &it.spans);
        spans.all(|span| span.trace_id.len() == TRACE_ID && span.span_id.len() == SPAN_ID)
    });
    traces.map(of_traces).or_else(|| logs(bytes))
}

/// A request to export spans.
pub fn traces(bytes: &[u8]) -> Option<Object> {
    TracesData::decode(bytes).ok().map(of_traces)
}

/// A request to export log records.
pub fn logs(bytes: &[u8]) -> Option<Object> {
    LogsData::decode(bytes).ok().map(of_logs)
}

/// A number and a text as `google.rpc.Status` has them, and what an exporter is told of records that were not taken.
pub fn status(number: i64, text: &str) -> Vec<u8> {
    let mut message = Vec::new();
    prost::encoding::int64::encode(1, &number, &mut message);
    prost::encoding::string::encode(2, &text.to_owned(), &mut message);
    message
}

/// The answer to an exporter some of whose records were not taken.
pub fn partial_success(n_rejected: i64, why: &str) -> Vec<u8> {
    let mut message = Vec::new();
    prost::encoding::bytes::encode(1, &status(n_rejected, why), &mut message);
    message
}

fn of_traces(traces: TracesData) -> Object {
    let resources = traces.resource_spans.into_iter().map(|spans| {
        let scopes = spans.scope_spans.into_iter().map(|spans| {
            let items = spans.spans.into_iter().map(span);
            holder("scope", spans.scope.map(scope), spans.schema_url, "spans", items.collect())
        });
        let about = spans.resource.map(resource);
        holder("resource", about, spans.schema_url, "scopeSpans", scopes.collect())
    });
    Object::from_iter([("resourceSpans", resources.collect::<Vec<Json>>())])
}

fn of_logs(logs: LogsData) -> Object {
    let resources = logs.resource_logs.into_iter().map(|logs| {
        let scopes = logs.scope_logs.into_iter().map(|logs| {
            let items = logs.log_records.into_iter().map(log_record);
            holder("scope", logs.scope.map(scope), logs.schema_url, "logRecords", items.collect())
        });
        let about = logs.resource.map(resource);
        holder("resource", about, logs.schema_url, "scopeLogs", scopes.collect())
    });
    Object::from_iter([("resourceLogs", resources.collect::<Vec<Json>>())])
}

fn holder(name: &str, about: Option<Object>, schema: String, list: &str, items: Vec<Json>) -> Json {
    let mut holder = Object::new();
    holder.push_some(name, about);
    push_text(&mut holder, "schemaUrl", schema);
    holder.push(list, items);
    Json::Object(holder)
}

fn resource(resource: Resource) -> Object {
    Object::from_iter([("attributes", attributes(resource.attributes))])
}

fn scope(scope: InstrumentationScope) -> Object {
    let mut about = Object::new();
    push_text(&mut about, "name", scope.name);
    push_text(&mut about, "version", scope.version);
    about.push("attributes", attributes(scope.attributes));
    about
}

fn span(span: Span) -> Json {
    let mut object = Object::new();
    object.push("traceId", hex(&span.trace_id));
    object.push("spanId", hex(&span.span_id));
    push_text(&mut object, "parentSpanId", hex(&span.parent_span_id));
    push_text(&mut object, "traceState", span.trace_state);
    object.push("name", span.name);
    object.push("startTimeUnixNano", nanoseconds(span.start_time_unix_nano));
    object.push("endTimeUnixNano", nanoseconds(span.end_time_unix_nano));
    object.push("attributes", attributes(span.attributes));
    let events = span.events.into_iter().map(|event| {
        let attributes = attributes(event.attributes);
        Object::from_iter([("name", Json::from(event.name)), ("attributes", attributes)]).into()
    });
    object.push("events", events.collect::<Vec<Json>>());
    if !span.links.is_empty() {
        let ids = span.links.iter().map(|link| {
            Object::from_iter([("traceId", hex(&link.trace_id)), ("spanId", hex(&link.span_id))]).into()
        });
        object.push("links", ids.collect::<Vec<Json>>());
    }
    let left_out =
        [("droppedEventsCount", span.dropped_events_count), ("droppedLinksCount", span.dropped_links_count)];
    for (key, count) in left_out.into_iter().filter(|(_, count)| *count > 0) {
        object.push(key, i64::from(count));
    }
    if let Some(status) = span.status {
        let mut told = Object::from_iter([("code", Json::from(i64::from(status.code)))]);
        push_text(&mut told, "message", status.message);
        object.push("status", told);
    }
    Json::Object(object)
}

fn log_record(record: LogRecord) -> Json {
    let mut object = Object::new();
    push_text(&mut object, "traceId", hex(&record.trace_id));
    push_text(&mut object, "spanId", hex(&record.span_id));
    push_text(&mut object, "eventName", record.event_name);
    object.push("timeUnixNano", nanoseconds(record.time_unix_nano));
    object.push("observedTimeUnixNano", nanoseconds(record.observed_time_unix_nano));
    object.push("attributes", attributes(record.attributes));
    object.push_some("body", record.body.map(value));
    Json::Object(object)
}

fn attributes(pairs: Vec<KeyValue>) -> Json {
    let members = pairs.into_iter().map(|pair| (pair.key, pair.value.map(value).unwrap_or_default()));
    Json::Object(members.collect())
}

fn value(any: AnyValue) -> Json {
    match any.value {
        Some(Value::StringValue(text)) => text.into(),
        Some(Value::BoolValue(is)) => is.into(),
        Some(Value::IntValue(number)) => number.into(),
        Some(Value::DoubleValue(number)) => number.into(),
        Some(Value::ArrayValue(list)) => Json::Array(list.values.into_iter().map(value).collect()),
        Some(Value::KvlistValue(list)) => attributes(list.values),
        Some(Value::BytesValue(bytes)) => STANDARD.encode(bytes).into(),
        // An index into a table that profiles have, and spans and log records have not.
        Some(Value::StringValueStrindex(_)) | None => Json::Null,
    }
}

fn push_text(object: &mut Object, key: &str, text: String) {
    if !text.is_empty() {
        object.push(key, text);
    }
}

fn nanoseconds(time: u64) -> Json {
    i64::try_from(time).map_or(Json::Null, Json::Int)
}

fn hex(id: &[u8]) -> String {
    id.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}
