//! Memories by how many words of a query they have, as ADK's in-memory service finds them.

use std::collections::BTreeSet;

use strata_model::{Content, Session, python};
use unicode_normalization::UnicodeNormalization as _;

use super::{MemoryEntry, joined_text};

/// At most this many memories are found.
const MAX_FOUND: usize = 10;

/// The memories of a user that share words with `query`, best first. `sessions` are all that were added to memory,
/// in that order; adding a session again replaces it where it stands.
pub fn search(sessions: &[Session], app_name: &str, user_id: &str, query: &str) -> Vec<MemoryEntry> {
    let events = remembered(sessions, app_name, user_id).into_iter().flat_map(|session| &session.events);
    let entries = events.filter_map(|event| {
        Some(MemoryEntry {
            id: event.id.clone(),
            content: event.content.clone()?,
            author: event.author.to_string(),
            timestamp: python::iso_timestamp(event.timestamp),
        })
    });
    best(entries, query)
}

/// Those that share words with `query`, the ones that have most of them first. Equals stay in their order.
pub fn best(entries: impl Iterator<Item = MemoryEntry>, query: &str) -> Vec<MemoryEntry> {
    let query = asked(query);
    let scored = entries.map(|entry| (score(&query, &normal(&joined_text(&entry.content))), entry));
    let mut found: Vec<(usize, MemoryEntry)> = scored.filter(|(score, _)| *score > 0).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(MAX_FOUND).map(|(_, entry)| entry).collect()
}

/// The words that a query asks for.
pub fn asked(query: &str) -> BTreeSet<String> {
    tokens(&normal(query)).into_iter().map(|token| token.to_lowercase()).collect()
}

/// The words by which a content is found.
pub fn words(content: &Content) -> BTreeSet<String> {
    text_words(&normal(&joined_text(content)))
}

fn remembered<'s>(sessions: &'s [Session], app_name: &str, user_id: &str) -> Vec<&'s Session> {
    let mut kept: Vec<&Session> = Vec::new();
    for session in
        sessions.iter().filter(|session| *session.app_name == *app_name && *session.user_id == *user_id)
    {
        match kept.iter_mut().find(|known| known.id == session.id) {
            Some(known) => *known = session,
            None => kept.push(session),
        }
    }
    kept
}

/// How many words of the query the text has. A word outside ASCII also counts where it is part of the text.
fn score(query: &BTreeSet<String>, text: &str) -> usize {
    let words = text_words(text);
    if words.is_empty() {
        return 0;
    }
    let lowered = text.to_lowercase();
    query
        .iter()
        .filter(|word| words.contains(*word) || (!word.is_ascii() && lowered.contains(word.as_str())))
        .count()
}

pub(super) fn normal(text: &str) -> String {
    text.nfc().collect()
}

/// Maximal runs of word characters.
fn tokens(text: &str) -> Vec<&str> {
    text.split(|c| !python::is_word(c)).filter(|token| !token.is_empty()).collect()
}

/// The words of a text in lower case; tokens that mix Latin with other scripts also count piece by piece.
fn text_words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for token in tokens(text) {
        words.insert(token.to_lowercase());
        if !token.is_ascii() {
            words.extend(script_runs(token).map(|run| run.to_lowercase()));
        }
    }
    words
}

/// A token cut where Latin letters meet others.
pub(super) fn script_runs(token: &str) -> impl Iterator<Item = &str> {
    let mut runs = Vec::new();
    let mut start = 0;
    let mut before: Option<bool> = None;
    for (at, c) in token.char_indices() {
        let is_latin = is_latin(c);
        if before.is_some_and(|before| before != is_latin) {
            runs.push(&token[start..at]);
            start = at;
        }
        before = Some(is_latin);
    }
    runs.push(&token[start..]);
    runs.into_iter()
}

/// ASCII letters, digits and the underscore, and every character whose Unicode name starts with LATIN.
fn is_latin(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || c == '_'
        || unicode_names2::name(c).is_some_and(|name| name.to_string().starts_with("LATIN"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_cut_at_scripts_and_marks() {
        assert_eq!(tokens("हिन्दी a-b_c"), ["ह", "न", "द", "a", "b_c"]);
        assert_eq!(script_runs("GPT模型v2").collect::<Vec<_>>(), ["GPT", "模型", "v2"]);
    }
}
