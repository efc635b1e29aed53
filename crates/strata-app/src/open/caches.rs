//! What is known of an open session's caches, kept while people look at it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use strata_measure::analysis::{CacheAnalysis, CacheFix, CallRates};

#[derive(Default)]
pub(super) struct Caches {
    /// The caches of those calls that were compiled when somebody asked.
    pub latest: Mutex<Option<Arc<CacheAnalysis>>>,
    /// What a token costs in the calls of some caches.
    pub rates: Mutex<Option<(Arc<CacheAnalysis>, Arc<CallRates>)>>,
    pub fixes: OnceLock<Vec<CacheFix>>,
}

impl Caches {
    /// To go on from in a session that has grown. Who still asks about the session as it was has them made anew.
    pub(super) fn handed_on(&self) -> Self {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        Self { latest: Mutex::new(latest), ..Self::default() }
    }
}
