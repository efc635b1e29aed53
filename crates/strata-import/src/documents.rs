//! JSON documents whose long lists are read element by element, so that every element knows its place and a document
//! that breaks off keeps those before.

use std::borrow::Cow;

use strata_model::json::{EnteredValue, Interner, JsonError, Repeats, ValueReader};
use strata_model::{Json, Object, Str};

use crate::findings::Findings;
use crate::lines::UTF8_MARK;
use crate::repair::{Repaired, repair};
use crate::source::SourceRecord;
use crate::values::Value;

/// A JSON value of a file, taken apart.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// What is not in a list that was asked for.
    pub(crate) fields: Object,
    elements: Elements,
    pub(crate) source: SourceRecord,
}

/// Elements of lists, with the lists they stand in; of each list that is here there is one at least.
type Elements = Vec<(&'static str, Vec<Value>)>;

impl Document {
    /// The elements of a list, in their order.
    pub(crate) fn take(&mut self, list: &str) -> Vec<Value> {
        let at = self.elements.iter().position(|(name, _)| *name == list);
        at.map(|at| self.elements.remove(at).1).unwrap_or_default()
    }

    /// The elements of a list whose first element is what is looked for.
    pub(crate) fn take_if(&mut self, list: &str, is_wanted: impl Fn(&Json) -> bool) -> Option<Vec<Value>> {
        let (_, elements) = self.elements.iter().find(|(name, _)| *name == list)?;
        is_wanted(&elements.first()?.json).then(|| self.take(list))
    }
}

/// Reads every value of a file, one after the other, wherever lines end. `lists` are paths such as `log.entries`; the
/// empty path is a list at the top.
pub(crate) fn read_documents(
    bytes: &[u8],
    lists: &'static [&'static str],
    findings: &mut Findings,
) -> Vec<Document> {
    read_with(bytes, lists, || (Interner::default(), None), findings)
}

/// The same, where documents repeat much of those before them, as logs of requests do.
pub(crate) fn read_repeating_documents(
    bytes: &[u8],
    lists: &'static [&'static str],
    findings: &mut Findings,
) -> Vec<Document> {
    read_with(bytes, lists, || (Interner::default(), Some(Repeats::default())), findings)
}

/// What the texts of a file share.
type Shared = (Interner, Option<Repeats>);

fn read_with(
    bytes: &[u8],
    lists: &'static [&'static str],
    shared: impl Fn() -> Shared,
    findings: &mut Findings,
) -> Vec<Document> {
    let mut read = read_all(bytes, 0, None, lists, shared());
    if read.error.is_some()
        && let Some(repaired) = repair(bytes)
    {
        findings.warning("repaired-text", "", repaired.told());
        read = read_all(&repaired.text, 0, Some(&repaired), lists, shared());
    }
    if let Some((at, error)) = &read.error {
        report(*at, error, findings);
    }
    read.documents
}

/// The documents of the end of a file.
pub(crate) struct KnownEnd {
    pub(crate) documents: Vec<Document>,
    /// So many of them are whole, whatever follows.
    pub(crate) n_whole: usize,
    /// Where in the file those end.
    pub(crate) end: usize,
    /// It cannot be read as it is.
    pub(crate) is_broken: bool,
    /// For the text that follows.
    pub(crate) shared: Shared,
}

/// Reads the end of a file, which begins at `start` and may break off.
pub(crate) fn read_known(
    text: &[u8],
    start: usize,
    lists: &'static [&'static str],
    shared: Shared,
    findings: &mut Findings,
) -> KnownEnd {
    let read = read_all(text, start, None, lists, shared);
    let is_broken =
        read.error.as_ref().is_some_and(|(_, error)| !error.is_truncated || repair(text).is_some());
    if let Some((at, error)) = &read.error {
        report(*at, error, findings);
    }
    // A number goes on behind its last digit.
    let ends: Vec<usize> = read.ends.into_iter().take_while(|end| is_closed(text, end - start)).collect();
    KnownEnd {
        n_whole: ends.len(),
        end: ends.last().copied().unwrap_or(start),
        documents: read.documents,
        is_broken,
        shared: read.shared,
    }
}

/// Whether a value that ends here ends whatever follows.
fn is_closed(text: &[u8], end: usize) -> bool {
    end < text.len() || matches!(text.last(), Some(b'}' | b']'))
}

fn report(at: usize, error: &JsonError, findings: &mut Findings) {
    let place = format!("byte {at}");
    if error.is_truncated {
        let message = "the file ends in the middle of a record; everything before it was kept. Import the file again \
                       when it has been written to the end";
        findings.warning("truncated", place, message);
    } else {
        let message = format!(
            "the file is not valid JSON from here on ({}); everything before it was kept",
            error.message
        );
        findings.error("broken-record", place, message);
    }
}

struct ReadDocuments {
    documents: Vec<Document>,
    /// Where in the file those end that did not break off.
    ends: Vec<usize>,
    /// What could not be read, and where in the file it begins.
    error: Option<(usize, JsonError)>,
    shared: Shared,
}

/// Reads a text that begins at `base` in the file.
fn read_all(
    text: &[u8],
    base: usize,
    repaired: Option<&Repaired>,
    lists: &'static [&'static str],
    (interner, repeats): Shared,
) -> ReadDocuments {
    let mark = if base == 0 && text.starts_with(UTF8_MARK) { UTF8_MARK.len() } else { 0 };
    let skipped = base + mark;
    let reader = ValueReader::with_interner(&text[mark..], interner);
    let reader = match repeats {
        Some(repeats) => reader.with_repeats(repeats),
        None => reader,
    };
    let mut reading = Reading { reader, skipped, repaired, lists, elements: Vec::new(), begun: 0 };
    let (mut documents, mut ends, mut error) = (Vec::new(), Vec::new(), None);
    loop {
        let start = reading.reader.next_offset();
        if start + mark >= text.len() {
            break;
        }
        reading.begun = start;
        let mut fields = Object::new();
        let result = reading.top(&mut fields);
        if result.is_ok() {
            reading.reader.end_document(start);
            ends.push(skipped + reading.reader.offset());
        }
        let source = SourceRecord::Bytes(reading.place(start, reading.reader.offset()));
        let elements = std::mem::take(&mut reading.elements);
        // A document that broke off keeps its whole elements, and its source is the first of them.
        if result.is_ok() || !elements.is_empty() {
            let source = match (&result, elements.first()) {
                (Err(_), Some((_, first))) => first[0].source(),
                _ => source,
            };
            documents.push(Document { fields, elements, source });
        }
        if let Err(broken) = result {
            let at = if broken.is_truncated { reading.begun } else { broken.offset };
            error = Some((reading.place(at, at).start as usize, broken));
            break;
        }
    }
    ReadDocuments { documents, ends, error, shared: reading.reader.into_shared() }
}

struct Reading<'t> {
    reader: ValueReader<'t>,
    skipped: usize,
    repaired: Option<&'t Repaired>,
    lists: &'static [&'static str],
    elements: Elements,
    /// Where what is being read begins: an element of a list, or what is around it.
    begun: usize,
}

impl Reading<'_> {
    fn place(&self, start: usize, end: usize) -> std::ops::Range<u64> {
        let original = |offset: usize| {
            let offset = offset + self.skipped;
            self.repaired.map_or(offset, |repaired| repaired.original(offset)) as u64
        };
        original(start)..original(end)
    }

    fn top(&mut self, fields: &mut Object) -> Result<(), JsonError> {
        match self.reader.enter()? {
            EnteredValue::Object(first_key) => self.members("", first_key, fields),
            EnteredValue::Array { is_empty } => {
                if is_empty {
                    return Ok(());
                }
                self.elements("")
            }
            EnteredValue::Scalar => {
                let value = self.value("")?;
                fields.push("", value);
                Ok(())
            }
        }
    }

    fn members(&mut self, path: &str, first_key: Option<Str>, fields: &mut Object) -> Result<(), JsonError> {
        let mut next = first_key;
        while let Some(key) = next {
            let inner =
                if path.is_empty() { Cow::Borrowed(&*key) } else { Cow::Owned(format!("{path}.{key}")) };
            let inner = &*inner;
            let list = self.lists.iter().find(|list| **list == inner);
            let leads = |list: &str| list.strip_prefix(inner).is_some_and(|rest| rest.starts_with('.'));
            let leads_to_list = || self.lists.iter().any(|list| leads(list));
            if let Some(list) = list {
                match self.reader.enter()? {
                    EnteredValue::Array { is_empty: true } => {}
                    EnteredValue::Array { is_empty: false } => self.elements(list)?,
                    EnteredValue::Object(first_key) => {
                        let mut object = Object::new();
                        self.members(inner, first_key, &mut object)?;
                        fields.insert(key, object);
                    }
                    EnteredValue::Scalar => {
                        let value = self.value(inner)?;
                        fields.insert(key, value);
                    }
                }
            } else if leads_to_list() {
                let mut object = Object::new();
                let result = match self.reader.enter()? {
                    EnteredValue::Object(first_key) => self.members(inner, first_key, &mut object),
                    EnteredValue::Array { is_empty } => {
                        let items = if is_empty { Vec::new() } else { self.rest_of_list()? };
                        fields.insert(key, items);
                        next = self.reader.next_key()?;
                        continue;
                    }
                    EnteredValue::Scalar => {
                        let value = self.value(inner)?;
                        fields.insert(key, value);
                        next = self.reader.next_key()?;
                        continue;
                    }
                };
                fields.insert(key, object);
                result?;
            } else {
                let value = self.value(inner)?;
                fields.insert(key, value);
            }
            next = self.reader.next_key()?;
        }
        Ok(())
    }

    fn elements(&mut self, list: &'static str) -> Result<(), JsonError> {
        loop {
            let start = self.reader.next_offset();
            self.begun = start;
            let json = self.value("")?;
            self.reader.end_document(start);
            let bytes = self.place(start, self.reader.offset());
            let value = Value { json, bytes, line: 0, is_glued: false };
            match self.elements.iter_mut().find(|(name, _)| *name == list) {
                Some((_, known)) => known.push(value),
                None => self.elements.push((list, vec![value])),
            }
            self.begun = self.reader.offset();
            if !self.reader.next_element()? {
                return Ok(());
            }
        }
    }

    fn rest_of_list(&mut self) -> Result<Vec<Json>, JsonError> {
        let mut items = Vec::new();
        loop {
            items.push(self.value("")?);
            if !self.reader.next_element()? {
                return Ok(items);
            }
        }
    }

    fn value(&mut self, key: &str) -> Result<Json, JsonError> {
        Ok(self.reader.next_value_at(key)?.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json::{object_to_compact, to_compact};

    fn read(text: &str) -> (Vec<String>, Vec<&'static str>) {
        let mut findings = Findings::default();
        let documents = read_documents(text.as_bytes(), &["", "log.entries"], &mut findings);
        let told = documents.into_iter().map(|mut document| {
            let mut elements = document.take("log.entries");
            elements.extend(document.take(""));
            let elements = elements.iter().map(|it| {
                assert_eq!(&text[it.bytes.start as usize..it.bytes.end as usize], to_compact(&it.json));
                to_compact(&it.json)
            });
            format!("{} {}", object_to_compact(&document.fields), elements.collect::<Vec<_>>().join(" "))
        });
        (told.collect(), findings.into_diagnostics().iter().map(|it| it.code).collect())
    }

    #[test]
    fn elements_of_lists_have_their_own_places() {
        assert_eq!(
            read(r#"{"a":1,"log":{"v":2,"entries":[{"x":1},{"y":[2]}]},"b":[]}"#),
            (vec![r#"{"a":1,"log":{"v":2},"b":[]} {"x":1} {"y":[2]}"#.into()], vec![])
        );
        assert_eq!(read(r#"[{"x":1},3] {"a":1}"#).0, [r#"{} {"x":1} 3"#, r#"{"a":1} "#]);
    }

    #[test]
    fn what_stands_before_the_end_of_a_cut_document_is_kept() {
        assert_eq!(
            read(r#"{"log":{"entries":[{"x":1},{"y":"#),
            (vec!["{\"log\":{}} {\"x\":1}".into()], vec!["truncated"])
        );
        assert_eq!(read(r#"{"log":{"en"#), (vec![], vec!["truncated"]));
        assert_eq!(read(r#"[{"x":1},oops]"#), (vec!["{} {\"x\":1}".into()], vec!["broken-record"]));
    }
}
