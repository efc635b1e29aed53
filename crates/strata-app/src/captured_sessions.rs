//! The sessions that a log of the gateway gave.

use std::path::Path;

use strata_measure::prices::Prices;
use strata_store::{Store, StoreError};

use crate::api::session::SessionRow;
use crate::capture_folder::telemetry_of;
use crate::import::newest_sessions;
use crate::workspace::session_row;

/// As far as it was read: those of its requests, then those of telemetry.
pub(crate) fn captured_sessions(
    store: &Store,
    log: &Path,
    prices: &Prices,
) -> Result<Vec<SessionRow>, StoreError> {
    let mut sessions = Vec::new();
    for file in [log.to_owned(), telemetry_of(log)] {
        for id in newest_sessions(store, &file)? {
            sessions.extend(store.session_entry(&id)?.map(|entry| session_row(&entry, prices)));
        }
    }
    Ok(sessions)
}
