//! Requests that another file recorded.

use std::path::Path;
use strata_model::Severity;
use tokio_util::sync::CancellationToken;

use crate::Strata;
use crate::api::job::Notification;
use crate::api::session::{AddRequests, RequestsAdded};
use crate::command::Handler;
use crate::error::AppError;
use crate::import::{Input, ReadError, join_to, read_file};
use crate::show::words;
use crate::watch::Watch;

/// Nobody watches: such files are read in a moment.
#[derive(Default)]
struct Unwatched(CancellationToken);

impl Watch for Unwatched {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}

impl Handler for AddRequests {
    fn run(self, strata: &Strata) -> Result<RequestsAdded, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let (path, location, is_ours) = match (self.path, self.upload) {
            (Some(path), _) => {
                let input = Input::of(path);
                (input.path.clone(), input.location(), false)
            }
            (None, Some(upload)) => {
                let path = strata.ingest.uploads.take(&upload);
                let path = path.ok_or_else(|| AppError::not_found("This upload was already used."))?;
                (path, self.name.unwrap_or(upload), true)
            }
            (None, None) => return Err(AppError::bad_input("No file was named.")),
        };
        let added = add(strata, &open.id, &path, &location);
        if is_ours {
            // A copy of ours; what is left of it goes when the app ends.
            let _ = std::fs::remove_file(path);
        }
        let added = added?;
        strata.sessions.close_with_experiments(&open.id);
        strata.notifications.tell(&Notification::Sessions);
        Ok(added)
    }
}

fn add(
    strata: &Strata,
    id: &strata_store::SessionId,
    path: &Path,
    location: &str,
) -> Result<RequestsAdded, AppError> {
    let file = read_file(path, &Unwatched::default()).map_err(|error| match error {
        ReadError::Unreadable { .. } | ReadError::Cancelled { .. } => AppError::unreadable(error.to_string()),
    })?;
    let sessions = &file.import.sessions;
    let n_requests: usize = sessions.iter().map(|session| session.requests.len()).sum();
    if n_requests == 0 {
        let error = file.import.diagnostics.iter().find(|found| found.severity == Severity::Error);
        let why = error.map_or("It records no requests.", |error| &error.message);
        return Err(AppError::bad_input(format!("Nothing of {location} was added: {why}")));
    }
    let joined = strata.workspace.with_long_store(|store| join_to(store, id, sessions, location))?;
    let joined = joined.ok_or_else(|| AppError::not_found("This session is no longer in the store."))?;
    let all = words::counted(n_requests, "request");
    if joined.n_found == 0 {
        return Err(AppError::bad_input(format!(
            "Nothing was added: none of the {all} in {location} was answered with an event of this session. Import the file to see it as a session of its own."
        )));
    }
    let mut message = format!("{} of {all} were sent in this session.", joined.n_found);
    if joined.n_left > 0 {
        message += " The others were answered with no event of it; import the file to see them.";
    }
    Ok(RequestsAdded { joined: joined.n_found as u32, left: joined.n_left as u32, message })
}
