//! Puts totals, counts and the top rows in place of long lists of rows. No model is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::{Contents, Json, Object, RequestContent, Str};

use super::results::{KEEP_TURNS, TOOLS, before_turns, change_results};
use super::rule::{ByContent, Change, ContentRule, RuleContext};
use super::tables::{Table, replaced};
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};

/// Columns of a summary; wider tables have more than a model needs.
const MAX_COLUMNS: usize = 24;
/// Values of a column that are counted one by one.
const MOST_COMMON: usize = 3;
/// A longer value is none that repeats.
const MAX_VALUE_CHARS: usize = 80;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "summarize_results",
    title: "Summarise tables in tool results",
    summary: "Puts the number of rows, totals and ranges of number columns, the most common values of text columns, and the top rows in place of long lists. Computed, without a model.",
    params: &[
        ParamSpec {
            name: "min_rows",
            kind: ParamKind::Integer { min: 2, max: 100_000 },
            default: "20",
            unit: Some("rows"),
            doc: "Lists with fewer rows stay as they are.",
        },
        ParamSpec {
            name: "top_rows",
            kind: ParamKind::Integer { min: 0, max: 1000 },
            default: "5",
            unit: Some("rows"),
            doc: "Rows that are shown in full.",
        },
        ParamSpec {
            name: "order_by",
            kind: ParamKind::Text,
            default: "null",
            unit: None,
            doc: "The number column whose largest values make the top rows; left empty, the first rows are shown.",
        },
        TOOLS,
        KEEP_TURNS,
    ],
    place: "model_call",
    build: |name, params, _| {
        Ok(ByContent::boxed(
            name,
            Summarize {
                min_rows: params.size("min_rows"),
                top_rows: params.size("top_rows"),
                order_by: Some(params.text("order_by")).filter(|column| !column.is_empty()),
                tools: params.words("tools"),
                keep_turns: params.size("keep_turns"),
            },
        ))
    },
};

#[derive(Hash)]
struct Summarize {
    min_rows: usize,
    top_rows: usize,
    order_by: Option<Str>,
    tools: Vec<Str>,
    keep_turns: usize,
}

impl ContentRule for Summarize {
    fn change(&self, content: &Arc<RequestContent>, pen: &RuleContext<'_>) -> Change {
        change_results(content, pen, &self.tools, |_, result| {
            replaced(result, &mut |table| {
                (table.rows.len() >= self.min_rows).then(|| Json::Object(self.summary(table)))
            })
        })
    }

    fn reach(&self, contents: &Contents) -> usize {
        before_turns(contents, self.keep_turns)
    }

    fn note(&self, n: usize) -> String {
        format!("tables of {n} contents summarised")
    }
}

impl Summarize {
    fn summary(&self, table: &Table<'_>) -> Object {
        let mut columns = Object::new();
        for name in column_names(table.rows).into_iter().take(MAX_COLUMNS) {
            let values: Vec<&Json> = table.rows.iter().filter_map(|row| row.get(&name)).collect();
            if let Some(column) = column(&values) {
                columns.push(name, column);
            }
        }
        let mut summary = Object::new();
        summary.push("total_rows", table.total);
        summary.push("columns", columns);
        summary.push("top_rows", self.top(table.rows));
        summary
    }

    fn top(&self, rows: &[Json]) -> Vec<Json> {
        let mut rows: Vec<&Json> = rows.iter().collect();
        if let Some(column) = &self.order_by {
            let value = |row: &Json| row.get(column).and_then(Json::as_f64).unwrap_or(f64::NEG_INFINITY);
            rows.sort_by(|a, b| value(b).total_cmp(&value(a)));
        }
        rows.into_iter().take(self.top_rows).cloned().collect()
    }
}

/// Keys of all rows in the order in which they first appear.
fn column_names(rows: &[Json]) -> Vec<Str> {
    let mut names: Vec<Str> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for row in rows.iter().filter_map(Json::as_object) {
        for key in row.keys() {
            if known.insert(key.clone()) {
                names.push(key.clone());
            }
        }
    }
    names
}

fn column(values: &[&Json]) -> Option<Object> {
    let present: Vec<&Json> = values.iter().copied().filter(|value| !value.is_null()).collect();
    if present.is_empty() {
        return None;
    }
    if present.iter().all(|value| matches!(value, Json::Int(_) | Json::Float(_))) {
        return Some(numbers(&present));
    }
    let texts: Option<Vec<&str>> = present.iter().map(|value| value.as_str()).collect();
    texts.map(|texts| words(&texts))
}

fn numbers(values: &[&Json]) -> Object {
    let by_value = |a: &&&Json, b: &&&Json| a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0));
    let mut out = Object::new();
    out.push("sum", sum(values));
    // The first of equal ones, as Python's `min` and `max` choose.
    out.push_some("min", values.iter().min_by(by_value).map(|value| (**value).clone()));
    out.push_some("max", values.iter().rev().max_by(by_value).map(|value| (**value).clone()));
    out
}

/// Whole numbers stay whole.
fn sum(values: &[&Json]) -> Json {
    let whole = values.iter().try_fold(0_i64, |sum, value| match value {
        Json::Int(value) => sum.checked_add(*value),
        _ => None,
    });
    match whole {
        Some(sum) => Json::Int(sum),
        None => {
            Json::Float(values.iter().filter_map(|value| value.as_f64()).fold(0.0, |sum, value| sum + value))
        }
    }
}

fn words(texts: &[&str]) -> Object {
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    let mut out = Object::new();
    out.push("distinct", counts.len() as i64);
    let mut repeated: Vec<(&str, i64)> = counts
        .into_iter()
        .filter(|(text, count)| *count > 1 && text.chars().count() <= MAX_VALUE_CHARS)
        .collect();
    repeated.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    if !repeated.is_empty() {
        out.push("most_common", repeated.into_iter().take(MOST_COMMON).collect::<Object>());
    }
    out
}
