//! Following the file of a session.

use std::path::PathBuf;
use strata_store::SessionEntry;

use crate::Strata;
use crate::api::session::{Follow, FollowState};
use crate::command::Handler;
use crate::error::AppError;
use crate::import::{newest_sessions, paths_of};
use crate::sample;

impl Handler for Follow {
    fn run(self, strata: &Strata) -> Result<FollowState, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let followed = followed(strata, &open.entry);
        match (followed, self.is_on) {
            (Some(path), false) => strata.ingest.follows.stop(&path),
            (None, true) => {
                strata.ingest.follows.start(followable(&open.entry).map_err(AppError::bad_input)?);
            }
            _ => {}
        }
        Ok(state(strata, &open.entry))
    }
}

/// Whether the file of a session is followed, or can be. One that is followed may be away for a while.
pub(super) fn state(strata: &Strata, entry: &SessionEntry) -> FollowState {
    if let Some(path) = followed(strata, entry) {
        return FollowState { is_on: true, problem: strata.ingest.follows.problem(&path), impossible: None };
    }
    FollowState { is_on: false, problem: None, impossible: followable(entry).err() }
}

/// Stops following the file of a session that is taken out of the store: it would be imported again. What its file held
/// before it was begun anew may go.
pub(super) fn stop_for(strata: &Strata, entry: &SessionEntry) -> Result<(), AppError> {
    if let Some(path) = followed(strata, entry)
        && newest_sessions(&strata.workspace.store(), &path)?.contains(&entry.id)
    {
        strata.ingest.follows.stop(&path);
    }
    Ok(())
}

fn followed(strata: &Strata, entry: &SessionEntry) -> Option<PathBuf> {
    paths_of(&entry.location).into_iter().find(|path| strata.ingest.follows.has(path))
}

/// What can be watched for a session, or why nothing can.
fn followable(entry: &SessionEntry) -> Result<PathBuf, String> {
    if entry.location == sample::LOCATION {
        return Err("The sample comes with Strata. It has no file that could grow.".to_owned());
    }
    paths_of(&entry.location).into_iter().find(|path| path.exists()).ok_or_else(|| {
        if entry.location.contains("!/") {
            "This session came out of an archive. Unpack it, and open the file in it to follow that."
                .to_owned()
        } else {
            let location = &entry.location;
            format!(
                "{location} is not a file on this computer, or no longer. Open it by its path to follow it."
            )
        }
    })
}
