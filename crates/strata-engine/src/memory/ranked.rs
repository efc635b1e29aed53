//! Memories by how rare the words are that they share with a query, as `SqliteMemoryService` finds them: any word of the
//! query, ranked by the full-text index of SQLite.

use std::cmp::Ordering;
use std::collections::HashSet;

use strata_model::{Content, Remembered};

use super::MemoryEntry;
use super::keywords::{normal, script_runs};

/// At most this many memories are found.
const MAX_FOUND: usize = 50;

/// Bytes of a memory that are in the index.
const MAX_INDEXED: usize = 262_144;

/// How much it counts that a word stands there more than once, and that a text is short: what SQLite's `bm25` sets.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// What a word counts for that nearly every text has.
const LEAST_WEIGHT: f64 = 1e-6;

/// A memory with its words.
struct Indexed<'m> {
    remembered: &'m Remembered,
    /// It may be found; the words of others count all the same, since the index is of the whole database.
    is_own: bool,
    words: Vec<String>,
}

/// The best of those that may be found.
pub(super) fn best<'m>(
    memories: impl Iterator<Item = (&'m Remembered, bool)>,
    query: &str,
) -> Vec<MemoryEntry> {
    let indexed: Vec<Indexed<'_>> = memories
        .filter_map(|(remembered, is_own)| {
            let words = words(&index_text(remembered.memory.content.as_ref()?)?);
            Some(Indexed { remembered, is_own, words })
        })
        .collect();
    let n_words: usize = indexed.iter().map(|memory| memory.words.len()).sum();
    let average = (n_words as f64 / indexed.len().max(1) as f64).max(f64::MIN_POSITIVE);
    let mut scores = vec![0.0; indexed.len()];
    for phrase in phrases(query) {
        let counts: Vec<usize> = indexed.iter().map(|memory| occurrences(&memory.words, &phrase)).collect();
        let (all, having) = (counts.len() as f64, counts.iter().filter(|count| **count > 0).count() as f64);
        let weight = ((all - having + 0.5) / (having + 0.5)).ln();
        let weight = if weight <= 0.0 { LEAST_WEIGHT } else { weight };
        for ((score, count), memory) in scores.iter_mut().zip(&counts).zip(&indexed) {
            let count = *count as f64;
            let length = memory.words.len() as f64 / average;
            *score += weight * (count * (K1 + 1.0)) / (count + K1 * (1.0 - B + B * length));
        }
    }
    let mut found: Vec<(f64, &Remembered)> = scores
        .into_iter()
        .zip(&indexed)
        .filter(|(score, memory)| *score > 0.0 && memory.is_own)
        .map(|(score, memory)| (score, memory.remembered))
        .collect();
    let newest_first =
        |a: &Remembered, b: &Remembered| b.said_at.partial_cmp(&a.said_at).unwrap_or(Ordering::Equal);
    found.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| newest_first(one, other)));
    found.into_iter().take(MAX_FOUND).map(|(_, remembered)| (&remembered.memory).into()).collect()
}

/// What the service puts into its index; `None` for what it does not keep.
fn index_text(content: &Content) -> Option<String> {
    let texts = content.parts().iter().filter(|part| !part.is_thought());
    let texts = texts.filter_map(|part| part.text.as_deref()).map(|text| text.replace('\n', " "));
    let texts: Vec<String> =
        texts.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect();
    if texts.is_empty() {
        return None;
    }
    let mut text = split_scripts(&normal(&texts.join(" "))).to_lowercase();
    text.truncate(text.floor_char_boundary(MAX_INDEXED));
    Some(text)
}

fn split_scripts(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    let words = text.split_whitespace().flat_map(|word| {
        let runs: Vec<&str> = if word.is_ascii() { vec![word] } else { script_runs(word).collect() };
        runs
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The words of a query, each as the sequence of words that the index takes it for.
fn phrases(query: &str) -> Vec<Vec<String>> {
    let query = split_scripts(&normal(query));
    let is_of_word = |c: char| strata_model::python::is_word(c) || c == '%';
    let mut seen = HashSet::new();
    let tokens = query.split(|c| !is_of_word(c)).map(str::to_lowercase);
    let tokens = tokens.filter(|token| !token.is_empty() && seen.insert(token.clone()));
    tokens.map(|token| words(&token)).filter(|phrase| !phrase.is_empty()).collect()
}

/// Runs of letters and digits, without the accents that the index leaves out.
fn words(text: &str) -> Vec<String> {
    use unicode_normalization::UnicodeNormalization as _;
    let is_mark = |c: char| ('\u{300}'..='\u{36f}').contains(&c);
    let bare: String = text.nfd().filter(|c| !is_mark(*c)).nfc().collect();
    let words = bare.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn occurrences(words: &[String], phrase: &[String]) -> usize {
    words.windows(phrase.len()).filter(|window| *window == phrase).count()
}
