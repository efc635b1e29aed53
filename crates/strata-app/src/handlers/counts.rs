//! How providers count, learned from all stored sessions.

use std::sync::Arc;

use strata_measure::analysis::model_growths;
use strata_measure::tokens::LearnedRatios;

use crate::Strata;
use crate::api::counts::{Forget, Learn, Learned, LearnedCounts};
use crate::api::job::JobState;
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::jobs::{JobOutcome, RunningJob};
use crate::learned_counts::{keep_learned_counts, learned_counts, learned_models, ratios_of};
use crate::open::{OpenSession, Recording};
use crate::tables::Tables;
use crate::watch::Watch as _;
use crate::workspace::Workspace;

impl Handler for Learned {
    fn run(self, strata: &Strata) -> Result<LearnedCounts, AppError> {
        known(strata)
    }
}

impl Handler for Forget {
    fn run(self, strata: &Strata) -> Result<LearnedCounts, AppError> {
        keep_learned_counts(&mut strata.workspace.store(), &LearnedRatios::default())?;
        known(strata)
    }
}

impl Handler for Learn {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        let workspace = strata.workspace.clone();
        let job = strata.jobs.start("Learning how providers count".to_owned(), "sessions", move |job| {
            learn(&workspace, job).unwrap_or_else(|error| JobOutcome::saying(JobState::Failed, error.message))
        });
        Ok(JobStarted { job })
    }
}

fn known(strata: &Strata) -> Result<LearnedCounts, AppError> {
    let models = learned_models(&learned_counts(&strata.workspace.store())?);
    let is_in_use = models == learned_models(&strata.tables.counting.learned);
    Ok(LearnedCounts { models, is_in_use })
}

fn learn(workspace: &Arc<Workspace>, job: &RunningJob) -> Result<JobOutcome, AppError> {
    let entries = workspace.store().sessions("", 0..u32::MAX)?.entries;
    // Nothing that was learned before goes into it.
    let tables = Tables::default();
    let mut growths = Vec::new();
    let mut n_failed = 0;
    for (at, entry) in entries.iter().enumerate() {
        job.progress(at as u64, entries.len() as u64);
        if job.is_cancelled() {
            let kept = "Stopped. What was learned before is kept.".to_owned();
            return Ok(JobOutcome::saying(JobState::Cancelled, kept));
        }
        let recording = Recording::read(&workspace.store(), entry.id.clone(), None);
        match recording {
            Ok(recording) => {
                let open = OpenSession::of_recording(recording, None);
                growths.push(model_growths(&open.experiment, &tables.counting));
            }
            Err(_) => n_failed += 1,
        }
    }
    let learned = ratios_of(&growths);
    keep_learned_counts(&mut workspace.store(), &learned)?;
    let sessions = crate::counted(growths.len(), "session");
    let failed = match n_failed {
        0 => String::new(),
        n => format!(" {} could not be read.", crate::counted(n, "other")),
    };
    let outcome = match learned.kinds().count() {
        0 => format!(
            "Nothing is learned from {sessions}: it takes two whose providers report usage, with a model whose \
             vocabulary is not carried along.{failed}"
        ),
        1 => format!("Learned from {sessions} how one kind of model counts.{failed}"),
        n => format!("Learned from {sessions} how {n} kinds of models count.{failed}"),
    };
    Ok(JobOutcome::saying(JobState::Done, outcome))
}
