//! The database of Phoenix: a span a row, its attributes as objects in objects.

use std::collections::HashMap;

use strata_model::{Json, Object, Str};

use super::{otlp, span};
use crate::draft::Draft;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::rows::{json_of, object_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, Table, TableError, TableSource};

pub(crate) fn is_database(all: &[Table]) -> bool {
    tables::has_column(all, "spans", "trace_rowid") && tables::has_column(all, "traces", "trace_id")
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let draft = Draft::new("phoenix", "model");
    let mut traces: HashMap<Str, Str> = HashMap::new();
    source.rows("traces", &["id", "trace_id"], &["id"], &mut |row| {
        if let (Some(row_id), Some(trace)) = (text_of(row.first()), text_of(row.get(1))) {
            traces.insert(row_id, trace);
        }
    })?;
    let columns = [
        "id",
        "trace_rowid",
        "span_id",
        "parent_id",
        "name",
        "span_kind",
        "start_time",
        "end_time",
        "attributes",
        "events",
        "status_code",
        "status_message",
    ];
    let mut spans = Vec::new();
    source.rows("spans", &columns, &["start_time", "id"], &mut |row| {
        let id = text_of(row.first()).unwrap_or_default();
        let place = format!("span {id}");
        let trace = text_of(row.get(1)).and_then(|trace| traces.get(&trace).cloned());
        let mut context = Object::new();
        context.push("trace_id", trace.unwrap_or_default());
        context.push("span_id", text_of(row.get(2)).unwrap_or_default());
        let mut told = Object::from_iter([("context", Json::Object(context))]);
        for at in [3, 4, 5, 6, 7, 10, 11] {
            told.push_some(columns[at], text_of(row.get(at)));
        }
        told.push("attributes", object_of(row.get(8), &place, findings));
        told.push("events", json_of(row.get(9), &place, findings));
        spans.push(otlp::printed_span(told, &SourceRecord::Row { table: "spans", id }));
    })?;
    Ok(span::read(spans, draft, format, findings))
}
