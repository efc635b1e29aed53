//! Storing a file in the place of what was read of it before, beside that, or behind it.

use std::collections::HashMap;

use strata_store::{SessionEntry, SessionId, Store, StoreError};

use super::growing::StoredFile;
use super::kept::{OrphanPolicy, place_of};
use super::read::ReadFile;
use super::write::{WriteOutcome, append, write};
use crate::watch::Watch;

/// A session that an import wrote.
#[derive(Debug, Clone)]
pub(crate) struct WrittenSession {
    pub session: SessionId,
    /// How many events it had before; `None` for a new one.
    pub n_events_before: Option<u32>,
    /// It is what it was before.
    pub is_same: bool,
    /// Sessions of the same file that it does not go on with: the file was begun anew, and they are kept.
    pub after: Vec<SessionId>,
}

/// What came of storing a file.
pub(super) enum FileOutcome {
    Unchanged(Vec<SessionId>),
    /// Where, and its sessions in the order of the file.
    Written {
        location: String,
        written: Vec<WrittenSession>,
    },
    Unsettled,
    Cancelled,
}

/// Stores a file: what it has more than is `known` to be stored of it, or all of it.
pub(super) fn came_of(
    store: &mut Store,
    file: &ReadFile,
    location: &str,
    known: Option<&StoredFile>,
    gone: OrphanPolicy,
    now_ms: i64,
    watch: &dyn Watch,
) -> Result<FileOutcome, StoreError> {
    if let Some(known) = known {
        let before = entries(store, &known.location)?;
        if let Some(sessions) = append(store, file, known, now_ms)? {
            let written = written_of(store, file, sessions, &before, &[])?;
            return Ok(FileOutcome::Written { location: known.location.clone(), written });
        }
    }
    let place = place_of(store, location, file, gone)?;
    if store.source(&place.location)?.is_some_and(|known| known.is_unchanged(file.content)) {
        return Ok(FileOutcome::Unchanged(store.source_sessions(&place.location)?));
    }
    if gone == OrphanPolicy::Awaited && place.is_beside {
        return Ok(FileOutcome::Unsettled);
    }
    let before = entries(store, &place.location)?;
    let WriteOutcome::Sessions(sessions) = write(store, file, &place.location, now_ms, watch)? else {
        return Ok(FileOutcome::Cancelled);
    };
    let sessions = sessions.into_iter().map(|session| session.id).collect();
    let written = written_of(store, file, sessions, &before, &place.after)?;
    Ok(FileOutcome::Written { location: place.location, written })
}

/// What was written of a file, beside what was there `before`. A new session comes after those of `after`.
fn written_of(
    store: &Store,
    file: &ReadFile,
    sessions: Vec<SessionId>,
    before: &HashMap<SessionId, SessionEntry>,
    after: &[SessionId],
) -> Result<Vec<WrittenSession>, StoreError> {
    let mut written = Vec::with_capacity(sessions.len());
    for session in sessions {
        let before = before.get(&session);
        let now = store.session_entry(&session)?;
        // Requests are not in the entry.
        let is_same = file.import.sessions.iter().all(|imported| imported.requests.is_empty())
            && before.zip(now).is_some_and(|(before, now)| is_same(before, &now));
        written.push(WrittenSession {
            n_events_before: before.map(|entry| entry.n_events),
            after: if before.is_none() { after.to_vec() } else { Vec::new() },
            is_same,
            session,
        });
    }
    Ok(written)
}

/// The sessions of a source.
fn entries(store: &Store, location: &str) -> Result<HashMap<SessionId, SessionEntry>, StoreError> {
    let mut entries = HashMap::new();
    for id in store.source_sessions(location)? {
        entries.extend(store.session_entry(&id)?.map(|entry| (id, entry)));
    }
    Ok(entries)
}

fn is_same(before: &SessionEntry, now: &SessionEntry) -> bool {
    (before.n_events, before.content, &before.title, &before.summary)
        == (now.n_events, now.content, &now.title, &now.summary)
}
