//! Files of records: a value a line, or the elements of one list.

use std::borrow::Cow;

use strata_model::json::Interner;

use crate::documents::read_documents;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::lines::{LineCutter, UTF8_MARK};
use crate::pieces::PieceReader;
use crate::values::{Value, read_values};

/// Hands over records as they come in: the text of lines is not kept.
#[derive(Debug, Default)]
pub(crate) struct RecordReader {
    input: Input,
    interner: Interner,
}

#[derive(Debug)]
enum Input {
    /// Nothing but white space came yet.
    Blank(Vec<u8>),
    Lines(LineCutter),
    /// One list of all records, which is read when it is whole.
    List(Vec<u8>),
}

impl Default for Input {
    fn default() -> Self {
        Self::Blank(Vec::new())
    }
}

impl RecordReader {
    pub(crate) fn feed(
        &mut self,
        bytes: &[u8],
        findings: &mut Findings,
        mut sink: impl FnMut(Value, &mut Findings),
    ) {
        let Self { input, interner } = self;
        let text = match input {
            Input::Lines(lines) => {
                return lines.feed(bytes, |chunk| read_values(chunk, interner, findings, &mut sink));
            }
            Input::List(list) => return list.extend_from_slice(bytes),
            Input::Blank(blank) if blank.is_empty() => Cow::Borrowed(bytes),
            Input::Blank(blank) => {
                blank.extend_from_slice(bytes);
                Cow::Owned(std::mem::take(blank))
            }
        };
        match is_list(&text) {
            None => *input = Input::Blank(text.into_owned()),
            Some(true) => *input = Input::List(text.into_owned()),
            Some(false) => {
                *input = Input::Lines(LineCutter::default());
                self.feed(&text, findings, sink);
            }
        }
    }

    /// Hands over what is left, as it is when nothing follows. More can be fed afterwards.
    pub(crate) fn rest(&mut self, findings: &mut Findings, mut sink: impl FnMut(Value, &mut Findings)) {
        let Self { input, interner } = self;
        match input {
            Input::Blank(_) => {}
            Input::Lines(lines) => {
                lines.rest(|chunk| read_values(chunk, interner, findings, &mut sink));
            }
            Input::List(list) => {
                for mut document in read_documents(list, &[""], findings) {
                    document.take("").into_iter().for_each(|value| sink(value, findings));
                }
            }
        }
    }
}

/// Whether the records stand in a list; `None` while nothing tells.
fn is_list(text: &[u8]) -> Option<bool> {
    if UTF8_MARK.starts_with(text) {
        return None;
    }
    let text = text.strip_prefix(UTF8_MARK).unwrap_or(text).trim_ascii_start();
    text.first().map(|first| *first == b'[')
}

/// Reads a format's records, once all of them are there.
type ReadRecords = fn(Vec<Value>, Format, &mut Findings) -> Vec<ImportedSession>;

/// A file of records that are told apart once all of them are there.
#[derive(Debug)]
pub(crate) struct RecordFile {
    format: Format,
    read: ReadRecords,
    reader: RecordReader,
    values: Vec<Value>,
    findings: Findings,
}

impl RecordFile {
    pub(crate) fn new(format: Format, read: ReadRecords) -> Self {
        let (reader, findings) = (RecordReader::default(), Findings::default());
        Self { format, read, reader, values: Vec::new(), findings }
    }
}

impl PieceReader for RecordFile {
    fn feed(&mut self, bytes: &[u8]) {
        let Self { reader, values, findings, .. } = self;
        reader.feed(bytes, findings, |value, _| values.push(value));
    }

    fn finish(self: Box<Self>) -> Import {
        let Self { format, read, mut reader, mut values, mut findings } = *self;
        reader.rest(&mut findings, |value, _| values.push(value));
        Import::of(read(values, format, &mut findings), findings)
    }

    fn so_far(&mut self) -> Option<Import> {
        let (mut values, mut findings) = (self.values.clone(), self.findings.clone());
        self.reader.rest(&mut findings, |value, _| values.push(value));
        Some(Import::of((self.read)(values, self.format, &mut findings), findings))
    }
}
