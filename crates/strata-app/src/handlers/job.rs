//! Long work.

use crate::Strata;
use crate::api::job::{Cancel, Dismiss, JobList, List};
use crate::command::Handler;
use crate::error::AppError;

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<JobList, AppError> {
        Ok(JobList { jobs: strata.jobs.all() })
    }
}

impl Handler for Cancel {
    fn run(self, strata: &Strata) -> Result<JobList, AppError> {
        if !strata.jobs.cancel(&self.job) {
            return Err(AppError::not_found("This job is no longer on the list."));
        }
        List {}.run(strata)
    }
}

impl Handler for Dismiss {
    fn run(self, strata: &Strata) -> Result<JobList, AppError> {
        strata.jobs.dismiss(&self.job);
        List {}.run(strata)
    }
}
