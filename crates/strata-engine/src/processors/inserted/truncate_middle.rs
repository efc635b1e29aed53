//! Cuts the middle out of long texts.

use std::sync::Arc;

use strata_model::{Contents, Json, Object, RequestContent, RequestPart, RichText, Str};

use super::results::{KEEP_TURNS, TOOLS, before_turns, result_of, with_result};
use super::rule::{ByContent, Change, ContentRule, PartChange, RuleContext, change_parts};
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "truncate_middle",
    title: "Truncate the middle of long texts",
    summary: "Keeps the beginning and the end of long texts in tool results or messages, and says how much was left out between them.",
    params: &[
        ParamSpec {
            name: "max_chars",
            kind: ParamKind::Integer { min: 40, max: 10_000_000 },
            default: "4000",
            unit: Some("characters"),
            doc: "Texts up to this length stay whole.",
        },
        ParamSpec {
            name: "start_percent",
            kind: ParamKind::Integer { min: 0, max: 100 },
            default: "60",
            unit: Some("%"),
            doc: "The share of what is kept that stands before the cut.",
        },
        ParamSpec {
            name: "what",
            kind: ParamKind::Choice(&["results", "messages", "both"]),
            default: "\"results\"",
            unit: None,
            doc: "Texts in tool results, in messages, or in both.",
        },
        TOOLS,
        KEEP_TURNS,
    ],
    place: "model_call",
    build: |name, params, _| {
        let what = params.text("what");
        Ok(ByContent::boxed(
            name,
            Truncate {
                max_chars: params.size("max_chars"),
                start_percent: params.size("start_percent"),
                cuts_results: &*what != "messages",
                cuts_messages: &*what != "results",
                tools: params.words("tools"),
                keep_turns: params.size("keep_turns"),
            },
        ))
    },
};

#[derive(Hash)]
struct Truncate {
    max_chars: usize,
    start_percent: usize,
    cuts_results: bool,
    cuts_messages: bool,
    tools: Vec<Str>,
    keep_turns: usize,
}

/// Bytes before and behind a cut, and the characters between.
struct Cut {
    start: usize,
    end: usize,
    n_left_out: usize,
}

impl ContentRule for Truncate {
    fn change(&self, content: &Arc<RequestContent>, pen: &RuleContext<'_>) -> Change {
        change_parts(content, pen, |part| {
            let changed = self.result(part, pen).or_else(|| self.message(part, pen));
            changed.map_or(PartChange::Keep, PartChange::Replace)
        })
    }

    fn reach(&self, contents: &Contents) -> usize {
        before_turns(contents, self.keep_turns)
    }

    fn note(&self, n: usize) -> String {
        format!("the middle of long texts cut out of {n} contents")
    }
}

impl Truncate {
    fn message(&self, part: &RequestPart, pen: &RuleContext<'_>) -> Option<RequestPart> {
        let text = part.part.text.as_deref().filter(|_| self.cuts_messages)?;
        let cut = self.cut(text)?;
        let whole = part.rich_text();
        let mut short = RichText::new();
        short.append(whole.slice(0, cut.start));
        short.push(marker(cut.n_left_out), pen.own_words());
        short.append(whole.slice(cut.end, text.len()));
        Some(part.with_text(&short))
    }

    fn result(&self, part: &RequestPart, pen: &RuleContext<'_>) -> Option<RequestPart> {
        let result = result_of(part, &self.tools).filter(|_| self.cuts_results)?;
        let changed = self.in_object(result)?;
        Some(with_result(part, pen, changed))
    }

    fn in_object(&self, object: &Object) -> Option<Object> {
        let mut changed: Option<Object> = None;
        for (key, value) in object.iter() {
            if let Some(value) = self.in_value(value) {
                changed.get_or_insert_with(|| object.clone()).insert(key.clone(), value);
            }
        }
        changed
    }

    fn in_value(&self, value: &Json) -> Option<Json> {
        match value {
            Json::String(text) => {
                let cut = self.cut(text)?;
                let (start, end) = (&text[..cut.start], &text[cut.end..]);
                Some(Json::from(format!("{start}{}{end}", marker(cut.n_left_out))))
            }
            Json::Object(object) => self.in_object(object).map(Json::Object),
            Json::Array(items) => {
                let mut changed: Option<Vec<Json>> = None;
                for (at, item) in items.iter().enumerate() {
                    if let Some(item) = self.in_value(item) {
                        changed.get_or_insert_with(|| items.clone())[at] = item;
                    }
                }
                changed.map(Json::Array)
            }
            _ => None,
        }
    }

    fn cut(&self, text: &str) -> Option<Cut> {
        // A text has at least a quarter as many characters as bytes, and never more.
        if text.len() <= self.max_chars {
            return None;
        }
        let n_chars = text.chars().count();
        if n_chars <= self.max_chars {
            return None;
        }
        let n_start = self.max_chars * self.start_percent / 100;
        let n_end = self.max_chars - n_start;
        let at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
        Some(Cut { start: at(n_start), end: at(n_chars - n_end), n_left_out: n_chars - self.max_chars })
    }
}

fn marker(n_left_out: usize) -> String {
    format!("\n[{n_left_out} characters left out]\n")
}
