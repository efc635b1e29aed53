//! Where words stand in a session.

use serde::Serialize;
use strata_engine::LoggedEvent;
use strata_measure::analysis;
use strata_model::{FromJson as _, Json, Object, Part, json, secret};
use strata_wire::prompt_segments;

use super::opened::OpenedSession;
use super::origin;
use crate::api::common::Kind;

/// Characters before and behind what was found.
const AROUND: usize = 70;

/// A part of an event, or of a prompt beside its events, with the words in it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundPart {
    /// `E7`, or what else it is from.
    pub origin: String,
    /// The place of the part in its event; absent for what is in no event.
    pub part: Option<u32>,
    pub kind: Kind,
    /// `user` or an agent; empty for what is in no event.
    pub author: String,
    /// The text around the first word, on one line.
    pub snippet: String,
}

/// The parts that hold all of these words, in any case, the last event first; behind them, what else the last prompt holds.
pub fn found_in(opened: &OpenedSession, query: &str) -> Vec<FoundPart> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let experiment = &opened.subject.experiment;
    let log = experiment.log();
    let mut found: Vec<FoundPart> = Vec::new();
    for logged in log.events().iter().rev() {
        found.extend(in_event(logged, &words));
    }
    let last = opened.compiled.analysis.calls().last();
    for segment in last.into_iter().flat_map(|last| prompt_segments(&last.request)) {
        let Some(main) = segment.main_origin().filter(|main| main.event().is_none()) else { continue };
        if let Some(snippet) = snippet(&segment.text(), &words) {
            found.push(FoundPart {
                origin: origin::text(main),
                part: None,
                kind: analysis::Kind::of(&segment, log).into(),
                author: String::new(),
                snippet,
            });
        }
    }
    found
}

fn in_event(logged: &LoggedEvent, words: &[String]) -> Vec<FoundPart> {
    let event = &*logged.event;
    let number = logged.index.map_or(0, |index| index.number());
    let summary = event.actions.compaction.as_ref().and_then(|it| it.compacted_content.as_ref());
    let parts = event.parts().iter().chain(summary.into_iter().flat_map(|content| content.parts()));
    let hits = parts.enumerate().filter_map(|(at, part)| {
        let snippet = snippet(&text_of(part), words)?;
        Some(FoundPart {
            origin: format!("E{number}"),
            part: Some(at as u32),
            kind: analysis::Kind::of_event_part(event, Some(part)).into(),
            author: event.author.to_string(),
            snippet,
        })
    });
    hits.collect()
}

fn text_of(part: &Part) -> String {
    if let Some(text) = &part.text {
        return text.to_string();
    }
    let said = |name: Option<&str>, object: Option<&Object>| {
        let mut text = name.unwrap_or_default().to_owned();
        if let Some(object) = object {
            add_fields(object, &mut text);
        }
        text
    };
    if let Some(call) = &part.function_call {
        return said(call.name.as_deref(), call.args.as_deref());
    }
    if let Some(response) = &part.function_response {
        return said(response.name.as_deref(), response.response.as_deref());
    }
    if part.inline_data.is_some() { String::new() } else { json::to_compact(&part.to_json()) }
}

/// Names and values, with texts as they are: in JSON their lines would be hard to read.
fn add_fields(object: &Object, text: &mut String) {
    for (name, value) in object.iter() {
        text.push(' ');
        text.push_str(name);
        text.push(':');
        add_value(value, text);
    }
}

fn add_value(value: &Json, text: &mut String) {
    match value {
        Json::String(string) => {
            text.push(' ');
            text.push_str(string);
        }
        Json::Array(items) => items.iter().for_each(|item| add_value(item, text)),
        Json::Object(object) => add_fields(object, text),
        plain => {
            text.push(' ');
            text.push_str(&json::to_compact(plain));
        }
    }
}

/// The text around the first of the words; `None` unless all of them are in it. Secrets are masked before it is cut.
fn snippet(text: &str, words: &[String]) -> Option<String> {
    let first = words.first()?;
    let lower = text.to_lowercase();
    if !words.iter().all(|word| lower.contains(&**word)) {
        return None;
    }
    let masked = secret::without(text);
    // What was looked for may be masked itself. Letters in lower case may take other room: places are told by characters.
    let lower = masked.to_lowercase();
    let at = lower.find(&**first).map_or(0, |at| lower[..at].chars().count());
    let from = at.saturating_sub(AROUND);
    let length = 2 * AROUND + first.chars().count();
    let piece: String = masked.chars().skip(from).take(length).collect();
    let piece = piece.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_cut = masked.chars().count() > from + length;
    Some(format!("{}{piece}{}", if from > 0 { "…" } else { "" }, if is_cut { "…" } else { "" }))
}
