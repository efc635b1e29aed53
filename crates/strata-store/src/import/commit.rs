//! The small transaction that makes staged recordings visible.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Transaction, params};
use strata_model::Diagnostic;

use super::complete::{CompleteRecording, write_session};
use super::new::ImportedSession;
use super::writer::ImportWriter;
use crate::app_config::write_app_config;
use crate::kept_secrets::Masking;
use crate::search::Indexer;
use crate::source::write_source;
use crate::{SessionId, Source, StoreError, request};

impl ImportWriter<'_> {
    /// Makes every closed session visible, at once and for good, with what the import found. A session that this
    /// source held before is replaced and keeps its id, its given configuration and when it was opened; one that the
    /// source holds no more stays as it was. Returns the sessions in the order they were opened in.
    pub fn commit(mut self, diagnostics: &[Diagnostic]) -> Result<Vec<ImportedSession>, StoreError> {
        let imported = self.show_closed(diagnostics)?;
        // What is left are recordings that were opened and dropped. Failing to remove them undoes nothing.
        let _ = self.discard();
        Ok(imported)
    }

    fn show_closed(&mut self, diagnostics: &[Diagnostic]) -> Result<Vec<ImportedSession>, StoreError> {
        let mut closed = std::mem::take(&mut self.closed);
        closed.sort_by_key(|closed| closed.recording);
        let (source, diagnostics) = (&self.source, self.left_out.with_diagnostics(diagnostics));
        let imported = self.store.change(|transaction| {
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
        self.recordings
            .retain(|number| closed.binary_search_by_key(number, |closed| closed.recording).is_err());
        Ok(imported)
    }
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
    let masking = Masking::of(transaction)?;
    Indexer::new(transaction)?.session(
        closed.recording,
        &masking.stored(&closed.listing.title),
        &source.location,
        closed.names(),
    )?;
    if let Some(replaced) = replaced {
        request::carry_added(transaction, replaced, closed.recording)?;
        set_status(transaction, replaced, "kept", "discarded")?;
    }
    if let Some(config) = &closed.listing.app_config {
        write_app_config(transaction, &id, &masking.stored_config(config))?;
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
