//! JSON documents: saved sessions, dumps, evaluation sets and results, lists of any of them.
//!
//! What a document is shows only after its members were read, so lists that may be long (events, evaluation cases)
//! are read element by element wherever they stand, and the rest is decided at the end of each object.

use strata_model::json::{Entered, JsonError};
use strata_model::{Json, Object, Str};

use super::cursor::{Cursor, Element};
use super::evalset::{self, EvalSet};
use super::events::EventLog;
use super::legacy_test;
use super::session::SessionBuilder;
use crate::findings::Findings;
use crate::format::{Format, UnreadFormat};
use crate::import::{Import, ImportedSession};
use crate::lines::UTF8_MARK;
use crate::repair::{Repaired, repair};
use crate::source::SourceRecord;

/// Keeps a document's bytes until it is whole.
#[derive(Debug)]
pub(crate) struct DocumentReader {
    format: Format,
    bytes: Vec<u8>,
}

impl DocumentReader {
    pub(crate) fn new(format: Format) -> Self {
        Self { format, bytes: Vec::new() }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn finish(self) -> Import {
        read_document(self.format, &self.bytes)
    }
}

/// Reads every session of a document.
pub(crate) fn read_document(format: Format, bytes: &[u8]) -> Import {
    let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes).trim_ascii_start();
    // ADK wrote results of evaluations as the text of a document. A place in that text is none in the file.
    if text.starts_with(b"\"")
        && let Ok(Json::String(written)) = strata_model::json::parse(text)
    {
        let mut import = read_document(format, written.as_bytes());
        let sources = import.sessions.iter_mut().flat_map(ImportedSession::places_mut);
        sources.for_each(|source| *source = SourceRecord::Bytes(0..bytes.len() as u64));
        for diagnostic in import.diagnostics.iter_mut().filter(|it| it.at.starts_with("byte ")) {
            diagnostic.at.push_str(" of the text that the file holds");
        }
        return import;
    }
    let document = Document::new(format, bytes, None).read();
    if document.has_broken_text
        && let Some(repaired) = repair(bytes)
    {
        let mut again = Document::new(format, &repaired.text, Some(&repaired));
        again.findings.warning("repaired-text", "", repaired.told());
        return again.read().finish();
    }
    document.finish()
}

struct Document<'t> {
    format: Format,
    cursor: Cursor<'t>,
    repaired: Option<&'t Repaired>,
    /// Something could not be read that might be readable after a repair.
    has_broken_text: bool,
    findings: Findings,
    sessions: Vec<ImportedSession>,
    /// Events that stand by themselves rather than in a session.
    loose: EventLog,
    /// Items of a legacy test that is a bare list.
    queries: Vec<(Object, SourceRecord)>,
}

/// An object at the top of the document, as far as it was read.
#[derive(Default)]
struct Top {
    fields: Object,
    events: Option<SessionBuilder>,
    cases: Option<EvalSet>,
    results: Option<Vec<SessionBuilder>>,
}

impl<'t> Document<'t> {
    fn new(format: Format, text: &'t [u8], repaired: Option<&'t Repaired>) -> Self {
        let mut cursor = Cursor::new(text);
        if text.starts_with(UTF8_MARK) {
            cursor.skip(UTF8_MARK.len());
        }
        Self {
            format,
            cursor,
            repaired,
            has_broken_text: false,
            findings: Findings::default(),
            sessions: Vec::new(),
            loose: EventLog::new(Format::AdkEvents),
            queries: Vec::new(),
        }
    }

    fn read(mut self) -> Self {
        while !self.cursor.is_at_end() {
            if let Err(error) = self.top_value() {
                self.report_end(&error);
                break;
            }
        }
        self
    }

    fn finish(mut self) -> Import {
        self.sessions.extend(self.loose.finish(&mut self.findings));
        if !self.queries.is_empty() {
            self.sessions.push(legacy_test::session(self.queries, Object::new(), &mut self.findings));
        }
        Import::of(self.sessions, self.findings)
    }

    fn top_value(&mut self) -> Result<(), JsonError> {
        let start = self.cursor.next_offset();
        match self.cursor.enter()? {
            Entered::Object(first_key) => self.top_object(start, first_key),
            Entered::Array { is_empty: true } => Ok(()),
            Entered::Array { is_empty: false } => loop {
                self.list_element()?;
                if !self.cursor.next_element()? {
                    return Ok(());
                }
            },
            Entered::Scalar => {
                let value = self.cursor.value()?;
                self.report_stray(start, &value);
                Ok(())
            }
        }
    }

    /// An element of a list at the top. A list inside the list is nothing any tool writes.
    fn list_element(&mut self) -> Result<(), JsonError> {
        let start = self.cursor.next_offset();
        if self.cursor.next_byte() == Some(b'{')
            && let Entered::Object(first_key) = self.cursor.enter()?
        {
            return self.top_object(start, first_key);
        }
        let value = self.cursor.value()?;
        self.report_stray(start, &value);
        Ok(())
    }

    fn top_object(&mut self, start: usize, first_key: Option<Str>) -> Result<(), JsonError> {
        let mut top = Top::default();
        let result = self.members(first_key, &mut top);
        let source = source(self.repaired, start..self.cursor.offset());
        self.conclude(top, source);
        result
    }

    fn report_stray(&mut self, start: usize, value: &Json) {
        let message = format!("{} stands where a session should be; it was left out", value.kind());
        let at = format!("byte {}", original(self.repaired, start));
        self.findings.warning("not-a-session", at, message);
    }

    fn members(&mut self, first_key: Option<Str>, top: &mut Top) -> Result<(), JsonError> {
        let mut next = first_key;
        while let Some(key) = next {
            match &*key {
                "events" => self.events(top)?,
                "eval_cases" | "evalCases" => self.cases(top, key)?,
                "eval_case_results" | "evalCaseResults" => self.results(top, key)?,
                _ => {
                    let value = self.cursor.value()?;
                    top.fields.insert(key, value);
                }
            }
            next = self.cursor.next_key()?;
        }
        Ok(())
    }

    fn events(&mut self, top: &mut Top) -> Result<(), JsonError> {
        let builder = top.events.get_or_insert_default();
        let Self { cursor, repaired, findings, has_broken_text, .. } = self;
        let no_list = cursor.each(|cursor| {
            match cursor.element()? {
                Element::Value(value, range) => builder.push_event(value, source(*repaired, range), findings),
                Element::Broken(error) => {
                    *has_broken_text = true;
                    builder.skip_event(&error.message, findings);
                }
            }
            Ok(())
        })?;
        if let Some(value) = no_list {
            top.fields.insert("events", value);
        }
        Ok(())
    }

    fn cases(&mut self, top: &mut Top, key: Str) -> Result<(), JsonError> {
        let cases = top.cases.insert(EvalSet::default());
        let repaired = self.repaired;
        if let Some(value) = self.cursor.each(|cursor| cases.read_case(cursor, repaired))? {
            top.fields.insert(key, value);
        }
        Ok(())
    }

    /// The sessions that `adk eval` ran, each whole inside the result of its case.
    fn results(&mut self, top: &mut Top, key: Str) -> Result<(), JsonError> {
        let results = top.results.get_or_insert_default();
        let Self { cursor, repaired, findings, .. } = self;
        let no_list = cursor.each(|cursor| {
            let start = cursor.next_offset();
            let result = cursor.value()?;
            let source = source(*repaired, start..cursor.offset());
            results.extend(evalset::session_of_result(result, &source, findings));
            Ok(())
        })?;
        if let Some(value) = no_list {
            top.fields.insert(key, value);
        }
        Ok(())
    }

    /// Decides what an object at the top was.
    fn conclude(&mut self, top: Top, source: SourceRecord) {
        let Top { fields, events, cases, results } = top;
        let has = |keys: &[&str]| keys.iter().any(|key| fields.contains_key(key));
        if let Some(cases) = cases {
            self.sessions.extend(cases.finish(&fields, &mut self.findings));
        } else if let Some(results) = results {
            let finished = results.into_iter().map(|it| it.finish(Format::AdkEvalResult, &mut self.findings));
            self.sessions.extend(finished.collect::<Vec<_>>());
        } else if is_before_1(&fields) {
            self.findings.error("unread-format", "", UnreadFormat::AdkBefore1.refusal());
        } else if events.is_some() || has(&["appName", "app_name", "userId", "user_id"]) {
            let mut builder = events.unwrap_or_default();
            builder.set_fields(fields, &mut self.findings);
            self.sessions.push(builder.finish(self.format, &mut self.findings));
        } else if has(&["author"]) {
            self.loose.push(fields, source, &mut self.findings);
        } else if has(&["query"]) {
            self.queries.push((fields, source));
        } else if has(&["data"]) {
            self.sessions.extend(legacy_test::session_of_set(fields, &source, &mut self.findings));
        } else {
            let keys: Vec<_> = fields.keys().take(8).map(|key| &**key).collect();
            let message =
                format!("an object with the keys {} is no session; it was left out", keys.join(", "));
            self.findings.error("not-a-session", "", message);
        }
    }

    fn report_end(&mut self, error: &JsonError) {
        self.has_broken_text = true;
        let at = format!("byte {}", original(self.repaired, error.offset));
        if error.is_truncated {
            let message = "the file ends in the middle; what is complete before that was kept. Import the file \
                           again when it has been written to the end";
            self.findings.error("truncated", at, message);
        } else {
            let message = format!(
                "the text is not valid JSON from here on ({}); what is complete before that was kept",
                error.message
            );
            self.findings.error("broken-document", at, message);
        }
    }
}

fn original(repaired: Option<&Repaired>, offset: usize) -> u64 {
    repaired.map_or(offset, |repaired| repaired.original(offset)) as u64
}

/// The place of a value in the file, whatever was repaired before it.
pub(super) fn source(repaired: Option<&Repaired>, range: std::ops::Range<usize>) -> SourceRecord {
    SourceRecord::Bytes(original(repaired, range.start)..original(repaired, range.end))
}

/// Sessions of ADK's internal predecessors keep state in `context` and have lists ADK 1.0 has not.
fn is_before_1(fields: &Object) -> bool {
    let has = |key: &str| fields.contains_key(key);
    let is_named = has("appName") || has("app_name");
    has("past_events") || has("pending_events") || has("event_logs") || (has("context") && !is_named)
}
