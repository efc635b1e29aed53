//! What is known of an open session's caches, kept while people look at it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use strata_measure::analysis::{CacheAnalysis, CacheFix, SessionAnalysis};

use super::{Baseline, OpenSession};
use crate::error::AppError;
use crate::tables::Tables;

#[derive(Default)]
pub(super) struct Caches {
    /// The caches of so many calls as were compiled when somebody asked.
    latest: Mutex<Option<Arc<CacheAnalysis>>>,
    fixes: OnceLock<Vec<CacheFix>>,
}

impl OpenSession {
    /// What the calls that are compiled by now come to: the one source of their tokens, caches and prices.
    pub(crate) fn caches(
        &self,
        analysis: &SessionAnalysis,
        tables: &Tables,
    ) -> Result<Arc<CacheAnalysis>, AppError> {
        let mut latest = self.caches.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = latest.as_ref().filter(|known| known.calls.len() == analysis.calls().len()) {
            return Ok(known.clone());
        }
        let (rules, prices) = (analysis.rules(), &tables.prices);
        let made = match &self.edits {
            None => CacheAnalysis::new(&self.experiment, analysis, rules, prices),
            Some(edits) => {
                // It is compiled at least as far: see `compile_in_background`.
                let base = edits.base.baseline(analysis.calls().len() as u32)?;
                let caches = base.caches(tables)?;
                CacheAnalysis::of_edited(&self.experiment, analysis, base.billed(&caches), rules, prices)
            }
        };
        Ok(latest.insert(Arc::new(made)).clone())
    }

    /// What would keep more of the prompts in the cache. `None` while calls are being compiled: a fix is worth what it
    /// saves over all of them.
    pub(crate) fn cache_fixes(
        &self,
        analysis: &SessionAnalysis,
        tables: &Tables,
    ) -> Result<Option<&[CacheFix]>, AppError> {
        if analysis.calls().len() < self.experiment.calls().len() {
            return Ok(None);
        }
        let caches = self.caches(analysis, tables)?;
        Ok(Some(self.caches.fixes.get_or_init(|| {
            let (rules, prices) = (analysis.rules(), &tables.prices);
            caches.fixes(&self.experiment, analysis, &tables.counting, rules, prices)
        })))
    }
}

impl Baseline<'_> {
    /// What its calls come to.
    pub(crate) fn caches(&self, tables: &Tables) -> Result<Arc<CacheAnalysis>, AppError> {
        self.open.caches(&self.analysis, tables)
    }
}
