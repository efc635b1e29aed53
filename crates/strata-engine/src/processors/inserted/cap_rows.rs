//! Cuts long lists of rows in tool results, and says how many rows there were.

use std::sync::Arc;

use strata_model::{Contents, Json, Object, RequestContent, Str};

use super::results::{KEEP_TURNS, TOOLS, before_turns, change_results};
use super::rule::{ByContent, Change, ContentRule, RuleContext};
use super::tables::{LIMITS, replaced};
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "cap_rows",
    title: "Cap rows of tool results",
    summary: "Keeps the first rows of long lists in tool results, and tells the model in `_row_limits` how many there are.",
    params: &[
        ParamSpec {
            name: "max_rows",
            kind: ParamKind::Integer { min: 0, max: 100_000 },
            default: "20",
            unit: Some("rows"),
            doc: "Rows that are kept of a list.",
        },
        TOOLS,
        KEEP_TURNS,
    ],
    place: "model_call",
    build: |name, params, _| {
        Ok(ByContent::boxed(
            name,
            CapRows {
                max_rows: params.size("max_rows"),
                tools: params.words("tools"),
                keep_turns: params.size("keep_turns"),
            },
        ))
    },
};

#[derive(Hash)]
struct CapRows {
    max_rows: usize,
    tools: Vec<Str>,
    keep_turns: usize,
}

impl ContentRule for CapRows {
    fn change(&self, content: &Arc<RequestContent>, pen: &RuleContext<'_>) -> Change {
        change_results(content, pen, &self.tools, |_, result| self.capped(result))
    }

    fn reach(&self, contents: &Contents) -> usize {
        before_turns(contents, self.keep_turns)
    }

    fn note(&self, n: usize) -> String {
        format!("{n} contents cut to {} rows a list", self.max_rows)
    }
}

impl CapRows {
    fn capped(&self, result: &Object) -> Option<Object> {
        let mut limits = result.get(LIMITS).and_then(Json::as_object).cloned().unwrap_or_default();
        let mut capped = replaced(result, &mut |table| {
            if table.rows.len() <= self.max_rows {
                return None;
            }
            let mut limit = Object::new();
            limit.push("shown", self.max_rows as i64);
            limit.push("total", table.total);
            limits.insert(table.path.clone(), limit);
            Some(Json::Array(table.rows[..self.max_rows].to_vec()))
        })?;
        capped.insert(LIMITS, limits);
        Some(capped)
    }
}
