//! Memory: finding past conversations by words, as ADK's in-memory service does (`ADK.md` 7.5).

use std::collections::BTreeSet;
use std::sync::Arc;

use strata_model::{Content, FoundMemory, FromJson as _, Json, Object, RecordedCall, Session, Str, python};
use unicode_normalization::UnicodeNormalization as _;

/// At most this many memories are found.
const MAX_FOUND: usize = 10;

/// Something that was remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEntry {
    /// Id of the event that was remembered.
    pub id: Str,
    pub content: Arc<Content>,
    pub author: String,
    /// Local time as `datetime.isoformat()` prints it; in UTC here.
    pub timestamp: String,
}

impl MemoryEntry {
    /// The entry as ADK dumps it.
    pub fn to_json(&self) -> Json {
        let mut out = Object::new();
        out.push("content", self.content.to_json());
        out.push("custom_metadata", Object::new());
        out.push("id", self.id.clone());
        out.push("author", self.author.clone());
        out.push("timestamp", self.timestamp.clone());
        Json::Object(out)
    }

    /// The texts of its parts, joined by spaces; thoughts are included.
    pub fn text(&self) -> String {
        joined_text(&self.content)
    }
}

/// What a service was seen to answer to this query. `None` where the call is not known to have asked it.
pub(crate) fn recorded(call: &RecordedCall, query: &str) -> Option<Vec<MemoryEntry>> {
    let search = call.memory.iter().flatten().find(|search| *search.query == *query)?;
    let entry = |found: &FoundMemory| MemoryEntry {
        id: found.id.clone().unwrap_or_default(),
        content: Arc::new(found.content.clone().unwrap_or_default()),
        author: found.author.as_deref().unwrap_or_default().to_owned(),
        timestamp: found.timestamp.as_deref().unwrap_or_default().to_owned(),
    };
    Some(search.found.iter().flatten().map(entry).collect())
}

fn joined_text(content: &Content) -> String {
    let texts =
        content.parts().iter().filter_map(|part| part.text.as_deref()).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join(" ")
}

/// The memories of a user that share words with `query`, best first. `sessions` are all that were added to memory,
/// in that order; adding a session again replaces it where it stands.
pub fn search(sessions: &[Session], app_name: &str, user_id: &str, query: &str) -> Vec<MemoryEntry> {
    let query: BTreeSet<String> =
        tokens(&normal(query)).into_iter().map(|token| token.to_lowercase()).collect();
    let mut found: Vec<(usize, MemoryEntry)> = Vec::new();
    for event in remembered(sessions, app_name, user_id).into_iter().flat_map(|session| &session.events) {
        let Some(content) = event.content.as_ref().filter(|content| !content.parts().is_empty()) else {
            continue;
        };
        let text = normal(&joined_text(content));
        let score = score(&query, &text);
        if score > 0 {
            let entry = MemoryEntry {
                id: event.id.clone(),
                content: content.clone(),
                author: event.author.to_string(),
                timestamp: iso_timestamp(event.timestamp),
            };
            found.push((score, entry));
        }
    }
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().take(MAX_FOUND).map(|(_, entry)| entry).collect()
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

fn normal(text: &str) -> String {
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
fn script_runs(token: &str) -> impl Iterator<Item = &str> {
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

/// `datetime.fromtimestamp(seconds).isoformat()` in UTC: microseconds only where there are any.
pub fn iso_timestamp(seconds: f64) -> String {
    // Python rounds the fraction alone, half to even, to whole microseconds.
    let micros = seconds.trunc() as i64 * 1_000_000 + (seconds.fract() * 1e6).round_ties_even() as i64;
    let (days, rest) = (micros.div_euclid(86_400_000_000), micros.rem_euclid(86_400_000_000));
    let (year, month, day) = civil_from_days(days);
    let (clock, fraction) = (rest / 1_000_000, rest % 1_000_000);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:06}") };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}")
}

/// The date of a day counted from 1970-01-01, in the Gregorian calendar.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        assert_eq!(iso_timestamp(0.0), "1970-01-01T00:00:00");
        assert_eq!(iso_timestamp(1_750_000_000.5), "2025-06-15T15:06:40.500000");
        assert_eq!(iso_timestamp(951_782_400.0), "2000-02-29T00:00:00");
        assert_eq!(iso_timestamp(-0.25), "1969-12-31T23:59:59.750000");
    }

    #[test]
    fn tokens_are_cut_at_scripts_and_marks() {
        assert_eq!(tokens("हिन्दी a-b_c"), ["ह", "न", "द", "a", "b_c"]);
        assert_eq!(script_runs("GPT模型v2").collect::<Vec<_>>(), ["GPT", "模型", "v2"]);
    }
}
