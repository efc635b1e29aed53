//! Nobody watches.

use strata_app::report::Watch;
use tokio_util::sync::CancellationToken;

pub(crate) struct Nobody(CancellationToken);

impl Nobody {
    pub(crate) fn new() -> Self {
        Self(CancellationToken::new())
    }
}

impl Watch for Nobody {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}
