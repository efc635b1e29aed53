//! Rows of tables and values in the results of tools, however many there are.

use std::collections::{HashMap, HashSet};

use strata_engine::LoggedEvent;
use strata_model::{Json, json};

use super::facts::{FactKind, FactReader};
use super::text_tables::TextTables;
use super::words::{Finder, Phrase, each_leaf};

/// Deepest level that is looked at.
const MAX_DEPTH: usize = 16;
/// Characters of a text that is a name rather than prose.
const NAME: usize = 80;
/// Letters of a name, and digits of a number, that can be told from others.
const LEAST: usize = 3;

/// How much of what tools gave can still be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Rows of tables: objects or lists in a list, lines of CSV, TSV and Markdown tables. Equal rows are one.
    pub rows: u32,
    /// Rows of which a summary says a name or an id that no other row of their table has; where they have none, a number
    /// that no other has; and where nothing tells a row apart, the row word for word.
    pub rows_told: u32,
    /// Names, ids, paths, addresses, and numbers of at least three digits, each once.
    pub values: u32,
    /// Values that a summary has, in whatever case and with whatever marks between their words; a number that was
    /// rounded is another one.
    pub values_told: u32,
}

/// What of the results in some events can be read in some texts.
pub fn coverage(reader: &FactReader, events: &[&LoggedEvent], summaries: &[&str]) -> Coverage {
    ResultValues::read(reader, events).coverage(summaries)
}

/// Everything that tools gave, each value once.
pub(super) struct ResultValues {
    /// Values first, and behind them what else tells a row apart.
    phrases: Vec<Phrase>,
    n_values: usize,
    /// For each row, the phrases of which any tells it.
    rows: Vec<Vec<u32>>,
}

impl ResultValues {
    pub(super) fn read(reader: &FactReader, events: &[&LoggedEvent]) -> Self {
        let mut reading = Reading { reader, values: HashMap::new(), rows: Vec::new(), seen: HashSet::new() };
        for response in events.iter().flat_map(|logged| logged.event.function_responses()) {
            for value in response.response.iter().flat_map(|object| object.values()) {
                reading.value(value, 0, None);
            }
        }
        reading.finish()
    }

    pub(super) fn coverage(&self, summaries: &[&str]) -> Coverage {
        let mut is_told = vec![false; self.phrases.len()];
        let finder = Finder::new(&self.phrases);
        for text in summaries {
            finder.find(text, &mut |phrase| is_told[phrase as usize] = true);
        }
        let count = |told: &[bool]| told.iter().filter(|is_told| **is_told).count() as u32;
        let is_row_told = |row: &&Vec<u32>| row.iter().any(|phrase| is_told[*phrase as usize]);
        Coverage {
            rows: self.rows.len() as u32,
            rows_told: self.rows.iter().filter(is_row_told).count() as u32,
            values: self.n_values as u32,
            values_told: count(&is_told[..self.n_values]),
        }
    }
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Cell {
    phrase: Phrase,
    is_number: bool,
}

/// A row while its table is read.
#[derive(Default)]
struct RowDraft {
    /// What may tell it from others.
    cells: Vec<Cell>,
    /// All that is in it, in order.
    whole: Vec<String>,
}

struct Reading<'r> {
    reader: &'r FactReader,
    values: HashMap<Phrase, u32>,
    rows: Vec<Told>,
    /// Rows as a whole.
    seen: HashSet<Phrase>,
}

/// By what a row is told.
enum Told {
    Values(Vec<Phrase>),
    Whole(Phrase),
}

impl Reading<'_> {
    fn value(&mut self, value: &Json, depth: usize, mut row: Option<&mut RowDraft>) {
        if depth > MAX_DEPTH {
            return;
        }
        match value {
            Json::Null | Json::Bool(_) => {}
            Json::Int(_) | Json::BigInt(_) | Json::Float(_) => self.cell(&json::to_compact(value), true, row),
            Json::String(text) => self.text(text, depth, row),
            Json::Array(items) if is_table(items) => {
                let rows = items.iter().map(|item| {
                    let mut draft = RowDraft::default();
                    self.value(item, depth + 1, Some(&mut draft));
                    draft
                });
                let rows: Vec<RowDraft> = rows.collect();
                self.table(&rows);
            }
            Json::Array(items) => {
                for item in items {
                    self.value(item, depth + 1, row.as_deref_mut());
                }
            }
            Json::Object(object) => {
                for value in object.values() {
                    self.value(value, depth + 1, row.as_deref_mut());
                }
            }
        }
    }

    fn text(&mut self, text: &str, depth: usize, row: Option<&mut RowDraft>) {
        let trimmed = text.trim();
        let is_json = trimmed.starts_with(['{', '[']) && trimmed.ends_with(['}', ']']);
        if is_json && let Ok(value @ (Json::Object(_) | Json::Array(_))) = json::parse(trimmed.as_bytes()) {
            return self.value(&value, depth + 1, row);
        }
        if trimmed.chars().count() <= NAME && !trimmed.contains('\n') {
            let is_number = trimmed.parse::<f64>().is_ok();
            return self.cell(trimmed, is_number, row);
        }
        let TextTables { tables, other } = TextTables::read(text);
        for table in tables {
            let rows = table.into_iter().map(|cells| {
                let mut draft = RowDraft::default();
                for cell in cells {
                    self.cell(cell, cell.parse::<f64>().is_ok(), Some(&mut draft));
                }
                draft
            });
            let rows: Vec<RowDraft> = rows.collect();
            self.table(&rows);
        }
        self.prose(&other.join("\n"));
    }

    /// Names and numbers in a text are values of their own.
    fn prose(&mut self, text: &str) {
        for fact in self.reader.read_text(text) {
            let is_value =
                matches!(fact.kind, FactKind::Path | FactKind::Url | FactKind::Identifier | FactKind::Number);
            if !is_value {
                continue;
            }
            // The unit is spelled in many ways.
            let is_unit = |letter: char| !letter.is_ascii_digit();
            let text = match fact.kind {
                FactKind::Number => fact.text.trim_matches(is_unit),
                _ => &*fact.text,
            };
            self.cell(text, fact.kind == FactKind::Number, None);
        }
    }

    fn cell(&mut self, text: &str, is_number: bool, row: Option<&mut RowDraft>) {
        let Some(phrase) = Phrase::of(text) else { return };
        let counts = |of: fn(&char) -> bool| text.chars().filter(of).count();
        let is_value = if is_number {
            counts(char::is_ascii_digit) >= LEAST
        } else {
            counts(|letter| letter.is_alphanumeric()) >= LEAST
        };
        if is_value {
            let next = self.values.len() as u32;
            self.values.entry(phrase.clone()).or_insert(next);
        }
        if let Some(row) = row {
            row.whole.push(text.to_owned());
            if is_value {
                row.cells.push(Cell { phrase, is_number });
            }
        }
    }

    fn table(&mut self, rows: &[RowDraft]) {
        let mut n_rows: HashMap<&Cell, usize> = HashMap::new();
        for row in rows {
            let mut seen = HashSet::new();
            for cell in row.cells.iter().filter(|cell| seen.insert(*cell)) {
                *n_rows.entry(cell).or_default() += 1;
            }
        }
        for row in rows {
            let Some(whole) = Phrase::joined(row.whole.iter().map(String::as_str)) else { continue };
            if !self.seen.insert(whole.clone()) {
                continue;
            }
            let own = |is_number: bool| -> Vec<Phrase> {
                let own = row.cells.iter().filter(|cell| cell.is_number == is_number && n_rows[cell] == 1);
                own.map(|cell| cell.phrase.clone()).collect()
            };
            let own = [own(false), own(true)].into_iter().find(|own| !own.is_empty());
            self.rows.push(own.map_or(Told::Whole(whole), Told::Values));
        }
    }

    fn finish(self) -> ResultValues {
        let n_values = self.values.len();
        let mut phrases: Vec<(u32, Phrase)> =
            self.values.iter().map(|(phrase, at)| (*at, phrase.clone())).collect();
        phrases.sort_unstable();
        let mut phrases: Vec<Phrase> = phrases.into_iter().map(|(_, phrase)| phrase).collect();
        let mut rows = Vec::new();
        for row in self.rows {
            rows.push(match row {
                Told::Values(own) => own.iter().map(|phrase| self.values[phrase]).collect(),
                Told::Whole(whole) => {
                    phrases.push(whole);
                    vec![phrases.len() as u32 - 1]
                }
            });
        }
        ResultValues { phrases, n_values, rows }
    }
}

/// Whether the items of a list are rows: objects or lists, at least two of them.
fn is_table(items: &[Json]) -> bool {
    items.len() > 1 && items.iter().all(|item| matches!(item, Json::Object(_) | Json::Array(_)))
}

/// Names that tables have, wherever they stand in the results of some events.
pub(super) fn names_of(logged: &LoggedEvent, each: &mut dyn FnMut(&str)) {
    for response in logged.event.function_responses() {
        for value in response.response.iter().flat_map(|object| object.values()) {
            names(value, 0, each);
        }
    }
}

fn names(value: &Json, depth: usize, each: &mut dyn FnMut(&str)) {
    each_leaf(value, false, &mut |text| {
        let trimmed = text.trim();
        if trimmed.len() <= NAME {
            each(trimmed);
        } else if depth == 0
            && trimmed.starts_with(['{', '['])
            && let Ok(value) = json::parse(trimmed.as_bytes())
        {
            names(&value, 1, each);
        }
    });
}
