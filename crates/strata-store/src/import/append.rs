//! Stored sessions that go on: what their source has more of is written behind what was read of it before.

use rusqlite::{OptionalExtension as _, Transaction, params};
use strata_model::{Diagnostic, Fingerprint, Session};

use super::complete::{CompleteRecording, write_session};
use super::new::{LeftOut, Listing, NewEvent};
use super::staged::Recording;
use crate::app_config::{AppConfig, write_app_config};
use crate::column::fingerprint_bytes;
use crate::growing_pieces::GrowingPieces;
use crate::kept_secrets::Masking;
use crate::pack::pack_recording;
use crate::request::{self, RecordedRequest};
use crate::search::Indexer;
use crate::source::write_source;
use crate::state::write_state;
use crate::{SessionId, Source, Store, StoreError};

/// What a stored session has grown by.
#[derive(Debug, Clone)]
pub struct Growth<'a> {
    pub id: SessionId,
    /// Of its events, the first so many stay as they are.
    pub kept: u32,
    /// What stands behind them now.
    pub events: Vec<NewEvent<'a>>,
    /// Of the requests that its source recorded, the first so many stay. Those that other files recorded stay as far as
    /// their answers do.
    pub kept_requests: u32,
    pub requests: Vec<RecordedRequest>,
    /// As it is now; its events are not looked at.
    pub session: &'a Session,
    /// Its state is the one that is stored, and is not written again.
    pub keeps_state: bool,
    pub listing: Listing,
}

impl Store {
    /// Writes what the sessions of a source have grown by, in one transaction: afterwards everything of it is there, or
    /// nothing, and what stands there is what an import of the whole source would have written. `before` is the content
    /// of the source as it was stored last.
    ///
    /// False, with nothing changed, where the store has another content of the source, or a session cannot go on: it is
    /// not there, has fewer events than should stay, was written by an older version or is not in the index of words yet.
    /// Then the source is to be imported again. A configuration with an API key in it is refused with
    /// [`StoreError::HoldsCredential`].
    pub fn append(
        &mut self,
        source: &Source,
        before: Fingerprint,
        grown: &[Growth<'_>],
        diagnostics: &[Diagnostic],
    ) -> Result<bool, StoreError> {
        let mut configs = grown.iter().filter_map(|growth| growth.listing.app_config.as_ref());
        configs.try_for_each(AppConfig::refuse_credentials)?;
        // Forgotten where this fails.
        let mut pieces = std::mem::take(&mut self.growing_pieces);
        let is_written = self.change(|transaction| {
            if !holds(transaction, source, before)? {
                return Ok(false);
            }
            for growth in grown {
                if !can_grow(transaction, growth)? {
                    return Ok(false);
                }
            }
            let mut recordings = Vec::with_capacity(grown.len());
            let mut left_out = LeftOut::default();
            for growth in grown {
                let recording = append(transaction, growth, &mut pieces)?;
                left_out.add(recording.totals.left_out);
                recordings.push(recording);
            }
            let number = write_source(transaction, source, &left_out.with_diagnostics(diagnostics))?;
            for (growth, recording) in grown.iter().zip(&recordings) {
                let masking = Masking::of(transaction)?;
                let closed = CompleteRecording::new(recording, growth.session, growth.listing.clone());
                write_session(transaction, &growth.id, number, source.imported_at_ms, &closed)?;
                Indexer::new(transaction)?.session_again(
                    transaction,
                    recording.number,
                    &masking.stored(&growth.listing.title),
                    &source.location,
                    closed.names(),
                )?;
                if let Some(config) = &growth.listing.app_config {
                    write_app_config(transaction, &growth.id, &masking.stored_config(config))?;
                }
            }
            Ok(true)
        })?;
        self.growing_pieces = pieces;
        Ok(is_written)
    }
}

/// Whether this is the content that was stored of a source.
fn holds(transaction: &Transaction<'_>, source: &Source, content: Fingerprint) -> Result<bool, StoreError> {
    let mut find =
        transaction.prepare_cached("SELECT 1 FROM sources WHERE location = ?1 AND content = ?2")?;
    Ok(find.exists(params![source.location, fingerprint_bytes(content)])?)
}

/// Whether what is stored of a session can grow like this.
fn can_grow(transaction: &Transaction<'_>, growth: &Growth<'_>) -> Result<bool, StoreError> {
    let mut check = transaction.prepare_cached(
        "SELECT r.id FROM sessions s JOIN recordings r ON r.id = s.recording
         WHERE s.id = ?1 AND r.status = 'kept' AND r.events >= ?2 AND r.indexed = r.events
             AND (?2 = 0 OR EXISTS (SELECT 1 FROM events e
                 WHERE e.recording = r.id AND e.seq = ?2 - 1 AND e.content IS NOT NULL))",
    )?;
    let recording = check.query_row(params![growth.id.as_str(), growth.kept], |row| row.get(0)).optional()?;
    recording.map_or(Ok(false), |recording| request::has_own(transaction, recording, growth.kept_requests))
}

/// Writes the events, requests and state of a session.
fn append(
    transaction: &Transaction<'_>,
    growth: &Growth<'_>,
    growing: &mut GrowingPieces,
) -> Result<Recording, StoreError> {
    let number: i64 = transaction
        .prepare_cached("SELECT recording FROM sessions WHERE id = ?1")?
        .query_row([growth.id.as_str()], |row| row.get(0))?;
    pack_recording(transaction, number)?;
    let pieces = growing.take(transaction, number)?;
    let is_growing = !growth.requests.is_empty();
    let request::Kept { n_requests, pieces, added } =
        request::cut_off(transaction, number, growth.kept_requests, is_growing, pieces)?;
    let knows_pieces = pieces.is_some();
    let mut recording = Recording::reopened(transaction, number, growth.kept)?
        .with_requests(n_requests, pieces.unwrap_or_default());
    recording.insert(transaction, &growth.events)?;
    recording.insert_requests(transaction, &growth.requests)?;
    recording.put_back(transaction, added)?;
    recording.write_totals(transaction)?;
    if !growth.keeps_state {
        transaction.prepare_cached("DELETE FROM states WHERE recording = ?1")?.execute([number])?;
        write_state(transaction, number, &growth.session.state)?;
    }
    if knows_pieces {
        growing.keep(transaction, number, recording.take_pieces())?;
    }
    Ok(recording)
}
