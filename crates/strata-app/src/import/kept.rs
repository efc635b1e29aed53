//! Where the sessions of a followed file are stored, so that nothing that was recorded goes.
//!
//! A file may be begun anew: emptied, rotated, written over with another conversation. What it held before then stays
//! under its location, and what it holds now is stored beside it, under `<location> (2)` and so on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use strata_model::{Event, Fingerprint, FingerprintBuilder, FromJson as _, Session};
use strata_store::{SessionEntry, SessionId, Store, StoreError};

use super::read::ReadFile;

/// What becomes of a recording that its file no longer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrphanPolicy {
    /// What the file holds now takes its place.
    Replaced,
    /// It stays, and what the file holds now is stored beside it.
    Kept,
    /// Nothing is stored: the file may be about to hold it again.
    Awaited,
}

/// Where sessions are stored.
#[derive(Debug)]
pub(super) struct Place {
    pub location: String,
    /// What is there now would be lost in any other place.
    pub is_beside: bool,
    /// Sessions that the file held when it was last read, and with which it does not go on.
    pub after: Vec<SessionId>,
}

/// The place for what a file at `location` holds now. What it goes on with is replaced; so is what it does not go on
/// with, where that is wanted.
pub(super) fn place_of(
    store: &Store,
    location: &str,
    file: &ReadFile,
    gone: OrphanPolicy,
) -> Result<Place, StoreError> {
    let n = newest(store, location)?;
    let mut place = Place { location: numbered(location, n), is_beside: false, after: Vec::new() };
    let Some(known) = store.source(&place.location)? else { return Ok(place) };
    if gone == OrphanPolicy::Replaced || known.is_unchanged(file.content) {
        return Ok(place);
    }
    for id in store.source_sessions(&place.location)? {
        let Some(entry) = store.session_entry(&id)? else { continue };
        let now = file.import.sessions.iter().map(|imported| &imported.session);
        let mut now = now.filter(|session| is_called(session, &entry)).peekable();
        if now.peek().is_none() {
            // It is not replaced. Whether it was in the file last time is told by the time of that import.
            if entry.imported_at_ms == known.imported_at_ms {
                place.after.push(id);
            }
        } else if let Some(before) = store.read_session(&id)?
            && !now.any(|session| goes_on(&before, session))
        {
            place.after.push(id);
            place.is_beside = true;
        }
    }
    if place.is_beside {
        place.location = numbered(location, n + 1);
    }
    Ok(place)
}

/// The number of the place at which a file was stored last.
fn newest(store: &Store, location: &str) -> Result<usize, StoreError> {
    let mut n = 1;
    while store.source(&numbered(location, n + 1))?.is_some() {
        n += 1;
    }
    Ok(n)
}

fn numbered(location: &str, n: usize) -> String {
    if n == 1 { location.to_owned() } else { format!("{location} ({n})") }
}

/// The sessions of what a file held last, of all that was read from it.
pub(crate) fn newest_sessions(store: &Store, path: &Path) -> Result<Vec<SessionId>, StoreError> {
    let location = path.display().to_string();
    store.source_sessions(&numbered(&location, newest(store, &location)?))
}

/// The paths a stored location may be of; whether something is there is not asked.
pub(crate) fn paths_of(location: &str) -> Vec<PathBuf> {
    let first = location.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let first = first.filter(|(_, n)| n.parse::<usize>().is_ok()).map(|(first, _)| first);
    let paths = [Some(location), first].into_iter().flatten().map(PathBuf::from);
    paths.filter(|path| path.is_absolute()).collect()
}

fn is_called(session: &Session, entry: &SessionEntry) -> bool {
    *session.id == *entry.adk_id && *session.app_name == *entry.app_name && *session.user_id == *entry.user_id
}

/// Whether everything of `before` is in `now`. Only what its last turn led to, which was still being written, may be
/// another.
fn goes_on(before: &Session, now: &Session) -> bool {
    if now.events.len() < before.events.len() {
        return false;
    }
    let mut there: HashMap<Fingerprint, usize> = HashMap::new();
    for event in &now.events {
        *there.entry(said(event)).or_default() += 1;
    }
    let last_turn = last_turn(before);
    before.events.iter().enumerate().all(|(at, event)| {
        let n_there = there.get_mut(&said(event)).filter(|n_there| **n_there > 0);
        n_there.map(|n_there| *n_there -= 1).is_some() || (at > 0 && last_turn(at, event))
    })
}

/// Tells the events of the last turn, by their place and themselves.
fn last_turn(session: &Session) -> impl Fn(usize, &Event) -> bool + '_ {
    let invocation = session.events.last().map(|event| &event.invocation_id).filter(|id| !id.is_empty());
    let asks = |event: &Event| event.is_from_user() && event.function_responses().next().is_none();
    let from = session.events.iter().rposition(|event| asks(event)).unwrap_or(0);
    move |at, event| invocation.map_or(at >= from, |invocation| event.invocation_id == *invocation)
}

/// Who said what, and what it did.
fn said(event: &Event) -> Fingerprint {
    let mut said = FingerprintBuilder::new();
    let content = event.content.as_ref().map(|content| content.to_json());
    said.text(&event.author).json(&content.unwrap_or_default()).json(&event.actions.to_json());
    said.finish()
}
