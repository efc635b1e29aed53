//! Agents that run.

use std::path::Path;

use crate::Strata;
use crate::api::run::{
    Agree, Conversation, Deeds, Edit, Get, List, Release, RunConversation, RunDeeds, RunList, RunStatus,
    Send, SetHolds, Start, Stop,
};
use crate::api::session::JobStarted;
use crate::command::Handler;
use crate::error::AppError;
use crate::run::HoldDecision;

impl Handler for Deeds {
    fn run(self, strata: &Strata) -> Result<RunDeeds, AppError> {
        strata.runs.deeds(Path::new(&self.app))
    }
}

impl Handler for Agree {
    fn run(self, strata: &Strata) -> Result<RunDeeds, AppError> {
        strata.runs.agree(Path::new(&self.app), &self.mark)
    }
}

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
        Ok(RunList { runs: strata.runs.all() })
    }
}

impl Handler for Stop {
    fn run(self, strata: &Strata) -> Result<RunStatus, AppError> {
        strata.runs.stop(&self.run)
    }
}

impl Handler for Conversation {
    fn run(self, strata: &Strata) -> Result<RunConversation, AppError> {
        strata.runs.conversation(&self.run)
    }
}

impl Handler for SetHolds {
    fn run(self, strata: &Strata) -> Result<RunStatus, AppError> {
        strata.runs.set_holds(&self.run, &self.holds)
    }
}

impl Handler for Edit {
    fn run(self, strata: &Strata) -> Result<RunStatus, AppError> {
        let edits = self.edits.into_iter().map(Into::into).collect();
        strata.runs.decide(&self.run, HoldDecision::Edit(edits))
    }
}

impl Handler for Release {
    fn run(self, strata: &Strata) -> Result<RunStatus, AppError> {
        strata.runs.decide(&self.run, self.decision.into())
    }
}
