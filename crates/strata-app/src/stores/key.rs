//! One key of the state: its versions, its writers, its readers, its price.

use strata_engine::Experiment;
use strata_measure::stores::{KeyWrite, StateStore, StoredValue};
use strata_model::{EventIndex, Json, Origin, Str};
use strata_wire::segments;

use super::CompiledSession;
use super::carried::ranges;
use super::state::{count, in_line, scope, shown, value_state};
use crate::api::stores::{Key, KeyDetail, KeyReader, KeyWriter, VersionRow};
use crate::error::AppError;
use crate::show::{breaks, words};

/// Characters of a value that is looked at, and of one in a row.
const MOST: usize = 4000;
const LINE: usize = 80;

pub(crate) fn key_detail(of: CompiledSession<'_>, asked: &Key) -> Result<KeyDetail, AppError> {
    let analysed = of.call(asked.call)?;
    let scale = of.scale(analysed)?;
    let store = StateStore::of(of.experiment, of.analysis, of.caches);
    let key = &*asked.key;
    if !store.has(key) {
        return Err(AppError::not_found(format!("This session’s state has no key {key}.")));
    }
    let calls = of.experiment.calls();
    let call = of.experiment.call(asked.call).ok_or_else(|| AppError::internal("A call got lost."))?;
    let value = store.at(key, call);
    let counted = value.known().map(|value| count(scale, value));
    let at_end = calls.iter().next_back().map_or(StoredValue::Absent, |last| store.at(key, last));
    let writes = store.writes(key);
    let losses = store.breaks(key);
    let current = value.known().map(|_| written_before(&writes, call.n_events()) as u32);
    let first = calls.iter().next().map_or(StoredValue::Absent, |first| store.at(key, first));
    let initial =
        if writes.first().is_some_and(|write| write.call == 0) { StoredValue::NotRecorded } else { first };
    let offset = asked.offset as usize;
    let versions = (0..=writes.len()).skip(offset).take(asked.limit as usize).map(|number| {
        let before = match number.checked_sub(2) {
            Some(before) => StoredValue::Known(writes[before].value),
            None => initial,
        };
        let after = number.checked_sub(1).map_or(initial, |at| StoredValue::Known(writes[at].value));
        let write = number.checked_sub(1).map(|at| writes[at]);
        let (agent, tool) = write.map_or_else(Default::default, |write| writer(of.experiment, write.event));
        VersionRow {
            number: number as u32,
            event: write.map(|write| write.event.number()),
            call: write.map_or(0, |write| write.call),
            agent,
            tool,
            before: if number == 0 { String::new() } else { in_row(key, before) },
            after: in_row(key, after),
            tokens: after.known().map(|value| count(scale, value).tokens),
            breaks: losses
                .iter()
                .filter(|(broken, _)| {
                    let events = of.experiment.call(broken.call).map_or(0, strata_engine::Call::n_events);
                    written_before(&writes, events) == number
                })
                .map(|(call, loss)| breaks::row(of.experiment, call, loss))
                .collect(),
        }
    });
    let versions: Vec<VersionRow> = versions.collect();
    Ok(KeyDetail {
        key: key.to_owned(),
        scope: scope(key),
        call: asked.call,
        value_state: value_state(value),
        value: value.known().map_or_else(|| in_line(key, value), |value| shown(key, value, MOST)),
        what: value.known().map_or_else(String::new, what),
        tokens: counted.map(|counted| counted.tokens),
        basis: counted.map_or(strata_measure::tokens::Basis::Exact, |counted| counted.basis).into(),
        value_at_end: in_line(key, at_end),
        writers: writers(of.experiment, &writes),
        readers: readers(of, store.reads(key), key, asked.call),
        reads: store.reads(key).len() as u32,
        last_read: store.reads(key).last().copied(),
        breaks: losses.iter().map(|(call, loss)| breaks::row(of.experiment, call, loss)).collect(),
        rebilled_tokens: losses.iter().map(|(_, loss)| u64::from(loss.tokens)).sum(),
        cost_usd: losses.iter().map(|(_, loss)| loss.cost_usd).sum(),
        current,
        total: writes.len() as u32 + 1,
        versions,
    })
}

/// How many of the writes an agent saw that had so many events before it.
fn written_before(writes: &[KeyWrite<'_>], n_events: usize) -> usize {
    writes.partition_point(|write| write.event.as_usize() < n_events)
}

fn in_row(key: &str, value: StoredValue<'_>) -> String {
    value.known().map_or_else(|| in_line(key, value), |value| shown(key, value, LINE))
}

/// Who wrote an event, and the tool that it is the result of.
fn writer(experiment: &Experiment, event: EventIndex) -> (String, String) {
    let Some(event) = experiment.session().events.get(event.as_usize()) else { return Default::default() };
    let tools: Vec<&str> =
        event.function_responses().filter_map(|response| response.name.as_deref()).collect();
    (event.author.to_string(), tools.join(", "))
}

fn writers(experiment: &Experiment, writes: &[KeyWrite<'_>]) -> Vec<KeyWriter> {
    let mut writers: Vec<KeyWriter> = Vec::new();
    for write in writes {
        let (agent, tool) = writer(experiment, write.event);
        match writers.iter_mut().find(|known| known.agent == agent && known.tool == tool) {
            Some(known) => known.writes += 1,
            None => writers.push(KeyWriter { agent, tool, writes: 1 }),
        }
    }
    writers
}

fn readers(of: CompiledSession<'_>, reads: &[u32], key: &str, cursor: u32) -> Vec<KeyReader> {
    let mut by_agent: Vec<(&Str, Vec<u32>)> = Vec::new();
    for number in reads {
        let Some(call) = of.experiment.call(*number) else { continue };
        let agent = &call.invocation.agent;
        match by_agent.iter_mut().find(|(known, _)| *known == agent) {
            Some((_, calls)) => calls.push(*number),
            None => by_agent.push((agent, vec![*number])),
        }
    }
    let readers = by_agent.into_iter().map(|(agent, calls)| {
        let shown_in = if calls.contains(&cursor) { cursor } else { calls.last().copied().unwrap_or(0) };
        KeyReader {
            agent: agent.to_string(),
            calls: calls.len() as u32,
            ranges: ranges(calls.iter().copied()),
            address: address(of, shown_in, key),
        }
    });
    readers.collect()
}

/// The part of a call's prompt that holds the key's value.
fn address(of: CompiledSession<'_>, call: u32, key: &str) -> String {
    let Some(analysed) = of.analysis.call(call) else { return format!("C{call}") };
    let is_of_key = |origin: &Origin| matches!(origin, Origin::State { key: of } if **of == *key);
    let mut parts = segments(&analysed.request);
    let holder = parts.find(|part| part.spans().iter().any(|(_, origin)| is_of_key(origin)));
    holder.map_or_else(|| format!("C{call}"), |part| format!("C{call}/{}", part.path))
}

/// What kind of value it is.
fn what(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(_) => "truth value".to_owned(),
        Json::Int(_) | Json::BigInt(_) => "whole number".to_owned(),
        Json::Float(_) => "number".to_owned(),
        Json::String(text) => format!("text of {}", words::counted(text.chars().count(), "character")),
        Json::Array(items) => format!("list of {}", words::whole(items.len() as i64)),
        Json::Object(fields) => format!("object of {}", words::counted(fields.len(), "field")),
    }
}
