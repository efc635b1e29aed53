//! State that does not stay the same between the calls of an agent.

use std::collections::{BTreeMap, BTreeSet};

use strata_model::text::common_start;
use strata_model::{LlmRequest, Origin, SharedList, Str};

use super::sentences::sentences;
use crate::analysis::call::CallAnalysis;

/// The state keys that instructions are filled with and whose values differ between a call and the one before it in its
/// lineage; whether one whole number ever took the place of another.
pub(super) fn keys(
    calls: &SharedList<CallAnalysis>,
    is_looked_at: impl Fn(u32) -> bool,
) -> BTreeMap<Str, bool> {
    let mut keys = BTreeMap::new();
    for call in calls.iter().filter(|call| is_looked_at(call.number)) {
        let Some(before) = call.previous.and_then(|previous| calls.get(previous as usize - 1)) else {
            continue;
        };
        let fingerprint =
            |request: &LlmRequest| request.system_instruction.as_ref().map(|text| text.fingerprint());
        if fingerprint(&before.request) == fingerprint(&call.request) {
            continue;
        }
        let (before, now) = (filled(&before.request), filled(&call.request));
        for key in before.keys().chain(now.keys()) {
            // A value that was empty has left no trace.
            let (before, now) = (before.get(key), now.get(key));
            if before == now {
                continue;
            }
            let values = before.iter().chain(&now).copied().flatten();
            let are_numbers =
                before.is_some() && now.is_some() && { values }.all(|value| value.parse::<i64>().is_ok());
            let is_number = keys.entry((*key).clone()).or_insert(false);
            *is_number |= are_numbers;
        }
    }
    keys
}

/// The words before a value that differs between the system text of a call and the one before it in its lineage, from
/// the beginning of its sentence on: no other sentence of the text begins so.
pub(super) fn sentence_beginnings(
    calls: &SharedList<CallAnalysis>,
    is_looked_at: impl Fn(u32) -> bool,
) -> BTreeSet<Str> {
    let text = |call: &CallAnalysis| call.request.system_instruction.as_ref().map(|text| text.to_text());
    let mut beginnings: BTreeSet<Str> = BTreeSet::new();
    for call in calls.iter().filter(|call| is_looked_at(call.number)) {
        let before = call.previous.and_then(|previous| calls.get(previous as usize - 1));
        let Some((before, now)) = before.and_then(text).zip(text(call)).filter(|(before, now)| before != now)
        else {
            continue;
        };
        // Lines that came in or went leave no place for a value.
        if before.lines().count() != now.lines().count() {
            continue;
        }
        let lines = before.lines().zip(now.lines()).filter(|(before, now)| before != now);
        let differing = lines.flat_map(|(before, now)| differing_sentences(before, now));
        let found = differing.filter_map(|(before, now)| beginning(before, now));
        let is_only =
            |found: &&str| sentences(&now).filter(|sentence| sentence.starts_with(*found)).count() == 1;
        beginnings.extend(found.filter(is_only).map(Str::from));
    }
    beginnings
}

/// The sentences of two lines that differ, side by side: all of them where the lines have as many, else the first.
fn differing_sentences<'l>(before: &'l str, now: &'l str) -> Vec<(&'l str, &'l str)> {
    let n_sentences = [before, now].map(|line| sentences(line).count());
    let pairs = sentences(before).zip(sentences(now)).filter(|(before, now)| before != now);
    if n_sentences[0] == n_sentences[1] { pairs.collect() } else { pairs.take(1).collect() }
}

/// What two sentences begin with, up to where the first word that differs begins.
fn beginning<'l>(before: &str, now: &'l str) -> Option<&'l str> {
    const MIN_BYTES: usize = 3;
    let shared = common_start(before, now);
    let end = now[..shared].rfind([' ', '=', '"', '>', '(']).map_or(0, |at| at + 1);
    (end >= MIN_BYTES).then(|| &now[..end])
}

/// What keys were filled in with, in order.
fn filled(request: &LlmRequest) -> BTreeMap<&Str, Vec<&str>> {
    let mut filled: BTreeMap<&Str, Vec<&str>> = BTreeMap::new();
    for span in request.system_instruction.iter().flat_map(|text| text.spans()) {
        if let Origin::State { key } = &span.origin {
            filled.entry(key).or_default().push(&span.text);
        }
    }
    filled
}
