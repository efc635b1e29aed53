//! Times, dates, and times that have passed.

use super::kind::ChangeKind;
use super::texts::{Found, Texts, runs};
use super::words::{Word, is_gap};

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const LONG_NAMES: [&str; 20] = [
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "sept",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "midnight",
];
const UNITS: [&str; 14] = [
    "ms", "s", "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "hour", "hours",
    "day", "days",
];
/// Words that stand between others of a time, and are none alone.
const JOINTS: [&str; 11] = ["am", "pm", "utc", "gmt", "cet", "cest", "z", "at", "of", "the", "ago"];
/// Seconds since 1970 that people write down: 2014 to 2039.
const EPOCH_S: std::ops::Range<u64> = 1_400_000_000..2_200_000_000;
/// Seconds between two calls of one session.
const SESSION_S: u64 = 400 * 24 * 3600;
/// Words of one time on both sides of the first difference.
const MAX_WORDS: usize = 6;

/// A moment in the place of another.
pub(super) fn changed<'t>(texts: &Texts<'t>) -> Option<Found<'t>> {
    let (before, after) = (moment(texts.before, texts.at), moment(texts.after, texts.at));
    let (before, after) = match (before, after) {
        (Some(before), Some(after)) if before.text != after.text => (before, after),
        _ => time_stamps(texts).or_else(|| calendar(texts))?,
    };
    Some(Found { kind: ChangeKind::Time, before: before.text, after: after.text, label_end: after.start })
}

/// Words that took the place of others, as a time where there is one in both: a day by a name that is not known here
/// stands before it.
pub(super) fn within(found: Found<'_>) -> Found<'_> {
    let has_time =
        |text: &str| words_between(text, 0, text.len()).iter().any(|word| piece(word.text) == Piece::Time);
    let is_time = found.kind == ChangeKind::Words && has_time(found.before) && has_time(found.after);
    Found { kind: if is_time { ChangeKind::Time } else { found.kind }, ..found }
}

/// `2026年11月20日`.
fn calendar<'t>(texts: &Texts<'t>) -> Option<(Word<'t>, Word<'t>)> {
    const SIGNS: [char; 8] = ['年', '月', '日', '时', '時', '分', '秒', '点'];
    let found = runs(texts, |letter| letter.is_ascii_digit() || SIGNS.contains(&letter))?;
    let is_time =
        |word: Word<'_>| word.text.contains(SIGNS) && word.text.starts_with(|it: char| it.is_ascii_digit());
    (is_time(found.0) && is_time(found.1)).then_some(found)
}

/// Numbers of seconds, of thousandths or of less since 1970, which are not far from each other.
fn time_stamps<'t>(texts: &Texts<'t>) -> Option<(Word<'t>, Word<'t>)> {
    let (before, after) = runs(texts, |letter| letter.is_ascii_digit() || letter == '.')?;
    let distance = seconds(before.text)?.abs_diff(seconds(after.text)?);
    (distance < SESSION_S).then_some((before, after))
}

fn seconds(text: &str) -> Option<u64> {
    let digits = text.split('.').next()?;
    let unit = match digits.len() {
        10 => 1,
        13 => 1_000,
        16 => 1_000_000,
        19 => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok().map(|number| number / unit).filter(|seconds| EPOCH_S.contains(seconds))
}

/// The time, with its day where that stands beside it, that a byte lies in.
fn moment(text: &str, at: usize) -> Option<Word<'_>> {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let words = words_between(text, line_start, line_end);
    let here = words.iter().position(|word| word.start <= at && at <= word.end())?;
    let kind = |at: usize| words.get(at).map_or(Piece::Other, |word| piece(word.text));
    if kind(here) == Piece::Other {
        return None;
    }
    let mut first = here;
    while first > 0
        && here - first < MAX_WORDS
        && kind(first - 1) != Piece::Other
        && is_near(text, words[first - 1], words[first])
    {
        first -= 1;
    }
    let mut last = here;
    while last - here < MAX_WORDS
        && kind(last + 1) != Piece::Other
        && is_near(text, words[last], words[last + 1])
    {
        last += 1;
    }
    let is_begin = |at: usize| match kind(at) {
        Piece::Joint => words[at].text.parse::<u32>().is_ok() && kind(at + 1) != Piece::Joint,
        piece => piece == Piece::Time,
    };
    while first < here && !is_begin(first) {
        first += 1;
    }
    while last > here && matches!(words[last].text, "at" | "of" | "the") {
        last -= 1;
    }
    let is_time = (first..=last).any(|at| kind(at) == Piece::Time)
        || (first..last).any(|at| words[at].text.parse::<f64>().is_ok() && kind(at + 1) == Piece::Unit);
    let whole = Word { text: &text[words[first].start..words[last].end()], start: words[first].start };
    is_time.then_some(whole)
}

/// Only a space, a comma or both stand between them.
fn is_near(text: &str, a: Word<'_>, b: Word<'_>) -> bool {
    text[a.end()..b.start].chars().all(|letter| matches!(letter, ' ' | ',' | '.' | ':' | '(' | ')'))
}

fn words_between(text: &str, start: usize, end: usize) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut begin = None;
    for (at, letter) in text[start..end].char_indices().chain([(end - start, ' ')]) {
        match (begin, is_gap(letter)) {
            (None, false) => begin = Some(start + at),
            (Some(first), true) => {
                words.extend(cut_label(&text[first..start + at], first));
                begin = None;
            }
            _ => {}
        }
    }
    words
}

/// A word without the punctuation behind it; `now:10:31` is two.
fn cut_label(text: &str, start: usize) -> impl Iterator<Item = Word<'_>> {
    let label = text.split_once(':').filter(|(label, rest)| {
        !rest.is_empty() && label.chars().all(|letter| letter.is_alphabetic() || matches!(letter, '_' | '-'))
    });
    let (label, value) = label.unwrap_or(("", text));
    let value_start = start + text.len() - value.len();
    let trimmed = value.trim_end_matches(['.', ':', '!', '?', '…']);
    [Word { text: label, start }, Word { text: trimmed, start: value_start }]
        .into_iter()
        .filter(|word| !word.text.is_empty())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A time or a day by itself.
    Time,
    /// A part of one where another stands beside it.
    Joint,
    /// A unit of time, which is one behind a number.
    Unit,
    Other,
}

fn piece(word: &str) -> Piece {
    let lower = word.to_ascii_lowercase();
    let name = lower.trim_end_matches('.');
    // "May" and "Sun" are words, too; the long names are not.
    if is_clock(lower.strip_prefix(['+', '-']).unwrap_or(&lower))
        || is_date(&lower)
        || LONG_NAMES.contains(&name)
        || is_span(&lower)
    {
        return Piece::Time;
    }
    if (MONTHS.contains(&name) || DAYS.contains(&name))
        && word.starts_with(|letter: char| letter.is_uppercase())
    {
        return Piece::Time;
    }
    if UNITS.contains(&name) {
        return Piece::Unit;
    }
    let is_number =
        |text: &str| !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    let ordinal = ["st", "nd", "rd", "th"].iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(&lower);
    let is_zone = lower.len() >= 3
        && lower.strip_prefix(['+', '-']).is_some_and(|rest| is_number(&rest.replace(':', "")));
    if is_number(ordinal) || JOINTS.contains(&name) || is_zone { Piece::Joint } else { Piece::Other }
}

/// `10:31`, `10:31:07.250Z`, `9:05pm`, `10:31+01:00`.
fn is_clock(text: &str) -> bool {
    let Some((hours, rest)) = text.split_once(':') else { return false };
    let is_hour = matches!(hours.len(), 1 | 2) && hours.parse::<u8>().is_ok_and(|hour| hour < 25);
    let minutes = rest.get(..2).and_then(|minutes| minutes.parse::<u8>().ok());
    let rest = rest.get(2..).unwrap_or_default();
    let is_rest = rest.chars().all(|letter| letter.is_ascii_digit() || ":.+-zapmutc".contains(letter));
    is_hour && minutes.is_some_and(|minute| minute < 60) && is_rest
}

/// `2026-11-20`, with or without a time behind it, `20.11.2026`, `11/20/26`, `20261120T103107`.
fn is_date(text: &str) -> bool {
    let day = text.split(['t', '_']).next().unwrap_or_default();
    let numbers: Vec<&str> = day.split(['-', '/', '.']).take(4).collect();
    let values: Vec<u32> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
    let is_year = |year: u32| (1990..2100).contains(&year);
    match (&values[..], numbers.len()) {
        ([year, month, day], 3 | 4) if is_year(*year) => (1..=12).contains(month) && (1..=31).contains(day),
        ([first, second, year], 3) => {
            (is_year(*year) || *year < 100)
                && (1..=31).contains(first)
                && (1..=31).contains(second)
                && (*first).min(*second) <= 12
                && day.contains(['/', '.'])
                && numbers[2].len() >= 2
                // `2.1.17` is a version.
                && (day.contains('/') || is_year(*year) || day.len() == 8)
        }
        ([_], 1) if day.len() == 8 && text.len() > 8 => {
            day.get(..4).and_then(|year| year.parse().ok()).is_some_and(is_year)
        }
        _ => false,
    }
}

/// `35s`, `250ms`, `3m20s`, `2h`.
fn is_span(text: &str) -> bool {
    let is_unit = |unit: &str| matches!(unit, "ms" | "s" | "sec" | "min" | "m" | "h" | "d");
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let unit = text[digits..]
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, 's' | 'm'));
    digits > 0 && digits <= 6 && (is_unit(&text[digits..]) || (is_unit(unit) && text.ends_with(['s', 'm'])))
}
