//! Agents that run.

use crate::Strata;
use crate::api::run::{Get, List, RunList, RunStatus, Send, Start, Stop};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;

impl Handler for Start {
    fn run(self, strata: &Strata) -> Result<RunStatus, AppError> {
        strata.runs.start(self)
    }
}

impl Handler for Send {
    fn run(self, strata: &Strata) -> Result<JobStarted, AppError> {
        Ok(JobStarted { job: strata.runs.send(&self.run, &self.message, &self.answers)? })
    }
}

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<RunStatus, AppError> {
        strata.runs.status(&self.run)
    }
}

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<RunList, AppError> {
        Ok(RunList { runs: strata.runs.all()? })
    }
}

impl Handler for Stop {
    fn run(self, strata: &Strata) -> Result<RunStatus, AppError> {
        strata.runs.stop(&self.run)
    }
}
