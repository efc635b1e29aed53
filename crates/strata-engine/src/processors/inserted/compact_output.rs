//! Answers of agents that are JSON, cut to the fields that are needed.

use std::sync::Arc;

use strata_model::{Contents, Json, Object, RequestContent, RequestPart, RichText, Str, json};

use super::results::{KEEP_TURNS, TOOLS, before_turns, result_of, with_result};
use super::rule::{ByContent, Change, ContentRule, PartChange, RuleContext, change_parts};
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};

/// The field in which the answer of an agent that was called as a tool stands.
const RESULT: &str = "result";

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "compact_output",
    title: "Compact answers by schema",
    summary: "Keeps the named fields of answers that are JSON, of this agent, of others, and of agents called as tools, and writes them without white space.",
    params: &[
        ParamSpec {
            name: "fields",
            kind: ParamKind::Words,
            default: "[]",
            unit: None,
            doc: "Fields that are kept, at the top and in lists at the top; all where the list is empty.",
        },
        TOOLS,
        KEEP_TURNS,
    ],
    place: "model_call",
    build: |name, params, _| {
        Ok(ByContent::boxed(
            name,
            CompactOutput {
                fields: params.words("fields"),
                tools: params.words("tools"),
                keep_turns: params.size("keep_turns"),
            },
        ))
    },
};

#[derive(Hash)]
struct CompactOutput {
    fields: Vec<Str>,
    tools: Vec<Str>,
    keep_turns: usize,
}

impl ContentRule for CompactOutput {
    fn change(&self, content: &Arc<RequestContent>, pen: &RuleContext<'_>) -> Change {
        change_parts(content, pen, |part| {
            let changed = self.result(part, pen).or_else(|| self.answer(content, part, pen));
            changed.map_or(PartChange::Keep, PartChange::Replace)
        })
    }

    fn reach(&self, contents: &Contents) -> usize {
        before_turns(contents, self.keep_turns)
    }

    fn note(&self, n: usize) -> String {
        format!("answers of {n} contents compacted")
    }
}

impl CompactOutput {
    /// An own answer, or one that is quoted: the JSON is what the event holds.
    fn answer(
        &self,
        content: &RequestContent,
        part: &RequestPart,
        pen: &RuleContext<'_>,
    ) -> Option<RequestPart> {
        let whole = part.rich_text();
        let is_quoted = whole.spans().len() == 3 && whole.spans()[1].origin.event().is_some();
        if part.part.is_thought() || (content.is_user() && !is_quoted) {
            return None;
        }
        let mut out = RichText::new();
        let mut is_changed = false;
        for (at, span) in whole.spans().iter().enumerate() {
            match self.compacted(&span.text).filter(|_| !is_quoted || at == 1) {
                Some(text) => {
                    out.push(text, span.origin.rewritten(pen.name));
                    is_changed = true;
                }
                None => out.push(span.text.clone(), span.origin.clone()),
            }
        }
        is_changed.then(|| part.with_text(&out))
    }

    fn result(&self, part: &RequestPart, pen: &RuleContext<'_>) -> Option<RequestPart> {
        let result = result_of(part, &self.tools)?;
        let text = self.compacted(result.get(RESULT)?.as_str()?)?;
        let mut changed = result.clone();
        changed.insert(RESULT, text);
        Some(with_result(part, pen, changed))
    }

    /// The text with fewer fields and no white space, where it is JSON and that makes it shorter.
    fn compacted(&self, text: &str) -> Option<String> {
        if !text.trim_start().starts_with(['{', '[']) {
            return None;
        }
        let value = json::parse(text.as_bytes()).ok()?;
        let kept = self.kept(&value, 0);
        let short = json::to_compact_python(&kept);
        (short.len() < text.len()).then_some(short)
    }

    fn kept(&self, value: &Json, depth: usize) -> Json {
        match value {
            Json::Object(object) if !self.fields.is_empty() && depth < 2 => {
                let is_kept = |key: &str| self.fields.iter().any(|field| **field == *key);
                let members = object.iter().filter(|(key, _)| is_kept(key));
                Json::Object(
                    members.map(|(key, value)| (key.clone(), self.kept_list(value))).collect::<Object>(),
                )
            }
            Json::Array(items) if depth == 0 => {
                Json::Array(items.iter().map(|item| self.kept(item, 1)).collect())
            }
            other => other.clone(),
        }
    }

    /// Rows of a list that is kept are cut as well, unless that would leave nothing of them.
    fn kept_list(&self, value: &Json) -> Json {
        let Json::Array(items) = value else { return value.clone() };
        let cut = |item: &Json| match self.kept(item, 1) {
            Json::Object(kept) if kept.is_empty() => item.clone(),
            kept => kept,
        };
        Json::Array(items.iter().map(cut).collect())
    }
}
