//! What would make histories smaller.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use strata_engine::processors::{is_relayed_traffic, tables};
use strata_model::{EventIndex, Fingerprint, Json, Object, RequestPart, Str, json, python};

use super::candidate::{Candidate, words};
use super::seen::{FixEvidence, event};

/// Rows that are kept of a list.
const ROWS: usize = 20;
/// Rows that are shown of a summarised list.
const TOP_ROWS: i64 = 5;
/// Characters from which on a text is worth cutting, and a result worth storing elsewhere.
const LONG: usize = 4000;
/// Characters from which on content that is there twice is worth a reference.
const REPEATED: usize = 400;
/// Turns that are kept of a long conversation.
const TURNS: usize = 10;
/// Tools that are named in candidates of their own; the costliest of the others would save little.
const MAX_TOOLS: usize = 6;

pub(super) fn candidates(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    found.extend(agent_traffic(seen));
    found.extend(results(seen));
    found.extend(thoughts(seen));
    found.extend(repeated(seen));
    found.extend(turns(seen));
    found
}

fn agent_traffic(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let relayed = seen.parts.iter().filter(|(content, part)| content.is_user() && is_relayed_traffic(part));
    let events: Vec<EventIndex> = relayed.filter_map(|(_, part)| event(part)).collect();
    (!events.is_empty()).then(|| {
        Candidate::insert("Strip other agents’ tool calls and results", "strip_agent_traffic", &[])
            .answering(&["quotation-frames", "quoted-tool-results", "transfer-residue"])
            .about(events)
    })
}

/// What is large about a tool's results.
#[derive(Default)]
struct Large {
    chars: usize,
    tables: Vec<EventIndex>,
    texts: Vec<EventIndex>,
    whole: Vec<EventIndex>,
}

fn results(seen: &FixEvidence<'_>) -> Vec<Candidate> {
    let mut by_tool: BTreeMap<Str, Large> = BTreeMap::new();
    for (_, part) in &seen.parts {
        let Some((tool, result)) = result(part) else { continue };
        let Some(event) = event(part) else { continue };
        let large = by_tool.entry(tool).or_default();
        let size = python::len(&json::to_compact_python(&Json::Object(result.clone())));
        large.chars += size;
        if tables(result).iter().any(|table| table.rows.len() > ROWS) {
            large.tables.push(event);
        }
        if size > LONG {
            large.whole.push(event);
        }
        if longest_text(&Json::Object(result.clone())) > LONG {
            large.texts.push(event);
        }
    }
    let mut tools: Vec<(Str, Large)> = by_tool.into_iter().collect();
    tools.sort_by_key(|(_, large)| std::cmp::Reverse(large.chars));
    tools.into_iter().take(MAX_TOOLS).flat_map(|(tool, large)| of_tool(&tool, large)).collect()
}

fn of_tool(tool: &Str, large: Large) -> Vec<Candidate> {
    let only = || ("tools", words([&**tool]));
    let mut found = Vec::new();
    if !large.tables.is_empty() {
        let rows = ("max_rows", Json::Int(ROWS as i64));
        let cap = Candidate::insert(format!("Cap rows of {tool} at {ROWS}"), "cap_rows", &[rows, only()]);
        found.push(cap.about(large.tables.iter().copied()));
        let (least, top) = (("min_rows", Json::Int(ROWS as i64)), ("top_rows", Json::Int(TOP_ROWS)));
        let title = format!("Summarise tables of {tool}: totals, counts, top {TOP_ROWS} rows");
        let summarise = Candidate::insert(title, "summarize_results", &[least, top, only()]);
        found.push(summarise.about(large.tables));
    }
    if !large.texts.is_empty() {
        let max = ("max_chars", Json::Int(LONG as i64));
        let title = format!("Cut the middle of texts of {tool} beyond {LONG} characters");
        found.push(Candidate::insert(title, "truncate_middle", &[max, only()]).about(large.texts));
    }
    if !large.whole.is_empty() {
        let params = [("min_chars", Json::Int(LONG as i64)), ("keep_turns", Json::Int(1)), only()];
        let title = format!("Offload results of {tool} from earlier turns to artifacts");
        found.push(Candidate::insert(title, "offload_results", &params).about(large.whole));
    }
    found
}

pub(super) fn result(part: &RequestPart) -> Option<(Str, &Object)> {
    let response = part.part.function_response.as_deref()?;
    Some((response.name.clone()?, response.response.as_deref()?))
}

fn longest_text(value: &Json) -> usize {
    match value {
        Json::String(text) => python::len(text),
        Json::Array(items) => items.iter().map(longest_text).max().unwrap_or(0),
        Json::Object(object) => object.values().map(longest_text).max().unwrap_or(0),
        _ => 0,
    }
}

fn thoughts(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let thoughts = seen.parts.iter().filter(|(_, part)| part.part.is_thought());
    let events: Vec<EventIndex> = thoughts.filter_map(|(_, part)| event(part)).collect();
    (!events.is_empty()).then(|| {
        // Those since the last message of the user belong to the calls that are being answered.
        Candidate::insert("Drop thoughts of earlier turns", "drop_thoughts", &[("keep_turns", Json::Int(1))])
            .answering(&["thoughts-resent"])
            .about(events)
    })
}

fn repeated(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let mut known: HashSet<Fingerprint> = HashSet::new();
    let mut events = Vec::new();
    for (_, part) in &seen.parts {
        let text = match (part.part.text.as_deref(), result(part)) {
            (Some(text), _) => Cow::Borrowed(text),
            (None, Some((_, result))) => json::to_compact_python(&Json::Object(result.clone())).into(),
            (None, None) => continue,
        };
        if python::len(&text) >= REPEATED && !known.insert(Fingerprint::of(text.as_bytes())) {
            events.extend(event(part));
        }
    }
    (!events.is_empty()).then(|| {
        Candidate::insert("Replace repeated content by references", "deduplicate", &[])
            .answering(&["structured-answer-thrice", "media-attached-forever", "input-shown-twice"])
            .about(events)
    })
}

fn turns(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let n_turns = seen.experiment.calls().iter().map(|call| call.turn).max().unwrap_or(0) as usize;
    (n_turns > TURNS * 2).then(|| {
        let params = [("max_turns", Json::Int(TURNS as i64)), ("step", Json::Int(TURNS as i64 / 2))];
        Candidate::insert(format!("Keep the newest {TURNS} turns"), "retention", &params)
            .answering(&["compaction-overdue", "filter-shifts-every-turn"])
    })
}
