//! Facts that are spelled in a certain way.

use regex::Regex;
use strata_model::EventIndex;

use super::dates::Day;
use super::fact::{Fact, FactKind, normal};
use super::numbers::Quantity;

/// Patterns in the order in which they claim text: what one has taken, those after it leave alone.
pub(super) struct Patterns {
    all: Vec<(FactKind, Regex)>,
}

/// Longest text of a fact, in bytes: longer matches are no names but data.
const MAX_BYTES: usize = 240;

const EXTENSIONS: &str = "rs|py|js|mjs|ts|tsx|jsx|svelte|json|jsonl|yaml|yml|toml|md|txt|csv|tsv|sql|html|css|xml|pdf|\
     png|jpg|jpeg|svg|log|lock|sh|go|java|kt|c|h|cpp|hpp|rb|php|ini|cfg|conf|env|xlsx|docx|parquet|db|sqlite|ipynb|proto";

const UNITS: &str = "%|percent|ms|milliseconds?|µs|us|ns|seconds?|secs?|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|\
     months?|years?|bytes?|[kKMGT]i?B|tokens?|USD|EUR|GBP|CHF|JPY|dollars?|euros?|pounds?|km/h|km|kg|mg|g|cm|mm|m|miles?|\
     kWh|kW|MW|W|V|mA|A|Hz|kHz|MHz|GHz|°C|°F|rows?|items?|requests?|users?|calls?|retries|attempts?|orders?|invoices?|\
     units?|pages?|lines?|files?|records?|pieces?|seats?|nights?|guests?|px|dpi|rpm|qps|rps|x";

impl Patterns {
    pub(super) fn new() -> Self {
        let months = "Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|\
             Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?";
        let patterns: Vec<(FactKind, String)> = vec![
            (FactKind::Url, r#"\b(?:https?|ftp|s3|gs|postgres|redis|wss?)://[^\s"'<>`)\]}|]+"#.to_owned()),
            (FactKind::Command, r"`([a-z][\w.-]* [^`\n]{2,200})`".to_owned()),
            (FactKind::Command, r"(?m)^\s*\$ (\S[^\n]{2,200})$".to_owned()),
            (FactKind::Identifier, r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b".to_owned()),
            (FactKind::Date, r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?)?\b".to_owned()),
            (FactKind::Date, format!(r"\b(?:{months})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?\b")),
            (
                FactKind::Date,
                format!(r"\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:of )?(?:{months})\b\.?(?:,? \d{{4}})?"),
            ),
            (FactKind::Date, r"\b\d{1,2}[./]\d{1,2}[./]\d{4}\b".to_owned()),
            // From the root, from home, from here; not in the middle of a word.
            (
                FactKind::Path,
                r#"(?:^|[\s"'`(=:,\[])((?:[A-Za-z]:\\|~/|\.{0,2}/)(?:[\w.@+-]+[/\\])*[\w.@+-]*[\w@+])"#
                    .to_owned(),
            ),
            (FactKind::Path, format!(r"\b(?:[\w.@+-]+[/\\])+[\w.@+-]+\.(?:{EXTENSIONS})\b")),
            (FactKind::Path, format!(r"\b[\w-]+(?:\.[\w-]+)*\.(?:{EXTENSIONS})\b")),
            (FactKind::Path, r"\b[\w.@+-]+(?:/[\w.@+-]+){2,}\b".to_owned()),
            (
                FactKind::Identifier,
                r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b".to_owned(),
            ),
            (
                FactKind::Number,
                r"(?:[$€£¥]|(?:USD|EUR|GBP|CHF) )\s?\d[\d,]*(?:\.\d+)?(?:\s?(?:k|K|M|bn|million|billion)\b)?"
                    .to_owned(),
            ),
            (
                FactKind::Number,
                format!(
                    r"[-−]?\b\d[\d,]*(?:\.\d+)?\s?(?:(?:million|billion|thousand)\s)?(?:{UNITS})(?:$|[^\w])"
                ),
            ),
            (FactKind::Number, r"\b\d[\d,]*(?:\.\d+)?\s?€".to_owned()),
            // PR-2041, INV_77-b, v2.3.1, #1234, i-0abc12, sk4711.
            (FactKind::Identifier, r"\b[A-Za-z]{1,12}(?:[-_][A-Za-z0-9]+)*[-_]\d[A-Za-z0-9_-]*\b".to_owned()),
            (FactKind::Identifier, r"\bv\d+(?:\.\d+)+(?:-[\w.]+)?\b".to_owned()),
            (FactKind::Identifier, r"\b\d+\.\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?\b".to_owned()),
            (FactKind::Identifier, r"#\d{2,}\b".to_owned()),
            (FactKind::Identifier, r"\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{5,62}\b".to_owned()),
            (FactKind::Identifier, r"\b[a-zA-Z][a-zA-Z0-9]*(?:_[a-zA-Z0-9]+)+(?:\(\))?".to_owned()),
            (FactKind::Identifier, r"\b[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]+)+(?:\(\))?".to_owned()),
            (FactKind::Identifier, r"\b[A-Z]{2,}[0-9]{2,}[A-Z0-9]*\b".to_owned()),
            (FactKind::Identifier, r"\b(?:[A-Z][a-z0-9]+){2,}\b".to_owned()),
            (FactKind::Quoted, "\"([^\"\\n]{3,120})\"".to_owned()),
            (FactKind::Quoted, "\u{201c}([^\u{201d}\\n]{3,120})\u{201d}".to_owned()),
            (FactKind::Quoted, r"`([^`\n]{3,120})`".to_owned()),
        ];
        let all = patterns.into_iter().filter_map(|(kind, pattern)| Some((kind, Regex::new(&pattern).ok()?)));
        Self { all: all.collect() }
    }

    pub(super) fn read_text(&self, text: &str, event: EventIndex, found: &mut Vec<Fact>) {
        let mut taken: Vec<(usize, usize)> = Vec::new();
        let first = found.len();
        let mut places: Vec<usize> = Vec::new();
        for (kind, pattern) in &self.all {
            for captures in pattern.captures_iter(text) {
                let Some(whole) = captures.get(0) else { continue };
                let inner = captures.get(1).unwrap_or(whole);
                // Marks around a quotation belong to it; white space before a path does not.
                let (start, end) = match kind {
                    FactKind::Path => (inner.start(), inner.end()),
                    _ => (whole.start(), whole.end()),
                };
                let Some(fact) = fact(*kind, inner.as_str(), event) else { continue };
                if taken.iter().any(|(from, to)| start < *to && *from < end) {
                    continue;
                }
                // A unit is matched with the letter behind it, which others may begin with.
                taken.push((
                    start,
                    if captures.get(1).is_some() { end } else { start + trimmed(inner.as_str()).len() },
                ));
                found.push(fact);
                places.push(start);
            }
        }
        let mut sorted: Vec<(usize, Fact)> = places.into_iter().zip(found.drain(first..)).collect();
        sorted.sort_by_key(|(place, _)| *place);
        found.extend(sorted.into_iter().map(|(_, fact)| fact));
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_end_matches(|letter: char| letter.is_whitespace() || ".,;:!?)]}'\"…".contains(letter))
}

fn fact(kind: FactKind, text: &str, event: EventIndex) -> Option<Fact> {
    let text = trimmed(text).trim_start();
    if text.len() < 2 || text.len() > MAX_BYTES {
        return None;
    }
    let key = match kind {
        FactKind::Url => format!("url {}", url_key(text)),
        FactKind::Path => {
            if !text.chars().any(char::is_alphabetic) || is_ratio(text) {
                return None;
            }
            format!("path {}", normal(text))
        }
        FactKind::Number => format!("number {}", Quantity::read(text)?.key()),
        FactKind::Date => format!("date {}", Day::read(text)?.key()),
        FactKind::Command => format!("command {}", normal(text)),
        FactKind::Quoted => format!("quoted {}", normal(text)),
        _ => format!("id {}", normal(text)),
    };
    Some(Fact { kind, text: text.to_owned(), key, event })
}

pub(in super::super) fn url_key(text: &str) -> String {
    let lower = normal(text);
    let bare = lower.split_once("://").map_or(&*lower, |(_, rest)| rest);
    bare.trim_start_matches("www.").trim_end_matches('/').to_owned()
}

/// `and/or`, `3/4`: nothing on a disk.
fn is_ratio(text: &str) -> bool {
    text.split('/').all(|part| part.len() <= 3 && part.chars().all(|letter| letter.is_ascii_digit()))
}
