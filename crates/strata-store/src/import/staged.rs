//! A recording while it is written.

use std::collections::HashMap;

use rusqlite::{CachedStatement, Transaction, params};
use strata_model::{Decoder, Event, Fingerprint, FromJson as _};

use super::new::{LeftOut, NewEvent};
use super::prepared::{Prepared, Raw};

use crate::column::{fingerprint, fingerprint_bytes, parse};
use crate::kept_secrets::{Masking, mask_stored};
use crate::pack::{self, Packer};
use crate::request::{Added, RecordedRequest};
use crate::request_pieces::KnownPieces;
use crate::search::{Indexer, rows_from};
use crate::{StoreError, record, request};

/// Pieces of a source that are looked at again when a recording goes on: events share them with those before.
const RAW_LOOKED_AT: u32 = 32;

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

impl Totals {
    /// Of the first so many events of a recording that is kept.
    fn up_to(transaction: &Transaction<'_>, recording: i64, n_events: u32) -> Result<Self, StoreError> {
        let Some(last) = n_events.checked_sub(1) else { return Ok(Self::default()) };
        let (content, n_raw_records, n_withheld): (Option<Fingerprint>, u32, u32) = transaction
            .prepare_cached(
                "SELECT content, raw_records, withheld FROM events WHERE recording = ?1 AND seq = ?2",
            )?
            .query_row([recording, last.into()], |row| {
                Ok((fingerprint(row, 0)?, row.get(1)?, row.get(2)?))
            })?;
        let later: i64 = transaction
            .prepare_cached(
                "SELECT coalesce(sum(json_bytes), 0) FROM events WHERE recording = ?1 AND seq >= ?2",
            )?
            .query_row([recording, n_events.into()], |row| row.get(0))?;
        let all: i64 = transaction
            .prepare_cached("SELECT json_bytes FROM recordings WHERE id = ?1")?
            .query_row([recording], |row| row.get(0))?;
        let content = content.ok_or_else(|| StoreError::Corrupt {
            detail: "an event that others were to be written behind has no fingerprint".to_owned(),
        })?;
        Ok(Self {
            n_events,
            n_raw_records,
            json_bytes: all.saturating_sub(later).unsigned_abs(),
            content,
            left_out: LeftOut { n_raw_records: n_withheld as usize },
        })
    }
}

/// The statements that write the rows of an event.
struct Inserts<'t> {
    row: CachedStatement<'t>,
    json: Packer<'t>,
    raw: Packer<'t>,
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

    /// A recording that is kept, to go on behind the first so many of its events: the others are removed.
    pub(super) fn reopened(
        transaction: &Transaction<'_>,
        number: i64,
        kept: u32,
    ) -> Result<Self, StoreError> {
        let mut recording = Self::new(number);
        recording.totals = Totals::up_to(transaction, number, kept)?;
        recording.remove_later(transaction)?;
        let looked_at = recording.totals.n_raw_records.saturating_sub(RAW_LOOKED_AT) + 1;
        let raw_numbers = &mut recording.raw_numbers;
        pack::SOURCES.each(transaction, number, looked_at..u32::MAX, |raw, bytes| {
            raw_numbers.insert(Fingerprint::of(bytes), raw);
            Ok(())
        })?;
        Ok(recording)
    }

    /// Removes the events behind those it has, and what they were read from.
    fn remove_later(&self, transaction: &Transaction<'_>) -> Result<(), StoreError> {
        let seq = i64::from(self.totals.n_events);
        transaction
            .prepare_cached("DELETE FROM events WHERE recording = ?1 AND seq >= ?2")?
            .execute([self.number, seq])?;
        pack::EVENTS.cut_off(transaction, self.number, self.totals.n_events)?;
        pack::SOURCES.cut_off(transaction, self.number, self.totals.n_raw_records + 1)?;
        transaction
            .prepare_cached("DELETE FROM search WHERE rowid >= ?1 AND rowid <= ?2")?
            .execute(rows_from(self.number, seq))?;
        Ok(())
    }

    /// The pieces of its requests, for whoever goes on with it later.
    pub(super) fn take_pieces(&mut self) -> KnownPieces {
        std::mem::take(&mut self.pieces)
    }

    /// Goes on with requests behind the first so many.
    pub(super) fn with_requests(mut self, n_requests: u32, pieces: KnownPieces) -> Self {
        self.n_requests = n_requests;
        self.pieces = pieces;
        self
    }

    pub(super) fn insert(
        &mut self,
        transaction: &Transaction<'_>,
        events: &[NewEvent<'_>],
    ) -> Result<(), StoreError> {
        let mut inserts = Inserts::new(transaction, self)?;
        let mut json = String::new();
        let masks = Masking::of(transaction)?.is_on;
        for new in events {
            let masked = if masks { masked_event(new.event)? } else { None };
            let event = masked.as_ref().unwrap_or(new.event);
            let prepared = Prepared::new(event, &new.records, &mut json);
            let records = self.insert_raw(&mut inserts, &prepared, masks)?;
            self.insert_event(&mut inserts, &prepared, records.as_deref())?;
        }
        inserts.json.finish()?;
        inserts.raw.finish()
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

    /// Puts requests that other files added behind those that were written.
    pub(super) fn put_back(&mut self, transaction: &Transaction<'_>, added: Added) -> Result<(), StoreError> {
        request::put_back(transaction, self.number, self.n_requests, added, &mut self.pieces)
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
        self.totals.content = self.totals.content.then(Fingerprint::of(json.as_bytes()));
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
            fingerprint_bytes(self.totals.content),
            self.totals.n_raw_records,
            self.totals.left_out.n_raw_records as i64,
        ])?;
        inserts.json.push(json.as_bytes())?;
        inserts.words.event(self.number, seq, event)?;
        self.totals.n_events += 1;
        self.totals.json_bytes += json.len() as u64;
        Ok(())
    }

    /// Writes what an event was read from, as far as it is not written yet. Returns the list of it.
    fn insert_raw(
        &mut self,
        inserts: &mut Inserts<'_>,
        prepared: &Prepared<'_>,
        masks: bool,
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
                Raw::Bytes(bytes) if masks => {
                    let text = String::from_utf8_lossy(bytes);
                    let masked = mask_stored(&text).map(|masked| masked.text.into_bytes());
                    Some(self.raw_number(inserts, masked.as_deref().unwrap_or(bytes))?)
                }
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
        let number = inserts.raw.push(bytes)?;
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

/// The event without what looks like a key; `None` where nothing does.
fn masked_event(event: &Event) -> Result<Option<Event>, StoreError> {
    let mut json = String::new();
    event.write_json(&mut json);
    let Some(masked) = mask_stored(&json) else { return Ok(None) };
    let event = Event::from_json(parse(masked.text)?, &mut Decoder::new());
    event
        .map(Some)
        .map_err(|value| StoreError::Corrupt { detail: format!("a masked event is {}", value.kind()) })
}

impl<'t> Inserts<'t> {
    /// To go on with a recording.
    fn new(transaction: &'t Transaction<'_>, recording: &Recording) -> Result<Self, StoreError> {
        let Recording { number, totals, .. } = recording;
        let packer = |shelf, next| Packer::new(transaction, shelf, *number, next);
        Ok(Self {
            row: transaction.prepare_cached(
                "INSERT INTO events (recording, seq, event_id, invocation_id, author, branch, timestamp, kinds,
                     json_bytes, records, content, raw_records, withheld)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?,
            json: packer(pack::EVENTS, totals.n_events)?,
            raw: packer(pack::SOURCES, totals.n_raw_records + 1)?,
            words: Indexer::new(transaction)?,
        })
    }
}
