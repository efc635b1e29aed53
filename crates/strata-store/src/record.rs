//! The pieces of a source that events were read from.

use std::fmt::Write as _;
use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};
use strata_model::{Json, json};

use crate::column::parse;
use crate::event::OF_SESSION;
use crate::pack::{EVENTS, SOURCES};
use crate::{SessionId, Store, StoreError};

/// Where a piece stands in its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordPlace {
    /// Bytes of a file, end excluded.
    Bytes(Range<u64>),
    /// A row of a database table.
    Row { table: String, id: String },
}

/// A piece of a source that an event was read from. An event may have several, and events may share one.
#[derive(Debug, Clone)]
pub struct RawRecord<'a> {
    pub place: RecordPlace,
    /// The piece itself. Kept once, however many events of a session it is given for. Not kept when it holds an API
    /// key: `place` still says where it is.
    pub bytes: Option<&'a [u8]>,
}

/// What is stored of a [`RawRecord`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    pub place: RecordPlace,
    /// `None` when they were not given or not kept.
    pub bytes: Option<Vec<u8>>,
}

/// Stands for the number of a record whose bytes are the event's stored JSON, and so are not stored twice. Other
/// numbers count from 1.
pub(crate) const IS_JSON: u32 = 0;

impl Store {
    /// The pieces of the source that the event at `seq` was read from; `None` when there is no such event.
    pub fn source_records(
        &self,
        session: &SessionId,
        seq: u32,
    ) -> Result<Option<Vec<StoredRecord>>, StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let sql =
            format!("SELECT recording, records FROM events WHERE recording = {OF_SESSION} AND seq = ?2");
        let found: Option<(i64, Option<String>)> = snapshot
            .prepare_cached(&sql)?
            .query_row(params![session.as_str(), seq], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        match found {
            None => Ok(None),
            Some((_, None)) => Ok(Some(Vec::new())),
            Some((recording, Some(records))) => read(&snapshot, recording, seq, &records).map(Some),
        }
    }
}

/// Adds a record to the list of an event's records, which is JSON without its closing bracket.
pub(crate) fn write(list: &mut String, place: &RecordPlace, raw: Option<u32>) {
    list.push(if list.is_empty() { '[' } else { ',' });
    let _ = match place {
        RecordPlace::Bytes(span) => {
            write!(list, r#"{{"at":{},"bytes":{}"#, span.start, span.end.saturating_sub(span.start))
        }
        RecordPlace::Row { table, id } => {
            list.push_str(r#"{"table":"#);
            json::write_compact_string(list, table);
            list.push_str(r#","row":"#);
            json::write_compact_string(list, id);
            Ok(())
        }
    };
    let _ = match raw {
        Some(number) => write!(list, r#","raw":{number}}}"#),
        None => write!(list, "}}"),
    };
}

fn read(
    connection: &Connection,
    recording: i64,
    seq: u32,
    records: &str,
) -> Result<Vec<StoredRecord>, StoreError> {
    let records = parse(records)?;
    let record = |record: &Json| {
        let place = place(record).ok_or_else(|| StoreError::Corrupt {
            detail: format!("the place of a source record cannot be read ({})", json::to_compact(record)),
        })?;
        let bytes = match record.get("raw").and_then(Json::as_i64) {
            None => None,
            Some(number) => raw_bytes(connection, recording, seq, number)?,
        };
        Ok(StoredRecord { place, bytes })
    };
    records.as_array().unwrap_or_default().iter().map(record).collect()
}

pub(crate) fn place(record: &Json) -> Option<RecordPlace> {
    let number = |key| record.get(key).and_then(Json::as_i64).and_then(|number| u64::try_from(number).ok());
    if let Some(start) = number("at") {
        return Some(RecordPlace::Bytes(start..start.checked_add(number("bytes")?)?));
    }
    let text = |key| record.get(key).and_then(Json::as_str).map(str::to_owned);
    Some(RecordPlace::Row { table: text("table")?, id: text("row")? })
}

fn raw_bytes(
    connection: &Connection,
    recording: i64,
    seq: u32,
    number: i64,
) -> Result<Option<Vec<u8>>, StoreError> {
    match u32::try_from(number) {
        Ok(IS_JSON) => EVENTS.get(connection, recording, seq),
        Ok(number) => SOURCES.get(connection, recording, number),
        Err(_) => Ok(None),
    }
}
