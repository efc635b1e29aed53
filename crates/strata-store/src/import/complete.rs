//! A recording that has everything, and the row of its session.

use rusqlite::{Transaction, params};
use strata_model::{Object, Session, Str, json};

use super::new::Listing;
use super::staged::Recording;
use crate::kept_secrets::Masking;
use crate::{SessionId, StoreError};

/// A complete recording, and what its session will be.
#[derive(Debug)]
pub(super) struct CompleteRecording {
    pub recording: i64,
    adk_id: Str,
    app_name: Str,
    user_id: Str,
    last_update_time: f64,
    other: Object,
    pub listing: Listing,
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

pub(super) fn write_session(
    transaction: &Transaction<'_>,
    id: &SessionId,
    source: i64,
    imported_at_ms: i64,
    closed: &CompleteRecording,
) -> Result<(), StoreError> {
    let masking = Masking::of(transaction)?;
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
        masking.stored(&closed.listing.title),
        closed.listing.format,
        masking.stored(&json::to_compact(&closed.listing.summary)),
        masking.stored(&json::object_to_compact(&closed.other)),
        closed.last_update_time,
        imported_at_ms,
    ])?;
    Ok(())
}
