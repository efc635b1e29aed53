//! Files of records: a value a line, or the elements of one list.

use std::borrow::Cow;

use strata_model::json::Interner;

use crate::documents::read_documents;
use crate::findings::Findings;
use crate::lines::{LineCutter, UTF8_MARK};
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

/// Records that are told apart once all of them are there.
#[derive(Debug, Default)]
pub(crate) struct Records {
    reader: RecordReader,
    values: Vec<Value>,
    findings: Findings,
}

impl Records {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let Self { reader, values, findings } = self;
        reader.feed(bytes, findings, |value, _| values.push(value));
    }

    pub(crate) fn finish(self) -> (Vec<Value>, Findings) {
        let Self { mut reader, mut values, mut findings } = self;
        reader.rest(&mut findings, |value, _| values.push(value));
        (values, findings)
    }
}
