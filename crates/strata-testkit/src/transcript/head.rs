//! The first line of an entry.

use super::error::TranscriptError;
use super::lines::Line;
use super::notes::{self, Note};
use super::scan;

/// `words [notes]: body`, taken apart.
pub(super) struct Head<'t> {
    pub line: usize,
    pub words: Vec<&'t str>,
    pub notes: Vec<Note<'t>>,
    pub body: Option<&'t str>,
}

impl<'t> Head<'t> {
    pub(super) fn read(line: Line<'t>) -> Result<Self, TranscriptError> {
        let (before, body) = match scan::find(line.text, ':') {
            Some(at) => (&line.text[..at], Some(line.text[at + 1..].trim_start())),
            None => (line.text, None),
        };
        let (words, notes) = before.split_once('[').unwrap_or((before, "]"));
        let notes = notes
            .trim_end()
            .strip_suffix(']')
            .ok_or_else(|| TranscriptError::new(line.number, "the notes have no closing bracket"))?;
        let words = words.split_whitespace().collect();
        Ok(Self { line: line.number, words, notes: notes::read(notes), body })
    }

    pub(super) fn fail(&self, message: impl Into<String>) -> TranscriptError {
        TranscriptError::new(self.line, message)
    }

    pub(super) fn note(&self, name: &str) -> Option<Note<'t>> {
        self.notes.iter().copied().find(|note| note.name == name)
    }

    /// What follows the colon, with the lines below.
    pub(super) fn lines(&self, more: &[Line<'t>]) -> Vec<Line<'t>> {
        let first = self.body.filter(|body| !body.is_empty()).map(|text| Line { number: self.line, text });
        first.into_iter().chain(more.iter().copied()).collect()
    }
}
