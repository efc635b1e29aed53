//! Where words stand in a session.

use std::collections::HashSet;

use serde::Serialize;
use strata_engine::LoggedEvent;
use strata_measure::analysis;
use strata_model::{Event, FromJson as _, FunctionCall, Json, Object, Part, json, secret};
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
    /// The place of the part in its event; absent for what is in no event, and for what an event does besides its parts.
    pub part: Option<u32>,
    pub kind: Kind,
    /// `user` or an agent; empty for what is in no event.
    pub author: String,
    /// The text around the first word, on one line.
    pub snippet: String,
}

/// The parts that hold all of these words, in any case, the last event first; behind them, what else was sent, as it was
/// sent last. Words in double quotes stand together. The call that asks for them now is no place of theirs.
pub fn found_in(opened: &OpenedSession, query: &str) -> Vec<FoundPart> {
    let words = words_of(query);
    let experiment = &opened.subject.experiment;
    let log = experiment.log();
    let answers = log.events().iter().flat_map(|logged| logged.event.function_responses());
    let answered: HashSet<&str> = answers.filter_map(|answer| answer.id.as_deref()).collect();
    let is_asking = |call: &FunctionCall| {
        let asks = call.args.as_ref().and_then(|args| args.get("query")?.as_str());
        call.name.as_deref().is_some_and(|name| name.ends_with("find"))
            && asks == Some(query)
            && call.id.as_deref().is_some_and(|id| !answered.contains(id))
    };
    let mut found: Vec<FoundPart> = Vec::new();
    for logged in log.events().iter().rev() {
        let parts = logged.event.parts();
        let call = |part: u32| parts.get(part as usize)?.function_call.as_deref();
        let asks = |part: u32| call(part).is_some_and(is_asking);
        found.extend(in_event(logged, &words).into_iter().filter(|it| !it.part.is_some_and(asks)));
    }
    // What no event holds, such as tools, is in each prompt anew: it is looked for in the last that has it.
    let mut seen: HashSet<String> = HashSet::new();
    for call in opened.compiled.analysis.calls().iter().rev() {
        let mut of_call: Vec<String> = Vec::new();
        for segment in prompt_segments(&call.request) {
            let Some(main) = segment.main_origin().filter(|main| main.event().is_none()) else { continue };
            let origin = origin::text(main);
            if seen.contains(&origin) {
                continue;
            }
            of_call.push(origin.clone());
            if let Some(snippet) = snippet(&segment.text(), &words) {
                let kind = analysis::Kind::of(&segment, log).into();
                found.push(FoundPart { origin, part: None, kind, author: String::new(), snippet });
            }
        }
        seen.extend(of_call);
    }
    found
}

/// What is typed as words in small letters; what stands in double quotes is one.
fn words_of(query: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (at, piece) in query.split('"').enumerate() {
        if at % 2 == 1 {
            words.push(on_one_line(piece));
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words.retain(|word| !word.is_empty());
    words.iter().map(|word| word.to_lowercase()).collect()
}

fn in_event(logged: &LoggedEvent, words: &[String]) -> Vec<FoundPart> {
    let event = &*logged.event;
    let number = logged.index.map_or(0, |index| index.number());
    let found = |at: Option<u32>, part: Option<&Part>, text: &str| {
        let snippet = snippet(text, words)?;
        Some(FoundPart {
            origin: format!("E{number}"),
            part: at,
            kind: analysis::Kind::of_event_part(event, part).into(),
            author: event.author.to_string(),
            snippet,
        })
    };
    let summary = event.actions.compaction.as_ref().and_then(|it| it.compacted_content.as_ref());
    let parts = event.parts().iter().chain(summary.into_iter().flat_map(|content| content.parts()));
    let hits = parts.enumerate().map(|(at, part)| found(Some(at as u32), Some(part), &text_of(part)));
    hits.chain([found(None, None, &besides(event))]).flatten().collect()
}

/// What an event does and says besides its parts: state and files that it changed, to whom it hands over, what went wrong,
/// what was spoken, and what a node gave.
fn besides(event: &Event) -> String {
    let actions = &event.actions;
    let mut text = String::new();
    add_fields(&actions.state_delta, &mut text);
    let spoken = [&event.input_transcription, &event.output_transcription];
    let spoken = spoken.into_iter().flatten().filter_map(|it| it.text.as_deref());
    let said = [&actions.transfer_to_agent, &event.error_code, &event.error_message];
    let said = said.into_iter().flatten().map(|it| &**it);
    for said in said.chain(actions.artifact_delta.keys().map(|name| &**name)).chain(spoken) {
        text.push(' ');
        text.push_str(said);
    }
    if let Some(output) = &event.output {
        add_value(output, &mut text);
    }
    text
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

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text around the first of the words; `None` unless all of them are in it. Secrets are masked before it is cut.
fn snippet(text: &str, words: &[String]) -> Option<String> {
    let first = words.first()?;
    let lower = text.to_lowercase();
    // Words that stand together may do so on two lines.
    let line = words.iter().any(|word| word.contains(' ')).then(|| on_one_line(&lower));
    let is_there =
        |word: &String| lower.contains(&**word) || line.as_ref().is_some_and(|it| it.contains(&**word));
    if !words.iter().all(is_there) {
        return None;
    }
    let masked = secret::without(text);
    let masked = if line.is_some() { on_one_line(&masked).into() } else { masked };
    // What was looked for may be masked itself. Letters in lower case may take other room: places are told by characters.
    let lower = masked.to_lowercase();
    let at = lower.find(&**first).map_or(0, |at| lower[..at].chars().count());
    let from = at.saturating_sub(AROUND);
    let length = 2 * AROUND + first.chars().count();
    let piece: String = masked.chars().skip(from).take(length).collect();
    let piece = on_one_line(&piece);
    let is_cut = masked.chars().count() > from + length;
    Some(format!("{}{piece}{}", if from > 0 { "…" } else { "" }, if is_cut { "…" } else { "" }))
}
