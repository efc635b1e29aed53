//! Following the file of a session.

use std::path::PathBuf;
use std::sync::Arc;

use strata_store::{SessionEntry, SessionId};

use crate::Strata;
use crate::api::session::{Follow, FollowState};
use crate::command::Handler;
use crate::error::AppError;
use crate::import::path_of;
use crate::sample;

impl Handler for Follow {
    fn run(self, strata: &Arc<Strata>) -> Result<FollowState, AppError> {
        let open = strata.session(&self.session)?;
        match (followed_path(&open.entry), self.is_on) {
            (Ok(path), true) => strata.follow(path),
            (Ok(path), false) => strata.follows().stop(&path),
            (Err(why), true) => return Err(AppError::bad_input(why)),
            (Err(_), false) => {}
        }
        Ok(state(strata, &open.entry))
    }
}

/// Whether the file of a session is followed, or can be.
pub(super) fn state(strata: &Strata, entry: &SessionEntry) -> FollowState {
    match followed_path(entry) {
        Ok(path) => FollowState {
            is_on: strata.follows().has(&path),
            problem: strata.follows().problem(&path),
            impossible: None,
        },
        Err(why) => FollowState { is_on: false, problem: None, impossible: Some(why) },
    }
}

/// Stops following the file of a session that is taken out of the store, unless others are of it.
pub(super) fn stop_for(strata: &Strata, entry: &SessionEntry) -> Result<(), AppError> {
    let Ok(path) = followed_path(entry) else { return Ok(()) };
    let others = strata.store().source_sessions(&entry.location)?;
    if others.iter().all(|other: &SessionId| *other == entry.id) {
        strata.follows().stop(&path);
    }
    Ok(())
}

/// What is watched for a session, or why nothing can be.
fn followed_path(entry: &SessionEntry) -> Result<PathBuf, String> {
    if entry.location == sample::LOCATION {
        return Err("The sample comes with Strata. It has no file that could grow.".to_owned());
    }
    match path_of(&entry.location) {
        Some(path) => Ok(path),
        None if entry.location.contains("!/") => {
            Err("This session came out of an archive. Unpack it, and open the file in it to follow that."
                .to_owned())
        }
        None => Err(format!(
            "{} is not a file on this computer, or no longer. Open it by its path to follow it.",
            entry.location
        )),
    }
}
