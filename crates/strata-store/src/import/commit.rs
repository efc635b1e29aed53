//! The small transaction that makes staged recordings visible.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Transaction, params};
use strata_model::{Diagnostic, Object, Session, Str, json};

use super::{ImportWriter, ImportedSession, LeftOut, Listing, Recording};
use crate::app_config::write_app_config;
use crate::search::Indexer;
use crate::source::write_source;
use crate::{SessionId, Source, StoreError, request};

/// A complete recording, and what its session will be.
#[derive(Debug)]
pub(super) struct CompleteRecording {
    recording: i64,
    adk_id: Str,
    app_name: Str,
    user_id: Str,
    last_update_time: f64,
    other: Object,
    listing: Listing,
}

impl CompleteRecording {
    pub(super) fn new(recording: &Recording, session: &Session, listing: Listing) -> Self {
        Self {
            recording: recording.number,
            adk_id: session.id.clone(),
            app_name: session.app_name.clone(),
            user_id: session.user_id.clone(),
            last_update_time: session.last_update_time,
            other: session.other.clone(),
            listing,
        }
    }

    pub(super) fn names(&self) -> [&str; 3] {
        [&self.app_name, &self.user_id, &self.adk_id]
    }
}

pub(super) fn commit(
    import: &mut ImportWriter<'_>,
    diagnostics: &[Diagnostic],
) -> Result<Vec<ImportedSession>, StoreError> {
    let mut closed = std::mem::take(&mut import.closed);
    closed.sort_by_key(|closed| closed.recording);
    let (source, diagnostics) = (&import.source, import.left_out.with_diagnostics(diagnostics));
    let imported = import.store.change(|transaction| {
        let source_number = write_source(transaction, source, &diagnostics)?;
        let mut n_named: BTreeMap<[&str; 3], u32> = BTreeMap::new();
        let mut imported = Vec::with_capacity(closed.len());
        for closed in &closed {
            let nth = n_named.entry(closed.names()).or_default();
            let id = SessionId::derive(&source.location, closed.names(), *nth);
            *nth += 1;
            imported.push(show(transaction, id, (source_number, source), closed)?);
        }
        Ok(imported)
    })?;
    import
        .recordings
        .retain(|number| closed.binary_search_by_key(number, |closed| closed.recording).is_err());
    Ok(imported)
}

/// Makes a session show this recording, and gives up the one it showed before.
fn show(
    transaction: &Transaction<'_>,
    id: SessionId,
    (source_number, source): (i64, &Source),
    closed: &CompleteRecording,
) -> Result<ImportedSession, StoreError> {
    let replaced: Option<i64> = transaction
        .query_row("SELECT recording FROM sessions WHERE id = ?1", [id.as_str()], |row| row.get(0))
        .optional()?;
    set_status(transaction, closed.recording, "staged", "kept")?;
    write_session(transaction, &id, source_number, source.imported_at_ms, closed)?;
    Indexer::new(transaction)?.session(
        closed.recording,
        &closed.listing.title,
        &source.location,
        closed.names(),
    )?;
    if let Some(replaced) = replaced {
        request::carry_added(transaction, replaced, closed.recording)?;
        set_status(transaction, replaced, "kept", "discarded")?;
    }
    if let Some(config) = &closed.listing.app_config {
        write_app_config(transaction, &id, config)?;
    }
    Ok(ImportedSession { id, is_replacement: replaced.is_some() })
}

/// Fails when the recording is not in the state it should be in, such as one that was taken for abandoned.
fn set_status(transaction: &Transaction<'_>, recording: i64, from: &str, to: &str) -> Result<(), StoreError> {
    let changed = transaction
        .prepare_cached("UPDATE recordings SET status = ?3 WHERE id = ?1 AND status = ?2")?
        .execute(params![recording, from, to])?;
    if changed == 1 { Ok(()) } else { Err(rusqlite::Error::StatementChangedRows(changed).into()) }
}

pub(super) fn write_session(
    transaction: &Transaction<'_>,
    id: &SessionId,
    source: i64,
    imported_at_ms: i64,
    closed: &CompleteRecording,
) -> Result<(), StoreError> {
    let mut upsert = transaction.prepare_cached(
        "INSERT INTO sessions (id, source, recording, adk_id, app_name, user_id, title, format, summary, other,
             last_update_time, imported_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (id) DO UPDATE SET source = excluded.source, recording = excluded.recording,
             title = excluded.title, format = excluded.format, summary = excluded.summary, other = excluded.other,
             last_update_time = excluded.last_update_time, imported_at_ms = excluded.imported_at_ms",
    )?;
    upsert.execute(params![
        id.as_str(),
        source,
        closed.recording,
        closed.adk_id,
        closed.app_name,
        closed.user_id,
        closed.listing.title,
        closed.listing.format,
        json::to_compact(&closed.listing.summary),
        json::object_to_compact(&closed.other),
        closed.last_update_time,
        imported_at_ms,
    ])?;
    Ok(())
}

impl LeftOut {
    /// The findings of the importing side, and what the store itself left out.
    pub(super) fn with_diagnostics(self, diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
        let mut all = diagnostics.to_vec();
        let Self { n_raw_records } = self;
        if n_raw_records > 0 {
            let message = format!(
                "source text with an API key is not kept; records left out: {n_raw_records}. Their \
                 events were stored, and their places in the source"
            );
            all.push(Diagnostic::info("source-text-not-kept", "", message));
        }
        all
    }
}
