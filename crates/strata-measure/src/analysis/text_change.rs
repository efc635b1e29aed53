//! How two texts that stand in one place differ first, and what kind of value does it: found in the texts alone, whoever
//! wrote them.

mod kind;
mod lists;
mod moments;
mod numbers;
mod random;
mod texts;
mod words;

pub use kind::ChangeKind;

use strata_model::text::common_start;

use texts::Texts;

/// Characters that are shown of each side.
const SHOWN: usize = 60;
/// Characters that are shown of what stands before a value.
const LABEL: usize = 32;

/// What differs first between two texts.
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
}

impl TextChange {
    /// How the second text differs first from the one before it. `None` for equal texts.
    pub fn between(before: &str, after: &str) -> Option<Self> {
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
            .unwrap_or_else(|| texts.other_words());
        let label = match found.kind {
            ChangeKind::Shortened => String::new(),
            _ => label(after, found.label_end),
        };
        Some(Self {
            kind: found.kind,
            label,
            before: shown(found.before),
            after: shown(found.after),
            chars: (before.chars().count(), after.chars().count()),
        })
    }

    /// The same for two values that are told apart elsewhere: equal ones are shown as they are.
    pub fn of_values(before: &str, after: &str) -> Self {
        Self::between(before, after).unwrap_or_else(|| Self {
            kind: ChangeKind::Words,
            label: String::new(),
            before: shown(before),
            after: shown(after),
            chars: (before.chars().count(), after.chars().count()),
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
    let line = line.trim_matches([' ', '-', '#', '*', '\t', '"']);
    match line.char_indices().rev().nth(LABEL) {
        Some((at, _)) => line[at..].split_once(' ').map_or("", |(_, words)| words).to_owned(),
        None => line.to_owned(),
    }
}

/// The beginning of a text, on one line.
pub(super) fn shown(text: &str) -> String {
    let line =
        text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ⏎ ");
    let text = if line.is_empty() {
        text.replace('\n', "⏎").replace(' ', "␣").replace('\t', "⇥")
    } else {
        line
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests;
