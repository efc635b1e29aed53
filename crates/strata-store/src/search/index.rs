//! Filling the index of words, and taking rows out of it.

use rusqlite::{CachedStatement, OptionalExtension, Transaction, params};
use strata_model::{Decoder, Event, FromJson as _};

use super::document::Document;
use crate::column::{parse, text};
use crate::pack::EVENTS;
use crate::{Store, StoreError};

/// Bits of a rowid below the recording's number.
const SEQ_BITS: u32 = 32;
/// Stands in the place of an event for the session itself, above all of them.
const OF_SESSION: i64 = (1 << SEQ_BITS) - 1;

/// Events that are indexed in one transaction.
const BATCH: u32 = 500;

/// The row of an event.
pub(super) fn rowid(recording: i64, seq: i64) -> i64 {
    (recording << SEQ_BITS) | seq
}

/// The recording a row belongs to, and the place of its event; `None` for the session itself.
pub(super) fn place(rowid: i64) -> (i64, Option<u32>) {
    let seq = rowid & OF_SESSION;
    (rowid >> SEQ_BITS, (seq != OF_SESSION).then_some(seq as u32))
}

/// The rows a recording may have, both ends included.
pub(crate) fn rows_of(recording: i64) -> [i64; 2] {
    [rowid(recording, 0), rowid(recording, OF_SESSION)]
}

/// The rows of a recording's events from a place on, both ends included.
pub(crate) fn rows_from(recording: i64, seq: i64) -> [i64; 2] {
    [rowid(recording, seq), rowid(recording, OF_SESSION - 1)]
}

/// Puts events into the index.
pub(crate) struct Indexer<'t> {
    insert: CachedStatement<'t>,
    document: Document,
}

impl<'t> Indexer<'t> {
    pub(crate) fn new(transaction: &'t Transaction<'_>) -> rusqlite::Result<Self> {
        let sql = "INSERT INTO search (rowid, text, tools, agents, files) VALUES (?1, ?2, ?3, ?4, ?5)";
        Ok(Self { insert: transaction.prepare_cached(sql)?, document: Document::default() })
    }

    pub(crate) fn event(&mut self, recording: i64, seq: u32, event: &Event) -> rusqlite::Result<()> {
        self.document.fill(event);
        Self::insert(&mut self.insert, rowid(recording, seq.into()), &self.document)
    }

    /// What finds the session as a whole: its title, where it is from, its app, user and id.
    pub(crate) fn session(
        &mut self,
        recording: i64,
        title: &str,
        location: &str,
        names: [&str; 3],
    ) -> rusqlite::Result<()> {
        let document = Document::of_session(title, location, names);
        Self::insert(&mut self.insert, rowid(recording, OF_SESSION), &document)
    }

    /// As [`Self::session`], for one that is in the index under what it was called before.
    pub(crate) fn session_again(
        &mut self,
        transaction: &Transaction<'_>,
        recording: i64,
        title: &str,
        location: &str,
        names: [&str; 3],
    ) -> rusqlite::Result<()> {
        transaction
            .prepare_cached("DELETE FROM search WHERE rowid = ?1")?
            .execute([rowid(recording, OF_SESSION)])?;
        self.session(recording, title, location, names)
    }

    fn insert(insert: &mut CachedStatement<'_>, rowid: i64, document: &Document) -> rusqlite::Result<()> {
        let Document { text, tools, agents, files } = document;
        insert.execute(params![rowid, text, tools, agents, files]).map(|_| ())
    }
}

impl Store {
    /// Sessions that were stored before there was an index, and are not in it as a whole.
    pub fn n_not_indexed(&self) -> Result<u32, StoreError> {
        let sql = "SELECT count(*) FROM recordings WHERE indexed < events AND status = 'kept'";
        Ok(self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }

    /// Puts some events of them into the index, in one short transaction. False when there is nothing left to do.
    pub fn index_some(&mut self) -> Result<bool, StoreError> {
        if self.n_not_indexed()? == 0 {
            return Ok(false);
        }
        self.change_unseen(index_some)
    }
}

fn index_some(transaction: &Transaction<'_>) -> Result<bool, StoreError> {
    let next = "SELECT id, indexed, events FROM recordings WHERE indexed < events AND status = 'kept' ORDER BY id DESC";
    let next: Option<(i64, u32, u32)> =
        transaction.query_row(next, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).optional()?;
    let Some((recording, from, n_events)) = next else { return Ok(false) };
    let to = n_events.min(from.saturating_add(BATCH));
    let mut indexer = Indexer::new(transaction)?;
    let mut decoder = Decoder::new();
    EVENTS.each(transaction, recording, from..to, |seq, json| {
        // What cannot be read is reported when the session is opened.
        if let Ok(event) = parse(json).map(|json| Event::from_json(json, &mut decoder))
            && let Ok(event) = event
        {
            indexer.event(recording, seq, &event)?;
        }
        decoder.take_diagnostics();
        Ok(())
    })?;
    if to == n_events {
        index_session(transaction, &mut indexer, recording)?;
    }
    transaction
        .prepare_cached("UPDATE recordings SET indexed = ?2 WHERE id = ?1")?
        .execute(params![recording, to])?;
    Ok(true)
}

fn index_session(
    transaction: &Transaction<'_>,
    indexer: &mut Indexer<'_>,
    recording: i64,
) -> Result<(), StoreError> {
    let mut session = transaction.prepare_cached(
        "SELECT s.title, o.location, s.app_name, s.user_id, s.adk_id FROM sessions s
         JOIN sources o ON o.id = s.source WHERE s.recording = ?1",
    )?;
    let mut rows = session.query([recording])?;
    if let Some(row) = rows.next()? {
        let names = [text(row, 2)?, text(row, 3)?, text(row, 4)?];
        indexer.session(recording, text(row, 0)?, text(row, 1)?, names)?;
    }
    Ok(())
}
