//! A recording while it is written.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Transaction, params};
use strata_model::Fingerprint;

use super::prepared::{Prepared, Raw};
use super::{LeftOut, NewEvent};
use crate::column::fingerprint_bytes;
use crate::request::{KnownPieces, RecordedRequest};
use crate::search::Indexer;
use crate::{StoreError, record, request};

/// A session being written: hand it back to the import it came from.
#[derive(Debug)]
#[must_use]
pub struct Recording {
    pub(super) number: i64,
    pub(super) totals: Totals,
    /// Number of each raw record written so far, by content. About 40 bytes each, while the recording is open.
    raw_numbers: HashMap<Fingerprint, u32>,
    n_requests: u32,
    pieces: KnownPieces,
}

/// What all events of a recording come to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Totals {
    n_events: u32,
    n_raw_records: u32,
    json_bytes: u64,
    content: Fingerprint,
    pub(super) left_out: LeftOut,
}

/// The statements that write the rows of an event.
struct Inserts<'t> {
    row: CachedStatement<'t>,
    json: CachedStatement<'t>,
    raw: CachedStatement<'t>,
    words: Indexer<'t>,
}

impl Recording {
    pub(super) fn new(number: i64) -> Self {
        Self {
            number,
            totals: Totals::default(),
            raw_numbers: HashMap::new(),
            n_requests: 0,
            pieces: KnownPieces::default(),
        }
    }

    pub(super) fn insert(
        &mut self,
        transaction: &Transaction<'_>,
        events: &[NewEvent<'_>],
    ) -> Result<(), StoreError> {
        let mut inserts = Inserts::new(transaction)?;
        let mut json = String::new();
        for event in events {
            let prepared = Prepared::new(event, &mut json);
            let records = self.insert_raw(&mut inserts, &prepared)?;
            self.insert_event(&mut inserts, &prepared, records.as_deref())?;
        }
        Ok(())
    }

    /// Writes requests behind those that were written. After an error, none of these is there.
    pub(super) fn insert_requests(
        &mut self,
        transaction: &Transaction<'_>,
        requests: &[RecordedRequest],
    ) -> Result<(), StoreError> {
        request::write(transaction, self.number, self.n_requests, requests, &mut self.pieces)?;
        self.n_requests += requests.len() as u32;
        Ok(())
    }

    /// How many requests and pieces of them are written.
    pub(super) fn requests_so_far(&self) -> (u32, usize) {
        (self.n_requests, self.pieces.len())
    }

    /// Forgets the requests that were written since, when their transaction failed.
    pub(super) fn roll_back_requests(&mut self, (n_requests, n_pieces): (u32, usize)) {
        self.n_requests = n_requests;
        self.pieces.roll_back(n_pieces);
    }

    /// Forgets what was inserted since `totals` were taken, when its transaction failed.
    pub(super) fn roll_back(&mut self, totals: Totals) {
        self.totals = totals;
        self.raw_numbers.retain(|_, number| *number <= totals.n_raw_records);
    }

    fn insert_event(
        &mut self,
        inserts: &mut Inserts<'_>,
        prepared: &Prepared<'_>,
        records: Option<&str>,
    ) -> Result<(), StoreError> {
        let Prepared { event, json, kinds, timestamp, .. } = prepared;
        let seq = self.totals.n_events;
        inserts.row.execute(params![
            self.number,
            seq,
            event.id,
            event.invocation_id,
            event.author,
            event.branch.as_deref(),
            timestamp,
            kinds.bits(),
            json.len() as i64,
            records,
        ])?;
        inserts.json.execute(params![self.number, seq, json])?;
        inserts.words.event(self.number, seq, event)?;
        self.totals.n_events += 1;
        self.totals.json_bytes += json.len() as u64;
        self.totals.content = self.totals.content.then(Fingerprint::of(json.as_bytes()));
        Ok(())
    }

    /// Writes what an event was read from, as far as it is not written yet. Returns the list of it.
    fn insert_raw(
        &mut self,
        inserts: &mut Inserts<'_>,
        prepared: &Prepared<'_>,
    ) -> Result<Option<String>, StoreError> {
        if prepared.records.is_empty() {
            return Ok(None);
        }
        let mut list = String::new();
        for record in prepared.records {
            let number = match prepared.raw(record) {
                Raw::NotGiven => None,
                Raw::Withheld => {
                    self.totals.left_out.n_raw_records += 1;
                    None
                }
                Raw::IsJson => Some(record::IS_JSON),
                Raw::Bytes(bytes) => Some(self.raw_number(inserts, bytes)?),
            };
            record::write(&mut list, &record.place, number);
        }
        list.push(']');
        Ok(Some(list))
    }

    /// The number under which these bytes are kept, having written them when they are new.
    fn raw_number(&mut self, inserts: &mut Inserts<'_>, bytes: &[u8]) -> Result<u32, StoreError> {
        let content = Fingerprint::of(bytes);
        if let Some(number) = self.raw_numbers.get(&content) {
            return Ok(*number);
        }
        let number = self.totals.n_raw_records + 1;
        inserts.raw.execute(params![self.number, number, bytes])?;
        self.totals.n_raw_records = number;
        self.raw_numbers.insert(content, number);
        Ok(number)
    }

    pub(super) fn write_totals(&self, transaction: &Transaction<'_>) -> Result<(), StoreError> {
        let Totals { n_events, json_bytes, content, .. } = self.totals;
        transaction.execute(
            "UPDATE recordings SET events = ?2, indexed = ?2, json_bytes = ?3, content = ?4 WHERE id = ?1",
            params![self.number, n_events, json_bytes as i64, fingerprint_bytes(content)],
        )?;
        Ok(())
    }
}

impl<'t> Inserts<'t> {
    fn new(transaction: &'t Transaction<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            row: transaction.prepare_cached(
                "INSERT INTO events (recording, seq, event_id, invocation_id, author, branch, timestamp, kinds,
                     json_bytes, records)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?,
            json: transaction.prepare_cached("INSERT INTO event_json VALUES (?1, ?2, ?3)")?,
            raw: transaction.prepare_cached("INSERT INTO raw_records VALUES (?1, ?2, ?3)")?,
            words: Indexer::new(transaction)?,
        })
    }
}
