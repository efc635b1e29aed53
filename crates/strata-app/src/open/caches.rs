//! What is known of an open session's caches, kept while people look at it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use strata_engine::Experiment;
use strata_measure::analysis::{CacheAnalysis, CacheFix, SessionAnalysis};

use super::Tables;

#[derive(Default)]
pub(crate) struct Caches {
    /// The caches of so many calls as were compiled when somebody asked.
    latest: Mutex<Option<Arc<CacheAnalysis>>>,
    fixes: OnceLock<Vec<CacheFix>>,
}

impl Caches {
    /// The caches of the calls that are compiled by now.
    pub(crate) fn get(
        &self,
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        tables: &Tables,
    ) -> Arc<CacheAnalysis> {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = latest.as_ref().filter(|known| known.calls.len() == analysis.calls().len()) {
            return known.clone();
        }
        let made = CacheAnalysis::new(experiment, analysis, analysis.rules(), &tables.prices);
        latest.insert(Arc::new(made)).clone()
    }

    /// What would help. `None` while calls are being compiled: a fix is worth what it saves over all of them.
    pub(crate) fn fixes(
        &self,
        experiment: &Experiment,
        analysis: &SessionAnalysis,
        tables: &Tables,
    ) -> Option<&[CacheFix]> {
        if analysis.calls().len() < experiment.calls().len() {
            return None;
        }
        Some(self.fixes.get_or_init(|| {
            let caches = self.get(experiment, analysis, tables);
            caches.fixes(experiment, analysis, &tables.counting, analysis.rules(), &tables.prices)
        }))
    }
}
