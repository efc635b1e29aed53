//! What looks like a key in the store.

use std::sync::Arc;

use crate::Strata;
use crate::api::job::JobState;
use crate::api::secret::{Keep, KeptSecrets, Look, Mask, SecretState, State};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::jobs::{JobOutcome, RunningJob};
use crate::kept_secrets::{kinds_in_words, look_through};
use crate::workspace::Workspace;

impl Handler for State {
    fn run(self, strata: &Strata) -> Result<SecretState, AppError> {
        state(&strata.workspace)
    }
}

impl Handler for Keep {
    fn run(self, strata: &Strata) -> Result<SecretState, AppError> {
        strata.workspace.store().set_masks_secrets(false)?;
        state(&strata.workspace)
    }
}

impl Handler for Look {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        Ok(start(strata, "Looking for what looks like a key", false))
    }
}

impl Handler for Mask {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        Ok(start(strata, "Masking what looks like a key", true))
    }
}

fn state(workspace: &Workspace) -> Result<SecretState, AppError> {
    Ok(SecretState { masks: workspace.store().masks_secrets()?, found: workspace.found_secrets() })
}

fn start(strata: &Strata, title: &str, masks: bool) -> JobStarted {
    let workspace = strata.workspace.clone();
    let job = strata.jobs.start(title.to_owned(), "sessions", move |job| {
        work(&workspace, masks, job)
            .unwrap_or_else(|error| JobOutcome::saying(JobState::Failed, error.message))
    });
    JobStarted { job }
}

fn work(workspace: &Arc<Workspace>, masks: bool, job: &RunningJob) -> Result<JobOutcome, AppError> {
    let found = workspace.with_long_store(|store| look_through(store, masks, job))?;
    let Some(found) = found else {
        let kept = if masks { "Stopped. What was masked until then stays masked." } else { "Stopped." };
        return Ok(JobOutcome::saying(JobState::Cancelled, kept.to_owned()));
    };
    let outcome = outcome(&found, masks);
    workspace.set_found_secrets(found);
    Ok(JobOutcome::saying(JobState::Done, outcome))
}

fn outcome(found: &KeptSecrets, masks: bool) -> String {
    if found.values == 0 {
        return "Nothing that is stored looks like a key.".to_owned();
    }
    let sessions = crate::counted(found.sessions.len(), "session");
    let kinds = kinds_in_words(&found.kinds);
    if masks { format!("Masked in {sessions}: {kinds}.") } else { format!("Stored in {sessions}: {kinds}.") }
}
