//! Decisions, and what the user asked to be kept to.

use std::collections::BTreeSet;

use strata_model::EventIndex;

use super::fact::{Fact, FactKind, normal};

/// Words that make a sentence of the user's a constraint.
const CONSTRAINTS: &[&str] = &[
    "must",
    "must not",
    "mustn't",
    "never",
    "always",
    "don't",
    "do not",
    "only",
    "at most",
    "at least",
    "no more than",
    "no less than",
    "without",
    "make sure",
    "ensure",
    "should not",
    "shouldn't",
    "need to",
    "needs to",
    "required",
    "budget",
    "deadline",
    "keep it",
    "avoid",
    "not allowed",
    "has to",
    "have to",
    "limit",
    "by the end of",
];

/// Words that make a sentence a decision.
const DECISIONS: &[&str] = &[
    "decided",
    "decide to",
    "we will",
    "we'll",
    "let's",
    "i'll go with",
    "go with",
    "going with",
    "chose",
    "choose",
    "agreed",
    "approved",
    "rejected",
    "instead of",
    "conclusion",
    "settled on",
    "switch to",
    "switched to",
    "opted",
    "the plan is",
    "rather than",
    "confirmed",
    "we are using",
    "we use",
    "selected",
    "root cause",
];

/// A sentence with fewer words of meaning says too little to be looked for.
const MIN_WORDS: usize = 3;
const MAX_BYTES: usize = 400;

pub(super) fn read(text: &str, is_from_user: bool, event: EventIndex, found: &mut Vec<Fact>) {
    for sentence in sentences(text) {
        if sentence.len() > MAX_BYTES {
            continue;
        }
        let lower = format!(" {} ", normal(sentence).replace([',', ';', ':', '(', ')', '"'], " "));
        let has = |cues: &[&str]| cues.iter().any(|cue| lower.contains(&format!(" {cue} ")));
        let kind = if is_from_user && has(CONSTRAINTS) {
            FactKind::Constraint
        } else if has(DECISIONS) && !sentence.trim_end().ends_with('?') {
            FactKind::Decision
        } else {
            continue;
        };
        if content_words(sentence).len() < MIN_WORDS {
            continue;
        }
        let key = format!("{} {}", kind.name(), normal(sentence));
        found.push(Fact { kind, text: sentence.to_owned(), key, event });
    }
}

/// Sentences and lines of a text.
pub(in super::super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
        .flat_map(|line| {
            let mut rest = line;
            std::iter::from_fn(move || {
                if rest.is_empty() {
                    return None;
                }
                let end = rest
                    .char_indices()
                    .find(|(at, letter)| {
                        matches!(letter, '.' | '!' | '?' | ';')
                            && rest[at + letter.len_utf8()..].chars().next().is_none_or(char::is_whitespace)
                    })
                    .map_or(rest.len(), |(at, letter)| at + letter.len_utf8());
                let (sentence, after) = rest.split_at(end);
                rest = after.trim_start();
                Some(sentence)
            })
        })
        .map(|sentence| sentence.trim().trim_start_matches(['-', '*', '•', ' ']))
        .filter(|sentence| !sentence.is_empty())
}

const STOP_WORDS: &[&str] = &[
    "the", "and", "for", "that", "this", "with", "you", "are", "was", "were", "will", "our", "your", "its",
    "from", "has", "have", "had", "but", "not", "please", "can", "all", "any", "they", "their", "them",
    "then", "than", "into", "also", "should", "would", "could", "there", "here", "when", "what", "which",
    "who", "how", "i'll", "we'll", "let's", "been", "being", "must", "user", "agent", "said", "asked",
    "about",
];

/// Words that carry meaning, without their endings.
pub(in super::super) fn content_words(text: &str) -> BTreeSet<String> {
    normal(text)
        .split(|letter: char| !letter.is_alphanumeric() && !"_-./'%".contains(letter))
        .map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .filter(|word| word.chars().count() > 2 || word.chars().any(|letter| letter.is_ascii_digit()))
        .filter(|word| !STOP_WORDS.contains(word))
        .map(stem)
        .collect()
}

fn stem(word: &str) -> String {
    if word.chars().any(|letter| letter.is_ascii_digit()) {
        return word.to_owned();
    }
    for ending in
        ["ations", "ation", "ments", "ment", "ings", "ing", "ied", "ies", "ed", "es", "s", "ly", "e"]
    {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.chars().count() >= 4) {
            return stem.to_owned();
        }
    }
    word.to_owned()
}
