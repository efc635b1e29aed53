//! What agents searched for in memory, what they found, in which prompts it stood, and whether an answer used it.

use std::collections::{BTreeMap, BTreeSet};

use strata_measure::analysis::CallRates;
use strata_model::{Content, Event, EventIndex, FunctionResponse, Json, Object, Origin, Tool};
use strata_wire::segments;

use super::CompiledSession;
use super::carried::{CarriedCalls, carried_by};
use crate::api::stores_kept::{MemoryPage, MemorySearchRow, RecalledMemory};
use crate::show::words;

/// ADK's tool by which a model searches, and the one that searches before every call.
const LOAD: &str = "load_memory";
const PRELOAD: &str = "preload_memory";

/// Characters of a memory that are shown.
const MOST: usize = 600;

/// Letters of a word that tells one memory from others.
const TELLING: usize = 5;

/// All searches, in order.
pub(crate) fn memory_page(of: CompiledSession<'_>, rates: &CallRates) -> MemoryPage {
    let calls = of.analysis.calls().len() as u32;
    let mut rows: Vec<MemorySearchRow> = loads(of, rates, calls);
    rows.extend(preloads(of, rates, calls));
    rows.extend(fruitless(of, &rows, rates, calls));
    rows.sort_by_key(|row| row.call);
    for (at, row) in rows.iter_mut().enumerate() {
        row.number = at as u32 + 1;
    }
    let found = rows.iter().flat_map(|row| &row.found);
    MemoryPage {
        total: rows.len() as u32,
        found: found.clone().count() as u32,
        unused: found.filter(|memory| !memory.is_used).count() as u32,
        gap: (!of.has_state()).then(|| {
            "What this tool records holds no searches in memory: it has no service that remembers.".to_owned()
        }),
        rows,
    }
}

/// Searches by a model's own call.
fn loads(of: CompiledSession<'_>, rates: &CallRates, of_calls: u32) -> Vec<MemorySearchRow> {
    let events = &of.experiment.session().events;
    let calls = of.experiment.calls();
    let mut asked: BTreeMap<&str, (String, EventIndex)> = BTreeMap::new();
    let mut rows = Vec::new();
    let mut carried: Option<BTreeMap<(EventIndex, u16), CarriedCalls>> = None;
    for (at, event) in events.iter().enumerate() {
        let index = EventIndex(at as u32);
        for call in event.function_calls().filter(|call| call.name.as_deref() == Some(LOAD)) {
            let query = call.args.as_deref().and_then(|args| args.get("query")).and_then(Json::as_str);
            let id = call.id.as_deref().unwrap_or_default();
            asked.insert(id, (query.unwrap_or_default().to_owned(), index));
        }
        for (part, answer) in answers(event).filter(|(_, answer)| answer.name.as_deref() == Some(LOAD)) {
            let asked = asked.get(answer.id.as_deref().unwrap_or_default());
            let query = asked.map(|(query, _)| query.clone()).unwrap_or_default();
            let asking = |asked: EventIndex| calls.binary_search_by_key(&asked, |call| call.answer);
            let memories = answer.response.as_deref().map(memories_in).unwrap_or_default();
            let carried = carried.get_or_insert_with(|| carried_by(of, |piece| part_of(&piece.origin)));
            let held = carried.get(&(index, part)).cloned().unwrap_or_default();
            let told = told_in(of, &held);
            rows.push(MemorySearchRow {
                number: 0,
                tool: LOAD.to_owned(),
                call: asked.and_then(|(_, asked)| calls.get(asking(*asked)?)).map_or(0, |call| call.number),
                event: Some(index.number()),
                agent: event.author.to_string(),
                found: memories.iter().map(|memory| recalled(memory, &query, &told)).collect(),
                query,
                carried: held.shown(rates, of_calls),
            });
        }
    }
    rows
}

/// The answers of tools that an event holds, each with its place among the parts.
fn answers(event: &Event) -> impl Iterator<Item = (u16, &FunctionResponse)> {
    let parts = event.content.as_deref().map(Content::parts).unwrap_or_default();
    parts.iter().enumerate().filter_map(|(at, part)| Some((at as u16, part.function_response.as_deref()?)))
}

/// The part of an event that something is from.
fn part_of(origin: &Origin) -> Option<(EventIndex, u16)> {
    match origin {
        Origin::Event { event, part } => Some((*event, *part)),
        _ => None,
    }
}

/// Searches before the calls of a turn, by what the user said.
fn preloads(of: CompiledSession<'_>, rates: &CallRates, of_calls: u32) -> Vec<MemorySearchRow> {
    let is_memory = |origin: &Origin| matches!(origin, Origin::Memory { .. });
    let all = carried_by(of, |piece| is_memory(&piece.origin).then_some(()));
    let Some(all) = all.get(&()) else { return Vec::new() };
    let mut by_turn: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for number in all.calls() {
        if let Some(call) = of.experiment.call(number) {
            by_turn.entry(call.turn).or_default().push(number);
        }
    }
    let mut rows = Vec::new();
    for calls in by_turn.into_values() {
        let Some(first) = calls.first().and_then(|first| of.experiment.call(*first)) else { continue };
        let query = first.invocation.user_content.as_deref().map(spoken).unwrap_or_default();
        let held = all.only(|call| calls.contains(&call));
        let told = told_in(of, &held);
        let request = of.analysis.call(first.number).map(|call| &call.request);
        // Each memory has its rank; what stands between them is the runtime's.
        let mut texts: BTreeMap<u16, Vec<String>> = BTreeMap::new();
        for segment in request.into_iter().flat_map(segments) {
            for (text, origin) in segment.spans() {
                if let Origin::Memory { rank } = origin {
                    texts.entry(*rank).or_default().push(text.to_string());
                }
            }
        }
        let found = texts.into_values().map(|lines| {
            let (time, said): (Vec<String>, Vec<String>) =
                lines.into_iter().partition(|line| line.starts_with("Time: "));
            let timestamp = time.first().map(|line| line.trim_start_matches("Time: ").to_owned());
            let text = said.join(" ");
            let (author, text) = match text.split_once(": ") {
                Some((author, text)) if !author.contains(' ') => (author.to_owned(), text.to_owned()),
                _ => (String::new(), text),
            };
            RecalledMemory {
                is_used: is_used(&text, &query, &told),
                author,
                timestamp: timestamp.unwrap_or_default(),
                text: words::row(&text, MOST),
            }
        });
        rows.push(MemorySearchRow {
            number: 0,
            tool: PRELOAD.to_owned(),
            call: first.number,
            event: None,
            agent: first.invocation.agent.to_string(),
            found: found.collect(),
            query,
            carried: held.shown(rates, of_calls),
        });
    }
    rows
}

/// Searches before a call that found nothing, where the app was recorded: no prompt shows them.
fn fruitless(
    of: CompiledSession<'_>,
    known: &[MemorySearchRow],
    rates: &CallRates,
    of_calls: u32,
) -> Vec<MemorySearchRow> {
    let turn_of = |row: &MemorySearchRow| of.experiment.call(row.call).map(|call| call.turn);
    let mut told: BTreeSet<(u32, String)> = known
        .iter()
        .filter(|row| row.tool == PRELOAD)
        .filter_map(|row| Some((turn_of(row)?, row.agent.clone())))
        .collect();
    let mut rows = Vec::new();
    for call in of.experiment.calls() {
        let Some(context) = of.experiment.context(call) else { continue };
        let searches = context.recorded.and_then(|recorded| recorded.memory.as_deref()).unwrap_or_default();
        let query = call.invocation.user_content.as_deref().map(spoken).unwrap_or_default();
        let is_preload = context.agent().tools().iter().any(|tool| matches!(tool, Tool::PreloadMemory));
        let is_fruitless = searches
            .iter()
            .any(|search| *search.query == *query && search.found.as_ref().is_some_and(Vec::is_empty));
        let agent = call.invocation.agent.to_string();
        if is_preload && is_fruitless && told.insert((call.turn, agent.clone())) {
            rows.push(MemorySearchRow {
                number: 0,
                tool: PRELOAD.to_owned(),
                call: call.number,
                event: None,
                agent,
                found: Vec::new(),
                query,
                carried: CarriedCalls::default().shown(rates, of_calls),
            });
        }
    }
    rows
}

/// The memories of an answer: google-adk wraps what is no mapping of its own, so they stand below `result`.
fn memories_in(response: &Object) -> &[Json] {
    let wrapped = response.get("result").and_then(|result| result.get("memories"));
    wrapped.or_else(|| response.get("memories")).and_then(Json::as_array).unwrap_or_default()
}

fn recalled(memory: &Json, query: &str, told: &BTreeSet<String>) -> RecalledMemory {
    let field = |key: &str| memory.get(key).and_then(Json::as_str).unwrap_or_default().to_owned();
    let parts = memory.get("content").and_then(|content| content.get("parts")).and_then(Json::as_array);
    let texts = parts.unwrap_or_default().iter().filter_map(|part| part.get("text")?.as_str());
    let text = texts.collect::<Vec<_>>().join(" ");
    RecalledMemory {
        is_used: is_used(&text, query, told),
        author: field("author"),
        timestamp: field("timestamp"),
        text: words::row(&text, MOST),
    }
}

/// Whether an answer has a word of a memory that it did not have from the question: a sign, and no proof.
fn is_used(text: &str, query: &str, told: &BTreeSet<String>) -> bool {
    let asked = telling(query);
    telling(text).iter().any(|word| !asked.contains(word) && told.contains(word))
}

/// Words that tell one text from another: long ones, and those with digits.
fn telling(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let is_telling =
        |word: &&str| word.chars().count() >= TELLING || word.contains(|c: char| c.is_ascii_digit());
    words.filter(is_telling).map(str::to_lowercase).collect()
}

/// The telling words of the answers to the calls that held something.
fn told_in(of: CompiledSession<'_>, held: &CarriedCalls) -> BTreeSet<String> {
    let events = &of.experiment.session().events;
    let answers = held.calls().filter_map(|call| events.get(of.experiment.call(call)?.answer.as_usize()));
    answers.flat_map(|answer| telling(&said(answer))).collect()
}

/// What a model said, and asked of tools.
fn said(event: &Event) -> String {
    let mut text: String = event.content.as_deref().map(spoken).unwrap_or_default();
    for call in event.function_calls() {
        text.push(' ');
        text.push_str(&call.args.as_deref().map(strata_model::json::object_to_compact).unwrap_or_default());
    }
    text
}

fn spoken(content: &Content) -> String {
    let texts =
        content.parts().iter().filter(|part| !part.is_thought()).filter_map(|part| part.text.as_deref());
    texts.collect::<Vec<_>>().join(" ")
}
