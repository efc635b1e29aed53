//! Traces as Jaeger gives them out: `{data: [{traceID, spans: [{operationName, references, tags, logs}]}]}`, times in
//! microseconds.

use strata_model::take::{take_list, take_text};
use strata_model::{Json, Object, Str};

use crate::source::SourceRecord;
use crate::telemetry::span::{Event, Span};

/// The spans of a trace; `None` when it is none of Jaeger's.
pub(super) fn spans(trace: &mut Object, source: &SourceRecord) -> Option<Vec<Span>> {
    trace.get("traceID")?;
    let spans = take_list(trace, "spans")?.into_iter().filter_map(|span| match span {
        Json::Object(span) => Some(span_of(span, source)),
        _ => None,
    });
    Some(spans.collect())
}

fn span_of(mut span: Object, source: &SourceRecord) -> Span {
    let attributes = tags(take_list(&mut span, "tags"));
    let is_error = attributes.get("error").is_some_and(Json::is_truthy)
        || attributes.get("otel.status_code").and_then(Json::as_str) == Some("ERROR");
    let told = attributes.get("otel.status_description").and_then(Json::as_str).unwrap_or("the call failed");
    let references = take_list(&mut span, "references").unwrap_or_default();
    let parent = references.iter().find_map(|it| it.get("spanID")?.as_str()).map(Str::from);
    let logs = take_list(&mut span, "logs").unwrap_or_default().into_iter().map(|log| {
        let fields = log.get("fields").and_then(Json::as_array).map(<[Json]>::to_vec);
        let mut attributes = tags(fields);
        let name = take_text(&mut attributes, "event").or_else(|| take_text(&mut attributes, "event.name"));
        Event { name: name.unwrap_or_default(), attributes, body: Json::Null, time: None }
    });
    let micros = |key: &str| span.get(key).and_then(Json::as_f64);
    let start = micros("startTime").map(|start| start / 1e6);
    Span {
        events: logs.collect(),
        start,
        end: start.zip(micros("duration")).map(|(start, duration)| start + duration / 1e6),
        name: take_text(&mut span, "operationName").unwrap_or_default(),
        trace: take_text(&mut span, "traceID").unwrap_or_default(),
        id: take_text(&mut span, "spanID").unwrap_or_default(),
        parent: parent.or_else(|| take_text(&mut span, "parentSpanID")).filter(|id| !id.is_empty()),
        error: is_error.then(|| told.into()),
        attributes,
        source: source.clone(),
    }
}

/// `[{key, type, value}]` as an object.
fn tags(tags: Option<Vec<Json>>) -> Object {
    let tags = tags.unwrap_or_default().into_iter().filter_map(|tag| {
        let Json::Object(mut tag) = tag else { return None };
        Some((take_text(&mut tag, "key")?, tag.remove("value").unwrap_or_default()))
    });
    tags.collect()
}
