//! What is known of an open session's caches, kept while people look at it.

use std::sync::{Arc, Mutex, OnceLock};

use strata_measure::analysis::{CacheAnalysis, CacheFix};

#[derive(Default)]
pub(super) struct Caches {
    /// The caches of so many calls as were compiled when somebody asked.
    pub latest: Mutex<Option<Arc<CacheAnalysis>>>,
    pub fixes: OnceLock<Vec<CacheFix>>,
}
