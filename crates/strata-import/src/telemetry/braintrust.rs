//! Spans of Braintrust, as its SDKs send them and its exports have them: a row a span, by root.

use std::collections::HashMap;

use strata_model::take::{listed, take_first_text, take_list, take_object, take_text, unpacked};
use strata_model::{Json, Object, Str};
use strata_wire::usage::spelling::BRAINTRUST;
use strata_wire::{Answer, is_request};

use crate::align::{Step, sessions};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::exchange::{Exchange, ExchangeContext};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

/// A span, or an answer of the interface with a list of them.
pub(crate) fn is_span(keys: Keys<'_>) -> bool {
    let is_one = |keys: Keys<'_>| {
        keys.has_all(&["root_span_id", "span_id"]) && keys.has_any(&["span_attributes", "span_parents"])
    };
    is_one(keys) || LISTS.iter().any(|list| keys.first_of(list).is_some_and(is_one))
}

const LISTS: [&str; 4] = ["", "events", "data", "rows"];

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &LISTS, repeats: true, read, read_other: None };

struct Span {
    fields: Object,
    id: Str,
    root: Str,
    parent: Option<Str>,
    kind: Str,
    name: Str,
    source: SourceRecord,
}

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("braintrust", "model");
    let mut spans: Vec<Span> = Vec::new();
    let mut places: HashMap<Str, usize> = HashMap::new();
    for mut document in documents {
        let mut values: Vec<(SourceRecord, Json)> = Vec::new();
        for list in LISTS {
            values.extend(document.take(list).into_iter().map(|value| (value.source(), value.json)));
        }
        if values.is_empty() {
            values.push((document.source, Json::Object(document.fields)));
        }
        for (source, value) in values {
            let Some(fields) = draft.object("spans", value) else { continue };
            let Some(span) = span_of(fields, source.clone()) else {
                draft.unmapped.record("record that is no span", source);
                continue;
            };
            // A span is sent when it begins and again with what came of it.
            match places.get(&span.id) {
                Some(at) => spans[*at].fields.update(&span.fields),
                None => {
                    places.insert(span.id.clone(), spans.len());
                    spans.push(span);
                }
            }
        }
    }
    let agents: Vec<Option<Str>> = spans.iter().map(|span| agent_of(span, &spans, &places)).collect();
    let nested: Vec<bool> = spans.iter().map(|span| is_nested(span, &spans, &places)).collect();
    give_errors(&mut spans, &places);
    let mut steps = Vec::new();
    for ((span, agent), is_nested) in spans.into_iter().zip(agents).zip(nested) {
        if &*span.kind != "llm" || is_nested {
            let kind =
                if is_nested { "inner span of a call".to_owned() } else { format!("span.{}", span.kind) };
            draft.unmapped.record(&kind, span.source);
            continue;
        }
        steps.push(Step::Exchange(Box::new(exchange(span, agent, &mut draft))));
    }
    sessions(steps, draft, format, findings)
}

fn span_of(mut fields: Object, source: SourceRecord) -> Option<Span> {
    let mut about = take_object(&mut fields, "span_attributes").unwrap_or_default();
    let parents = take_list(&mut fields, "span_parents").unwrap_or_default();
    Some(Span {
        id: take_first_text(&mut fields, &["span_id"])?,
        root: take_first_text(&mut fields, &["root_span_id"])?,
        parent: parents.first().and_then(Json::as_str).map(Str::from),
        kind: take_text(&mut about, "type").unwrap_or_else(|| "span".into()),
        name: take_text(&mut about, "name").unwrap_or_default(),
        fields,
        source,
    })
}

/// Spans above one, the nearest first.
fn above<'s>(
    span: &'s Span,
    spans: &'s [Span],
    places: &'s HashMap<Str, usize>,
) -> impl Iterator<Item = &'s Span> {
    let parent = |span: &Span| Some(&spans[*places.get(span.parent.as_ref()?)?]);
    std::iter::successors(parent(span), move |span| parent(span)).take(spans.len())
}

/// Libraries below one another each write a span of a call.
fn is_nested(span: &Span, spans: &[Span], places: &HashMap<Str, usize>) -> bool {
    &*span.kind == "llm" && above(span, spans, places).any(|above| &*above.kind == "llm")
}

/// The nearest tool above a call is the sub-agent that made it.
fn agent_of(span: &Span, spans: &[Span], places: &HashMap<Str, usize>) -> Option<Str> {
    let tool = above(span, spans, places).find(|above| &*above.kind == "tool")?;
    Some(tool.name.clone()).filter(|name| !name.is_empty())
}

/// Some clients write the error of a call on the span around it alone.
fn give_errors(spans: &mut [Span], places: &HashMap<Str, usize>) {
    let is_unanswered = |span: &Span| {
        &*span.kind == "llm" && !["output", "error"].iter().any(|key| span.fields.contains_key(key))
    };
    let unanswered = (0..spans.len()).filter(|at| is_unanswered(&spans[*at]));
    let found = unanswered.filter_map(|at| {
        let parent = *places.get(spans[at].parent.as_ref()?)?;
        Some((at, spans[parent].fields.get("error").filter(|error| error.is_truthy())?.clone()))
    });
    for (at, error) in found.collect::<Vec<_>>() {
        spans[at].fields.insert("error", error);
    }
}

fn exchange(span: Span, agent: Option<Str>, draft: &mut Draft) -> Exchange {
    let Span { mut fields, root, source, .. } = span;
    let mut metadata = take_object(&mut fields, "metadata").unwrap_or_default();
    let model = take_first_text(&mut metadata, &["model"]);
    let mut body = Object::new();
    body.push_some("model", model.clone());
    // What is said of the call are the settings of its request, and what the provider says of its answer.
    for key in ["id", "status", "created_at", "object", "provider", "service_tier"] {
        metadata.remove(key);
    }
    for (key, value) in metadata {
        body.push(key, value);
    }
    match fields.remove("input").map(|input| draft.bodies.unpacked(input)) {
        None | Some(Json::Null) => {}
        Some(Json::Object(input)) if is_request(&input) => body.update(&input),
        Some(input) => body.push("messages", listed(input)),
    }
    let is_recorded = is_request(&body);
    let turns = if is_recorded { draft.reader().turns_of(&body) } else { Vec::new() };
    let mut answer = match fields.remove("output").map(unpacked) {
        None | Some(Json::Null) => Answer::default(),
        // The choices of Chat Completions.
        Some(Json::Array(items)) if items.first().is_some_and(|item| item.get("message").is_some()) => {
            draft.reader().answer(Object::from_iter([("choices", Json::Array(items))]).into())
        }
        Some(output) => draft.reader().answer(output),
    };
    let mut metrics = take_object(&mut fields, "metrics").unwrap_or_default();
    let counts = BRAINTRUST.take(&mut metrics);
    if counts.input.is_some() || counts.output.is_some() {
        answer.usage = Some(counts.into());
    }
    let (time, end) = (take_time(&mut metrics, "start"), take_time(&mut metrics, "end"));
    draft.note_rest("span.metrics", &metrics);
    answer.model = answer.model.or(model);
    answer.error = match fields.remove("error") {
        None | Some(Json::Null) => answer.error,
        Some(error) => {
            let text = error.as_str().map_or_else(|| strata_model::json::to_compact(&error), str::to_owned);
            Some(("error".into(), text.lines().next().unwrap_or_default().into()))
        }
    };
    let time = time.or_else(|| take_time(&mut fields, "created"));
    for key in [
        "id",
        "created",
        "context",
        "project_id",
        "log_id",
        "org_id",
        "_xact_id",
        "_pagination_key",
        "is_root",
    ] {
        fields.remove(key);
    }
    fields.retain(|_, value| value.is_truthy());
    draft.note_rest("span", &fields);
    let about = ExchangeContext { session: Some(root), agent, ..ExchangeContext::default() };
    let body = if is_recorded { Json::Object(body) } else { Json::Null };
    Exchange { time, end, about, ..Exchange::new(source, body, turns, Some(answer)) }
}
