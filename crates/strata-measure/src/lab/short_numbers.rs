//! Short numbers that answers say. `119` may be anybody's, and is not where a row or a sentence of an earlier event has it
//! beside something that the answer says as well: the row's name, or the sentence's words.

use std::collections::{HashMap, HashSet};

use strata_engine::Experiment;
use strata_model::{EventIndex, Json, Part, Str, json};

use super::said::each_said;
use super::telling::{is_short_number, tokens};
use super::text_tables::TextTables;
use super::words::{Phrase, Words};

/// Short numbers of one answer that are looked for.
const MAX_OF_ANSWER: usize = 64;
/// Deepest level of a result that is looked at.
const MAX_DEPTH: usize = 16;
/// Letters of a word, and letters and digits of a row's name, that say something.
const LEAST: usize = 4;
/// Words that a sentence and an answer's line have to have in common.
const SHARED_WORDS: usize = 2;
/// Words of that length that stand everywhere.
const COMMON: [&str; 20] = [
    "that", "this", "with", "have", "from", "were", "been", "they", "will", "your", "each", "into", "than",
    "then", "there", "their", "about", "which", "would", "also",
];

/// A number of an answer, with the events it was read from.
pub(super) struct ShortNumber {
    pub text: String,
    pub phrase: Phrase,
    /// The place of the call whose answer says it.
    pub call: usize,
    /// The tool in whose arguments it stands; `None`: in the answer's text.
    pub tool: Option<Str>,
    /// In order, and never empty.
    pub sources: Vec<EventIndex>,
}

/// Of all answers, those that an earlier event has in a row or a sentence that the answer speaks of.
pub(super) fn short_numbers(experiment: &Experiment) -> Vec<ShortNumber> {
    let mut search = Search::default();
    for (at, call) in experiment.calls().iter().enumerate() {
        let from = search.numbers.len();
        each_said(experiment, call, &mut |text, tool| search.note(text, tool, (at, call.answer), from));
    }
    if search.numbers.is_empty() {
        return Vec::new();
    }
    for logged in experiment.log().events().iter().filter(|logged| logged.is_of_history()) {
        let Some(event) = logged.index else { continue };
        for part in logged.event.parts() {
            search.part(part, event);
        }
    }
    let found = search.numbers.into_iter().map(|number| number.own);
    found.filter(|number| !number.sources.is_empty()).collect()
}

struct Sought {
    own: ShortNumber,
    answer: EventIndex,
    /// All of the text that says it, and the words of its line.
    said: std::rc::Rc<Words>,
    near: HashSet<String>,
}

#[derive(Default)]
struct Search {
    numbers: Vec<Sought>,
    by_phrase: HashMap<Phrase, Vec<usize>>,
}

impl Search {
    /// Notes the short numbers of a text; `from` is the first number of the same answer.
    fn note(&mut self, text: &str, tool: Option<&Str>, (call, answer): (usize, EventIndex), from: usize) {
        let said = std::rc::Rc::new(Words::of(text));
        for line in text.lines() {
            for token in tokens(line).filter(|token| is_short_number(token)) {
                let Some(phrase) = Phrase::of(token) else { continue };
                let is_known = self.numbers[from..].iter().any(|known| known.own.phrase == phrase);
                if is_known || self.numbers.len() - from >= MAX_OF_ANSWER {
                    continue;
                }
                self.by_phrase.entry(phrase.clone()).or_default().push(self.numbers.len());
                let own = ShortNumber {
                    text: token.to_owned(),
                    phrase,
                    call,
                    tool: tool.cloned(),
                    sources: Vec::new(),
                };
                self.numbers.push(Sought { own, answer, said: said.clone(), near: words(line).collect() });
            }
        }
    }

    fn part(&mut self, part: &Part, event: EventIndex) {
        if let Some(text) = part.text.as_deref().filter(|_| !part.is_thought()) {
            self.text(text, event);
        }
        let response = part.function_response.as_ref().and_then(|response| response.response.as_deref());
        if let Some(response) = response {
            self.value(&Json::Object(response.clone()), event, 0);
        }
    }

    fn value(&mut self, value: &Json, event: EventIndex, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let rows: Vec<Vec<String>> = match value {
            Json::Array(items) => items.iter().map(cells).collect(),
            other => vec![cells(other)],
        };
        self.table(&rows, event);
        let members: Vec<&Json> = match value {
            Json::Array(items) => items.iter().flat_map(item_members).collect(),
            other => members(other),
        };
        for member in members {
            match member {
                Json::Array(_) | Json::Object(_) => self.value(member, event, depth + 1),
                Json::String(text) => match json::parse(text.trim().as_bytes()) {
                    Ok(read @ (Json::Array(_) | Json::Object(_))) => self.value(&read, event, depth + 1),
                    _ => self.text(text, event),
                },
                _ => {}
            }
        }
    }

    fn text(&mut self, text: &str, event: EventIndex) {
        let TextTables { tables, other } = TextTables::read(text);
        for table in tables {
            let owned = |row: Vec<&str>| row.into_iter().map(str::to_owned).collect();
            let rows: Vec<Vec<String>> = table.into_iter().map(owned).collect();
            self.table(&rows, event);
        }
        for line in other {
            let found: Vec<usize> = tokens(line).flat_map(|token| self.sought(token, event)).collect();
            if found.is_empty() {
                continue;
            }
            let words: HashSet<String> = words(line).collect();
            for at in found {
                let number = &mut self.numbers[at];
                if number.near.intersection(&words).count() >= SHARED_WORDS {
                    number.read_from(event);
                }
            }
        }
    }

    /// A row is known by what no other row of its table has.
    fn table(&mut self, rows: &[Vec<String>], event: EventIndex) {
        let found: Vec<(usize, usize)> = rows
            .iter()
            .enumerate()
            .flat_map(|(row, cells)| {
                let sought = cells.iter().flat_map(|cell| self.sought(cell, event));
                sought.map(move |at| (row, at)).collect::<Vec<_>>()
            })
            .collect();
        if found.is_empty() {
            return;
        }
        let mut n_rows: HashMap<&str, usize> = HashMap::new();
        for cell in rows.iter().flatten() {
            *n_rows.entry(cell).or_default() += 1;
        }
        for (row, at) in found {
            let number = &mut self.numbers[at];
            let is_named = |cell: &String| {
                let has = |of: fn(char) -> bool| cell.chars().filter(|letter| of(*letter)).count();
                n_rows[&**cell] == 1
                    && has(char::is_alphabetic) > 0
                    && has(char::is_alphanumeric) >= LEAST
                    && Phrase::of(cell).is_some_and(|name| number.said.hold(&name))
            };
            if rows[row].iter().any(is_named) {
                number.read_from(event);
            }
        }
    }

    /// The numbers that are said as this, after this event.
    fn sought(&self, text: &str, event: EventIndex) -> Vec<usize> {
        if !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return Vec::new();
        }
        let known = Phrase::of(text).and_then(|phrase| self.by_phrase.get(&phrase));
        let all = known.into_iter().flatten().copied();
        all.filter(|at| self.numbers[*at].answer > event).collect()
    }
}

impl Sought {
    fn read_from(&mut self, event: EventIndex) {
        if self.own.sources.last() != Some(&event) {
            self.own.sources.push(event);
        }
    }
}

/// Texts and numbers that stand in an object or a list itself.
fn cells(row: &Json) -> Vec<String> {
    let cell = |value: &Json| match value {
        Json::String(text) => Some(text.to_string()),
        Json::Int(_) | Json::BigInt(_) | Json::Float(_) => Some(json::to_compact(value)),
        _ => None,
    };
    members(row).into_iter().filter_map(cell).collect()
}

/// What is in an item of a list; of one that has no members, itself.
fn item_members(item: &Json) -> Vec<&Json> {
    match item {
        Json::Array(_) | Json::Object(_) => members(item),
        other => vec![other],
    }
}

fn members(value: &Json) -> Vec<&Json> {
    match value {
        Json::Array(items) => items.iter().collect(),
        Json::Object(object) => object.values().collect(),
        _ => Vec::new(),
    }
}

/// The longer words of a line in lower case.
fn words(line: &str) -> impl Iterator<Item = String> {
    let words = line.split(|letter: char| !letter.is_alphabetic()).map(str::to_lowercase);
    words.filter(|word| word.chars().count() >= LEAST && !COMMON.contains(&&**word))
}
