//! JSON documents: saved sessions, dumps, evaluation sets and results, lists of any of them.
//!
//! What a document is shows only after its members were read, so lists that may be long (events, evaluation cases)
//! are read element by element wherever they stand, and the rest is decided at the end of each object.

use strata_model::json::{self, EnteredValue, JsonError};
use strata_model::{Json, Object, Str};

use super::cursor::{Cursor, Element};
use super::evalset::{self, EvalSet};
use super::events::EventLog;
use super::legacy_test;
use super::places::{original, source};
use super::session::SessionBuilder;
use crate::findings::Findings;
use crate::format::{Format, UnreadFormat};
use crate::imported::ImportedSession;
use crate::repair::{Repaired, repair};
use crate::source::SourceRecord;

/// What the sessions of a document may be besides what the document is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AdkFormats {
    pub(crate) events: Format,
    pub(crate) eval_set: Format,
    pub(crate) eval_result: Format,
}

/// Reads every session of a document.
pub(crate) fn read_document(
    bytes: &[u8],
    format: Format,
    formats: AdkFormats,
    findings: &mut Findings,
) -> Vec<ImportedSession> {
    let text = bytes.trim_ascii_start();
    // ADK wrote results of evaluations as the text of a document. A place in that text is none in the file.
    if text.starts_with(b"\"")
        && let Ok(Json::String(written)) = json::parse(text)
    {
        let mut found = Findings::default();
        let mut sessions = read_document(written.as_bytes(), format, formats, &mut found);
        let sources = sessions.iter_mut().flat_map(ImportedSession::places_mut);
        sources.for_each(|source| *source = SourceRecord::Bytes(0..bytes.len() as u64));
        let bytes = found.places_mut().filter(|at| at.starts_with("byte "));
        bytes.for_each(|at| at.push_str(" of the text that the file holds"));
        findings.append(found);
        return sessions;
    }
    let document = Document::new(format, formats, bytes, None).read();
    if document.has_broken_text
        && let Some(repaired) = repair(bytes)
    {
        let mut again = Document::new(format, formats, &repaired.text, Some(&repaired));
        again.findings.warning("repaired-text", "", repaired.told());
        return again.read().finish(findings);
    }
    document.finish(findings)
}

struct Document<'t> {
    format: Format,
    formats: AdkFormats,
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
    fn new(format: Format, formats: AdkFormats, text: &'t [u8], repaired: Option<&'t Repaired>) -> Self {
        Self {
            format,
            formats,
            cursor: Cursor::new(text),
            repaired,
            has_broken_text: false,
            findings: Findings::default(),
            sessions: Vec::new(),
            loose: EventLog::new(formats.events),
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

    fn finish(mut self, findings: &mut Findings) -> Vec<ImportedSession> {
        findings.append(self.findings);
        self.sessions.extend(self.loose.finish(findings));
        if !self.queries.is_empty() {
            let set = self.formats.eval_set;
            self.sessions.push(legacy_test::session(self.queries, Object::new(), set, findings));
        }
        self.sessions
    }

    fn top_value(&mut self) -> Result<(), JsonError> {
        let start = self.cursor.next_offset();
        match self.cursor.enter()? {
            EnteredValue::Object(first_key) => self.top_object(start, first_key),
            EnteredValue::Array { is_empty: true } => Ok(()),
            EnteredValue::Array { is_empty: false } => loop {
                self.list_element()?;
                if !self.cursor.next_element()? {
                    return Ok(());
                }
            },
            EnteredValue::Scalar => {
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
            && let EnteredValue::Object(first_key) = self.cursor.enter()?
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
            self.sessions.extend(cases.finish(&fields, self.formats.eval_set, &mut self.findings));
        } else if let Some(results) = results {
            let finished =
                results.into_iter().map(|it| it.finish(self.formats.eval_result, &mut self.findings));
            self.sessions.extend(finished.collect::<Vec<_>>());
        } else if is_before_1(&fields) {
            self.findings.error("unread-format", "", UnreadFormat::ADK_BEFORE_1.refusal());
        } else if events.is_some() || has(&["appName", "app_name", "userId", "user_id"]) {
            let mut builder = events.unwrap_or_default();
            builder.set_fields(fields, &mut self.findings);
            self.sessions.push(builder.finish(self.format, &mut self.findings));
        } else if has(&["author"]) {
            self.loose.push(fields, source, &mut self.findings);
        } else if has(&["query"]) {
            self.queries.push((fields, source));
        } else if has(&["data"]) {
            self.sessions.extend(legacy_test::session_of_set(
                fields,
                &source,
                self.formats.eval_set,
                &mut self.findings,
            ));
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

/// Sessions of ADK's internal predecessors keep state in `context` and have lists ADK 1.0 has not.
fn is_before_1(fields: &Object) -> bool {
    let has = |key: &str| fields.contains_key(key);
    let is_named = has("appName") || has("app_name");
    has("past_events") || has("pending_events") || has("event_logs") || (has("context") && !is_named)
}
