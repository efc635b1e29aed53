//! Reading the JSON values of a chunk, and getting past those that are broken.

use std::ops::Range;

use memchr::memmem;
use strata_model::json::{Interner, JsonError, ValueReader};
use strata_model::{Json, Object};

use crate::findings::Findings;
use crate::lines::Chunk;
use crate::repair::{Repaired, repair};
use crate::source::SourceRecord;

/// Beginnings by which a record glued to a broken one can be found again.
const RECORD_STARTS: [&[u8]; 3] =
    [b"{\"parentUuid\":", b"{\"type\":\"summary\"", b"{\"type\":\"file-history-snapshot\""];

/// One JSON value of a file.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) json: Json,
    /// Its bytes in the file, end excluded.
    pub(crate) bytes: Range<u64>,
    /// The line it begins on, or the first line of the chunk it stands in.
    pub(crate) line: u64,
    /// It shares its line with the value before it.
    pub(crate) is_glued: bool,
}

impl Value {
    /// The record it is, with where it stands. Anything else is left out, and reported.
    pub(crate) fn into_record(self, findings: &mut Findings) -> Option<(Object, SourceRecord)> {
        let source = self.source();
        match self.json {
            Json::Object(record) => Some((record, source)),
            _ => {
                let message =
                    format!("{} stands where a record should be; it was left out", self.json.kind());
                findings.warning("not-a-record", self.place(), message);
                None
            }
        }
    }

    pub(crate) fn source(&self) -> SourceRecord {
        SourceRecord::Bytes(self.bytes.clone())
    }

    /// Where a finding about it points: its line, or its first byte where lines are not counted.
    pub(crate) fn place(&self) -> String {
        if self.line == 0 { format!("byte {}", self.bytes.start) } else { format!("line {}", self.line) }
    }
}

/// Reads every value of `chunk`. What cannot be read is reported, and the rest is read all the same.
pub(crate) fn read_values(
    chunk: Chunk<'_>,
    interner: &mut Interner,
    findings: &mut Findings,
    mut sink: impl FnMut(Value, &mut Findings),
) {
    let mut reading = Reading { chunk, repaired: None, n_values: 0 };
    let mut from = 0;
    let mut is_repaired = false;
    loop {
        let Some((at, error)) = reading.read_from(from, interner, findings, &mut sink) else { return };
        if !is_repaired && let Some(repaired) = repair(&chunk.bytes[at..]) {
            let place = reading.place();
            findings.warning("repaired-text", place, repaired.told());
            reading.repaired = Some((at, repaired));
            is_repaired = true;
            from = 0;
            continue;
        }
        reading.report_broken(at, &error, findings);
        match reading.next_record_after(at) {
            Some(next) => from = next,
            None => return,
        }
    }
}

struct Reading<'b> {
    chunk: Chunk<'b>,
    /// The rest of the chunk with its text repaired, and where in the chunk that rest begins.
    repaired: Option<(usize, Repaired)>,
    n_values: usize,
}

impl Reading<'_> {
    fn text(&self) -> &[u8] {
        self.repaired.as_ref().map_or(self.chunk.bytes, |(_, repaired)| &repaired.text)
    }

    /// Reads values until one is broken; returns where that begins and what is wrong with it.
    fn read_from(
        &mut self,
        from: usize,
        interner: &mut Interner,
        findings: &mut Findings,
        sink: &mut impl FnMut(Value, &mut Findings),
    ) -> Option<(usize, JsonError)> {
        let mut n_values = self.n_values;
        let text = &self.text()[from..];
        let mut reader = ValueReader::with_interner(text, std::mem::replace(interner, Interner::forgetful()));
        let failure = loop {
            let start = from + reader.next_offset();
            match reader.next_value() {
                Ok(None) => break None,
                Err(error) => break Some((start, error)),
                Ok(Some(json)) => {
                    let bytes = self.in_file(start)..self.in_file(from + reader.offset());
                    n_values += 1;
                    sink(Value { json, bytes, line: self.chunk.line, is_glued: n_values > 1 }, findings);
                }
            }
        };
        *interner = reader.into_interner();
        self.n_values = n_values;
        failure
    }

    fn in_file(&self, offset: usize) -> u64 {
        let in_chunk = match &self.repaired {
            Some((start, repaired)) => start + repaired.original(offset),
            None => offset,
        };
        self.chunk.start + in_chunk as u64
    }

    fn place(&self) -> String {
        format!("line {}", self.chunk.line)
    }

    fn report_broken(&self, at: usize, error: &JsonError, findings: &mut Findings) {
        let place = format!("{} (byte {})", self.place(), self.in_file(at));
        if error.is_truncated && self.chunk.is_last {
            let message = "the file ends in the middle of a record; everything before it was kept. Import the file \
                           again when it has been written to the end";
            findings.warning("truncated", place, message);
        } else {
            let message = format!("a record is not valid JSON ({}); it was left out", error.message);
            findings.error("broken-record", place, message);
        }
    }

    /// Where a record begins that is glued to a broken one and reads well to the end of the chunk.
    fn next_record_after(&self, broken: usize) -> Option<usize> {
        const MAX_TRIES: usize = 16;
        let text = self.text();
        let behind = broken + 1;
        let rest = text.get(behind..)?;
        let mut starts: Vec<usize> =
            RECORD_STARTS.iter().flat_map(|start| memmem::find_iter(rest, start)).collect();
        starts.sort_unstable();
        let tries = starts.iter().rev().take(MAX_TRIES).rev();
        tries.map(|start| behind + start).find(|start| is_whole(&text[*start..]))
    }
}

fn is_whole(text: &[u8]) -> bool {
    let mut reader = ValueReader::new(text);
    loop {
        match reader.next_value() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json::to_compact;

    fn read(bytes: &[u8]) -> (Vec<(String, Range<u64>)>, Vec<&'static str>) {
        let mut findings = Findings::default();
        let mut values = Vec::new();
        let chunk = Chunk { bytes, start: 100, line: 7, is_last: true };
        read_values(chunk, &mut Interner::default(), &mut findings, |value, _| {
            values.push((to_compact(&value.json), value.bytes));
        });
        (values, findings.into_diagnostics().iter().map(|it| it.code).collect())
    }

    #[test]
    fn glued_values_have_their_own_places() {
        let (values, codes) = read(br#"{"a":1}{"b":2} "#);
        assert_eq!(values, [(r#"{"a":1}"#.into(), 100..107), (r#"{"b":2}"#.into(), 107..114)]);
        assert!(codes.is_empty());
    }

    #[test]
    fn a_record_glued_to_a_broken_one_is_found_again() {
        let (values, codes) =
            read(br#"{"parentUuid":"x","message":{"type":"a{"type":"summary","n":{"type":"b"}}"#);
        assert_eq!(values[0].0, r#"{"type":"summary","n":{"type":"b"}}"#);
        assert_eq!(codes, ["broken-record"]);
    }

    #[test]
    fn unreadable_text_is_replaced_and_places_stay_true() {
        let (values, codes) = read(b"{\"a\":1}{\"b\":\"\xff\\ud800\"}{\"c\":3}");
        assert_eq!(values[1].0, "{\"b\":\"\u{fffd}\u{fffd}\"}");
        assert_eq!(values[2].1, 122..129);
        assert_eq!(codes, ["repaired-text"]);
    }

    #[test]
    fn the_end_of_the_file_in_a_record_is_told_from_a_broken_record() {
        assert_eq!(read(br#"{"a":1}{"b":"#).1, ["truncated"]);
        assert_eq!(read(br#"{"a":1}{"b":]}"#).1, ["broken-record"]);
    }
}
