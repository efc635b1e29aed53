//! Counts of tokens beside those of another implementation.

use strata_measure::tokens::Verification;

use crate::api::verification::{self as api, Verify};
use crate::command::Handler;
use crate::error::AppError;
use crate::{Strata, show};

impl Handler for Verify {
    fn run(self, strata: &Strata) -> Result<api::Verification, AppError> {
        let open = strata.sessions.get(&self.session)?;
        open.call(self.call)?;
        let analysis = open.analysis_of(self.call)?;
        let lost = || AppError::internal("A call got lost.");
        let call = analysis.call(self.call).ok_or_else(lost)?;
        let counting = &strata.tables.counting;
        let weigher = analysis.scale(&open.experiment, counting, &call.model).ok_or_else(lost)?.weigher();
        let tokenizer = analysis.tokenizer(&call.model).ok_or_else(lost)?;
        let mut verification = Verification::new(tokenizer.vocabulary());
        if verification.has_referee {
            verification.add(&weigher, call.number, &call.request);
        }
        Ok(show::verification(&verification, tokenizer))
    }
}
