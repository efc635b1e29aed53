//! Traces of MLflow: exported, as the file of a trace's spans, or in the tables of its tracking database. The values of a
//! span's attributes are JSON in text.

use std::collections::HashMap;

use strata_model::take::{take_first_text, take_list, take_object, take_text, unpacked};
use strata_model::{Json, Object, Str};

use super::span::{self, Event, Span};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::rows::{object_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, Table, TableError, TableSource};
use crate::time::take_time;

/// A trace, the file of its spans, or a row of a table of traces.
pub(crate) fn is_trace(keys: Keys<'_>) -> bool {
    let is_told = |keys: Keys<'_>| {
        keys.inner("info").is_some_and(|info| info.has_any(&["trace_metadata", "request_metadata"]))
    };
    is_told(keys) && keys.has("data")
        || keys.first_of("spans").is_some_and(|span| span.inner_has("attributes", &["mlflow.traceRequestId"]))
        || keys.has_all(&["trace", "trace_metadata", "spans"])
}

pub(crate) fn is_database(all: &[Table]) -> bool {
    tables::has_column(all, "spans", "content") && tables::has(all, "trace_info")
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "data.spans", "spans"], repeats: true, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut reading = Reading { draft: Draft::new("mlflow", "model"), spans: Vec::new() };
    for mut document in documents {
        for value in document.take("") {
            let source = value.source();
            let Some(mut trace) = reading.draft.object("file", value.json) else { continue };
            let about = reading.about(&mut trace);
            let mut data = take_object(&mut trace, "data").unwrap_or_default();
            let spans = take_list(&mut data, "spans").or_else(|| take_list(&mut trace, "spans"));
            for span in spans.unwrap_or_default() {
                reading.span(span, &about, source.clone());
            }
            reading.rest(&trace);
        }
        let mut fields = std::mem::take(&mut document.fields);
        // A row of a table has the whole trace as text.
        if let Some(Json::Object(mut trace)) = take_text(&mut fields, "trace").map(|it| unpacked(it.into())) {
            let about = reading.about(&mut trace);
            let mut data = take_object(&mut trace, "data").unwrap_or_default();
            for span in take_list(&mut data, "spans").unwrap_or_default() {
                reading.span(span, &about, document.source.clone());
            }
            continue;
        }
        let about = reading.about(&mut fields);
        for list in ["data.spans", "spans"] {
            for value in document.take(list) {
                let source = value.source();
                reading.span(value.json, &about, source);
            }
        }
        fields.remove("data");
        reading.rest(&fields);
    }
    span::read(reading.spans, reading.draft, format, findings)
}

/// What is said of a trace.
#[derive(Default)]
struct About {
    session: Option<Str>,
}

struct Reading {
    draft: Draft,
    spans: Vec<Span>,
}

impl Reading {
    fn about(&mut self, trace: &mut Object) -> About {
        let mut info = take_object(trace, "info").unwrap_or_default();
        let mut metadata = take_object(&mut info, "trace_metadata")
            .or_else(|| take_object(&mut info, "request_metadata"))
            .unwrap_or_default();
        let session = take_first_text(&mut metadata, &[SESSION]);
        // They repeat the spans, and say what program it was.
        metadata.retain(|key, _| !key.starts_with("mlflow."));
        self.draft.note_rest("info.trace_metadata", &metadata);
        About { session }
    }

    fn rest(&mut self, trace: &Object) {
        self.draft.note_rest("trace", trace);
    }

    fn span(&mut self, span: Json, about: &About, source: SourceRecord) {
        let Some(span) = self.draft.object("spans", span) else { return };
        self.spans.push(span_of(span, about, source));
    }
}

const SESSION: &str = "mlflow.trace.session";

fn span_of(mut span: Object, about: &About, source: SourceRecord) -> Span {
    // Before 3.0 ids stood in a context, in hexadecimal, and the state beside it.
    let mut context = take_object(&mut span, "context").unwrap_or_default();
    let mut id =
        |names: &[&str]| take_first_text(&mut span, names).or_else(|| take_first_text(&mut context, names));
    let (trace, own) = (id(&["trace_id"]), id(&["span_id"]));
    let parent = id(&["parent_span_id", "parent_id"]);
    let mut status = take_object(&mut span, "status").unwrap_or_default();
    let code =
        take_first_text(&mut status, &["code"]).or_else(|| take_first_text(&mut span, &["status_code"]));
    let told = take_first_text(&mut status, &["message"])
        .or_else(|| take_first_text(&mut span, &["status_message"]));
    let mut attributes = Object::new();
    for (key, value) in take_object(&mut span, "attributes").unwrap_or_default() {
        // Bodies stay as they are until somebody reads them.
        let is_body = matches!(&*key, "mlflow.spanInputs" | "mlflow.spanOutputs");
        attributes.insert(key, if is_body { value } else { unpacked(value) });
    }
    if let Some(session) = &about.session {
        attributes.insert("session.id", session.clone());
    }
    let name = take_text(&mut span, "name").unwrap_or_default();
    if attributes.get("mlflow.spanType").and_then(Json::as_str) == Some("AGENT") {
        attributes.insert("agent.name", name.clone());
    }
    let events = take_list(&mut span, "events").unwrap_or_default().into_iter().filter_map(|event| {
        let Json::Object(mut event) = event else { return None };
        Some(Event {
            name: take_text(&mut event, "name").unwrap_or_default(),
            attributes: take_object(&mut event, "attributes").unwrap_or_default(),
            body: Json::Null,
            time: None,
        })
    });
    let events: Vec<Event> = events.collect();
    let is_error = code.is_some_and(|code| code.ends_with("ERROR"));
    let thrown = events.iter().find_map(|event| event.attributes.get("exception.message")?.as_str());
    let told = told.filter(|told| !told.is_empty()).or_else(|| thrown.map(Str::from));
    let mut time = |names: &[&str]| names.iter().find_map(|name| take_time(&mut span, name));
    Span {
        name,
        trace: trace.unwrap_or_default(),
        id: own.unwrap_or_default(),
        parent,
        start: time(&["start_time_unix_nano", "start_time"]),
        end: time(&["end_time_unix_nano", "end_time"]),
        attributes,
        events,
        error: is_error.then(|| told.unwrap_or_else(|| "the call failed".into())),
        source,
    }
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let draft = Draft::new("mlflow", "model");
    let mut sessions: HashMap<Str, Str> = HashMap::new();
    if tables::has_column(&source.tables()?, "trace_request_metadata", "value") {
        let columns = ["request_id", "key", "value"];
        source.rows("trace_request_metadata", &columns, &["request_id", "key"], &mut |row| {
            if text_of(row.get(1)).as_deref() == Some(SESSION)
                && let (Some(trace), Some(session)) = (text_of(row.first()), text_of(row.get(2)))
            {
                sessions.insert(trace, session);
            }
        })?;
    }
    let (mut spans, mut n_elsewhere) = (Vec::new(), 0);
    let columns = ["trace_id", "span_id", "content"];
    let order = ["start_time_unix_nano", "trace_id", "span_id"];
    source.rows("spans", &columns, &order, &mut |row| {
        let trace = text_of(row.first()).unwrap_or_default();
        let id = format!("{trace}/{}", text_of(row.get(1)).unwrap_or_default());
        let span = object_of(row.get(2), &format!("span {id}"), findings);
        if span.is_empty() {
            n_elsewhere += 1;
            return;
        }
        let record = SourceRecord::Row { table: "spans", id: id.into() };
        let about = About { session: sessions.get(&trace).cloned() };
        spans.push(span_of(span, &about, record));
    })?;
    if n_elsewhere > 0 {
        let message = format!(
            "{n_elsewhere} spans of this database are kept elsewhere; export their traces with `Trace.to_json` and \
             import these"
        );
        findings.warning("spans-elsewhere", "", message);
    }
    Ok(span::read(spans, draft, format, findings))
}
