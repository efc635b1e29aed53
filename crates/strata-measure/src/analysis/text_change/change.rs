//! A difference of two texts, and how it is found: what it may be is tried in turn.

use std::borrow::Cow;

use strata_model::text::common_start;

use super::kind::ChangeKind;
use super::texts::{Found, Texts};
use super::{lists, moments, numbers, random};

/// Characters that are shown of each side.
const SHOWN: usize = 60;
/// Characters that are shown of what stands before a value.
const LABEL: usize = 32;
/// Characters that are shown of what two long values begin with.
const SHARED: usize = 12;
/// Values that change behind the first one and are told.
const FURTHER: usize = 2;

/// What differs first between two texts, and the values behind it that differ as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChange {
    pub kind: ChangeKind,
    /// What stands before the value on its line, such as `Current time:`. Empty where nothing does.
    pub label: String,
    /// The first value that differs as it was, at most 60 characters of it. Empty where it was not there.
    pub before: String,
    /// The same as it is now. Empty where it is gone.
    pub after: String,
    /// Characters of the whole texts.
    pub chars: (usize, usize),
    /// Times, ids and numbers behind it that differ, too: mending the first alone would end the prefix there.
    pub further: Vec<TextChange>,
}

impl TextChange {
    /// How the second text differs first from the one before it. `None` for equal texts.
    pub fn between(before: &str, after: &str) -> Option<Self> {
        let (first, (mut was, mut is)) = Self::first(before, after)?;
        let mut further = Vec::new();
        // What took the place of a value leaves the texts behind it side by side.
        while further.len() < FURTHER
            && let Some((next, rests)) = Self::first(was, is)
            && next.kind.is_value()
        {
            further.push(next);
            (was, is) = rests;
        }
        Some(Self { further, ..first })
    }

    /// The first difference, and both texts behind it. They are empty where something other than a value took the place
    /// of a value.
    fn first<'t>(before: &'t str, after: &'t str) -> Option<(Self, (&'t str, &'t str))> {
        let at = common_start(before, after);
        if at == before.len() && at == after.len() {
            return None;
        }
        let texts = Texts { before, after, at };
        let found = texts
            .white_space()
            .or_else(|| lists::reordered(&texts))
            .or_else(|| texts.shortened())
            .or_else(|| lists::resized(&texts))
            .or_else(|| moments::changed(&texts))
            .or_else(|| random::changed(&texts))
            .or_else(|| numbers::changed(&texts))
            .or_else(|| texts.continued())
            .unwrap_or_else(|| moments::within(texts.other_words()));
        let label = match found.kind {
            ChangeKind::Shortened => String::new(),
            _ => label(after, found.label_end),
        };
        let rests = behind(&texts, &found);
        let (shown_before, shown_after) = shown_apart(found.before, found.after);
        let change = Self {
            kind: found.kind,
            label,
            before: shown_before,
            after: shown_after,
            chars: (before.chars().count(), after.chars().count()),
            further: Vec::new(),
        };
        Some((change, rests))
    }

    /// The same for two values that are told apart elsewhere: equal ones are shown as they are.
    pub fn of_values(before: &str, after: &str) -> Self {
        Self::between(before, after).unwrap_or_else(|| Self {
            kind: ChangeKind::Words,
            label: String::new(),
            before: shown(before),
            after: shown(after),
            chars: (before.chars().count(), after.chars().count()),
            further: Vec::new(),
        })
    }

    /// `a → b`; what came in or went alone.
    pub fn arrow(&self) -> String {
        match (&*self.before, &*self.after) {
            ("", after) => format!("+ {after}"),
            (before, "") => format!("− {before}"),
            (before, after) => format!("{before} → {after}"),
        }
    }
}

/// What stands on the line before a byte: the key of a value, or the last words.
fn label(text: &str, end: usize) -> String {
    let start = text[..end].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..end].trim_end_matches([' ', '"', '\'', '`', '(', '[', '{', '*', '=']);
    let line = line.trim_end_matches([':', '>']).trim_end_matches(['"', '\'', '*']);
    let line = line.rsplit(['{', '<', '"']).next().unwrap_or(line);
    let line = line.rsplit([',', ';', '|']).next().unwrap_or(line);
    let line = line.trim_matches([' ', '-', '#', '*', '\t', '"']).trim_start_matches(['.', '(', '[', ' ']);
    match line.char_indices().rev().nth(LABEL) {
        Some((at, _)) => line[at..].split_once(' ').map_or("", |(_, words)| words).to_owned(),
        None => line.to_owned(),
    }
}

/// Both texts behind a value that took the place of another one; else nothing.
fn behind<'t>(texts: &Texts<'t>, found: &Found<'t>) -> (&'t str, &'t str) {
    let rest = |text: &'t str, value: &str| {
        let from = text.get(found.label_end..)?;
        from.strip_prefix(value).filter(|_| !value.is_empty())
    };
    let rests = rest(texts.before, found.before).zip(rest(texts.after, found.after));
    rests.filter(|_| found.kind.is_value() || found.kind == ChangeKind::Words).unwrap_or_default()
}

/// Two values from where they differ on, where their beginnings would look the same.
pub(super) fn shown_apart(before: &str, after: &str) -> (String, String) {
    let both = (shown(before), shown(after));
    if both.0 != both.1 || before.is_empty() || after.is_empty() {
        return both;
    }
    let at = common_start(before, after);
    let from = before[..at].char_indices().rev().nth(SHARED - 1).map_or(0, |(from, _)| from);
    let apart = |text: &str| format!("…{}", shown(&text[from..]));
    (apart(before), apart(after))
}

/// Characters that cannot be seen, or that look like others, by their numbers; line breaks and tabs stay.
fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| match c {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{200b}'
        | '\u{200c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2060}'..='\u{2064}'
        | '\u{feff}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control() || (c.is_whitespace() && !c.is_ascii()),
    };
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\r' => visible.push('␍'),
            c if is_hidden(c) => visible.push_str(&format!("‹U+{:04X}›", u32::from(c))),
            c => visible.push(c),
        }
    }
    Cow::Owned(visible)
}

/// The beginning of a text, on one line.
pub(in crate::analysis) fn shown(text: &str) -> String {
    let text = visible(text);
    let line =
        text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ⏎ ");
    let is_space = text.chars().all(|c| c.is_whitespace() || c == '␍');
    let text =
        if is_space { text.replace('\n', "⏎").replace(' ', "␣").replace('\t', "⇥") } else { line };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
