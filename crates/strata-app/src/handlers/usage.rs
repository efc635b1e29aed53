//! What agents on this computer used.

use tokio_util::sync::CancellationToken;

use crate::Strata;
use crate::api::usage::{Get, Usage};
use crate::command::Handler;
use crate::error::AppError;
use crate::usage::{UsageQuestion, usage};
use crate::watch::Watch;

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<Usage, AppError> {
        let Self { paths, by, since, until, timezone } = self;
        let paths = paths.into_iter().map(Into::into).collect();
        let question = UsageQuestion { paths, by, since, until, timezone };
        usage(&question, &strata.tables.prices, &Unwatched(CancellationToken::new()))
    }
}

/// A command is waited for.
struct Unwatched(CancellationToken);

impl Watch for Unwatched {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}
