//! What a fix takes away and an answer uses all the same.

use std::collections::{BTreeSet, HashSet};

use regex::RegexSet;
use strata_engine::Experiment;
use strata_model::{Fingerprint, FromJson as _, LlmRequest, RequestPart, json};
use strata_wire::definitions;

use crate::analysis::{CallAnalysis, SessionAnalysis};
use crate::names::names_in;

/// Calls that are looked at, spread over those that changed.
const MAX_CALLS: usize = 40;
/// Tokens of their prompts. Of prompts that no model takes any more, fewer are looked at, and one at least.
const MAX_TOKENS: u64 = 20_000_000;
/// Warnings that are given.
const MAX_WARNINGS: usize = 3;
/// Words of an answer that are looked for.
const MAX_WORDS: usize = 100;

/// A sentence for answers that use a name or a number which their prompts then no longer hold.
pub(super) fn warnings(
    experiment: &Experiment,
    before: &SessionAnalysis,
    after: &SessionAnalysis,
) -> Vec<String> {
    let pairs: Vec<(&CallAnalysis, &CallAnalysis)> = before
        .calls()
        .iter()
        .zip(after.calls())
        .filter(|(before, after)| !before.request.is_same_prompt(&after.request))
        .collect();
    let tokens: u64 = pairs.iter().map(|(before, _)| u64::from(before.total.tokens)).sum();
    let most = MAX_TOKENS * pairs.len() as u64 / tokens.max(1);
    let step = pairs.len().div_ceil((most as usize).clamp(1, MAX_CALLS)).max(1);
    let mut warnings = Vec::new();
    let mut told: BTreeSet<String> = BTreeSet::new();
    for (before, after) in pairs.into_iter().step_by(step) {
        let Some(call) = experiment.call(before.number) else { continue };
        let Some(answer) = experiment.session().events.get(call.answer.as_usize()) else { continue };
        let text: Vec<String> = answer.parts().iter().map(|part| json::to_compact(&part.to_json())).collect();
        let missing = missing(&words(&text.join("\n")), &before.request, &after.request);
        let new: Vec<&String> = missing.iter().filter(|word| !told.contains(*word)).collect();
        if let Some(first) = new.first() {
            let more = match new.len() {
                1 => String::new(),
                n => format!(" and {} more like it", n - 1),
            };
            warnings.push(format!(
                "C{}’s answer uses `{first}`{more}, which its prompt would no longer hold.",
                before.number
            ));
        }
        told.extend(missing);
        if warnings.len() == MAX_WARNINGS {
            break;
        }
    }
    warnings
}

/// Names, paths and numbers: what has a digit or a sign in it that prose has not.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in names_in(text) {
        if !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
        if words.len() == MAX_WORDS {
            break;
        }
    }
    words
}

/// The words that one request holds and the other does not.
fn missing(words: &[String], before: &LlmRequest, after: &LlmRequest) -> Vec<String> {
    if words.is_empty() {
        return Vec::new();
    }
    let prints = |request: &LlmRequest| -> HashSet<Fingerprint> {
        parts(request).map(|part| part.fingerprint).collect()
    };
    let kept = prints(after);
    let gone = parts(before).filter(|part| !kept.contains(&part.fingerprint)).map(text);
    let system =
        |request: &LlmRequest| request.system_instruction.as_ref().map(|text| text.to_text().to_string());
    let old_system = system(before).filter(|text| Some(text) != system(after).as_ref());
    let mut words: Vec<&String> = words.iter().collect();
    retain(&mut words, gone.chain(old_system), true);
    let new_system = system(after);
    let declared = definitions(after).map(|segment| segment.text().into_owned());
    retain(&mut words, new_system.into_iter().chain(declared).chain(parts(after).map(text)), false);
    words.into_iter().cloned().collect()
}

/// Keeps the words that stand in one of the texts at least, or in none of them. Each text is looked through once.
fn retain(words: &mut Vec<&String>, texts: impl Iterator<Item = String>, stand_there: bool) {
    if words.is_empty() {
        return;
    }
    let escaped = words.iter().map(|word| regex::escape(word));
    let Ok(set) = RegexSet::new(escaped) else { return words.clear() };
    let mut found = vec![false; words.len()];
    for text in texts {
        set.matches(&text).iter().for_each(|at| found[at] = true);
        if found.iter().all(|is_found| *is_found) {
            break;
        }
    }
    let mut found = found.into_iter();
    words.retain(|_| found.next() == Some(stand_there));
}

fn parts(request: &LlmRequest) -> impl Iterator<Item = &RequestPart> {
    request.contents.iter().flat_map(|content| &content.parts)
}

fn text(part: &RequestPart) -> String {
    match &part.part.text {
        Some(text) => text.to_string(),
        None => json::to_compact(&part.part.to_json()),
    }
}
