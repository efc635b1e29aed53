//! Spans and log records as the console exporters of SDKs print them, an object each, ids with `0x` before them; and spans
//! as Phoenix exports them, whose attributes are objects in objects.

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text, unpacked};
use strata_model::{Json, Object, Str};

use super::log::Log;
use crate::source::SourceRecord;
use crate::telemetry::span::{Event, Span};
use crate::time::take_time;

pub(super) fn is_span(object: &Object) -> bool {
    let context = object.get("context").and_then(Json::as_object);
    context.is_some_and(|context| context.contains_key("trace_id") && context.contains_key("span_id"))
        || object.contains_key(FLAT_TRACE)
}

pub(super) fn is_log(object: &Object) -> bool {
    object.contains_key("body") && object.contains_key("trace_id") && object.contains_key("span_id")
}

/// A row of a data frame has a column an attribute.
const FLAT_TRACE: &str = "context.trace_id";

/// The span that a row of a data frame is.
fn unfolded(row: Object) -> Object {
    let (mut span, mut context, mut attributes) = (Object::new(), Object::new(), Object::new());
    // Every row has every column.
    for (key, value) in row.into_iter().filter(|(_, value)| !value.is_null()) {
        if let Some(name) = key.strip_prefix("context.") {
            context.push(name, value);
        } else if let Some(name) = key.strip_prefix("attributes.") {
            flatten(name, value, &mut attributes);
        } else {
            span.push(key, value);
        }
    }
    span.push("context", context);
    span.push("attributes", attributes);
    span
}

pub(super) fn span(object: Object, source: &SourceRecord) -> Span {
    let mut object = if object.contains_key(FLAT_TRACE) { unfolded(object) } else { object };
    let mut context = take_object(&mut object, "context").unwrap_or_default();
    let status = take_object(&mut object, "status").unwrap_or_default();
    let of_phoenix = take_text(&mut object, "status_code");
    let code = status.get("status_code").and_then(Json::as_str).or(of_phoenix.as_deref());
    let is_error = code == Some("ERROR");
    let description = take_text(&mut object, "status_message").filter(|text| !text.is_empty());
    let told = status.get("description").and_then(Json::as_str).or(description.as_deref());
    let told = told.unwrap_or("the call failed");
    let mut attributes = Object::new();
    for (key, value) in take_object(&mut object, "attributes").unwrap_or_default() {
        let is_set = SETS.contains(&&*key);
        if is_set {
            flatten(&key, value, &mut attributes);
        } else {
            attributes.insert(key, value);
        }
    }
    if let Some(kind) = take_text(&mut object, "span_kind")
        && !attributes.contains_key(SPAN_KIND)
    {
        attributes.insert(SPAN_KIND, kind);
    }
    let events = take_list(&mut object, "events").unwrap_or_default().into_iter().filter_map(|event| {
        let Json::Object(mut event) = event else { return None };
        Some(Event {
            name: take_text(&mut event, "name").unwrap_or_default(),
            attributes: take_object(&mut event, "attributes").unwrap_or_default(),
            body: Json::Null,
            time: None,
        })
    });
    Span {
        events: events.collect(),
        name: take_text(&mut object, "name").unwrap_or_default(),
        trace: id(&mut context, &["trace_id"]),
        id: id(&mut context, &["span_id"]),
        parent: Some(id(&mut object, &["parent_id", "parent_span_id"])).filter(|id| !id.is_empty()),
        start: take_time(&mut object, "start_time"),
        end: take_time(&mut object, "end_time"),
        attributes,
        error: is_error.then(|| told.into()),
        source: source.clone(),
    }
}

const SPAN_KIND: &str = "openinference.span.kind";

/// Attributes that hold others as an object.
const SETS: [&str; 8] = ["llm", "gen_ai", "input", "output", "openinference", "session", "tool", "embedding"];

/// Adds what an attribute holds under the names it has in OTLP, such as `llm.input_messages.0.message.role`.
fn flatten(name: &str, value: Json, attributes: &mut Object) {
    match value {
        Json::Object(inner) => {
            inner.into_iter().for_each(|(key, value)| flatten(&format!("{name}.{key}"), value, attributes));
        }
        Json::Array(items) if items.iter().any(|item| item.as_object().is_some()) => {
            let items = items.into_iter().enumerate();
            items.for_each(|(at, item)| flatten(&format!("{name}.{at}"), item, attributes));
        }
        value => {
            attributes.insert(name, value);
        }
    }
}

pub(super) fn log(mut object: Object, source: &SourceRecord) -> Log {
    let attributes = take_object(&mut object, "attributes").unwrap_or_default();
    let name = take_first_text(&mut object, &["event_name"])
        .or_else(|| attributes.get("event.name").and_then(Json::as_str).map(Str::from));
    let time = take_time(&mut object, "timestamp").filter(|time| *time > 0.0);
    Log {
        trace: id(&mut object, &["trace_id"]),
        span: id(&mut object, &["span_id"]),
        time: time.or_else(|| take_time(&mut object, "observed_timestamp")),
        event: Event {
            name: name.unwrap_or_default(),
            attributes,
            body: take_any(&mut object, &["body"]).map(unpacked).unwrap_or_default(),
            time: None,
        },
        source: source.clone(),
    }
}

/// An id without its mark.
fn id(object: &mut Object, keys: &[&str]) -> Str {
    let id = take_first_text(object, keys).unwrap_or_default();
    id.strip_prefix("0x").map_or_else(|| id.clone(), Str::from)
}
