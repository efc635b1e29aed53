//! What an open session is asked about all of its calls: their caches, and what would help.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use strata_measure::analysis::{BilledCalls, CacheAnalysis, CacheFix, CallRates, SessionAnalysis};
use strata_measure::fixes::{self, Fix};
use strata_measure::prices::Prices;

use super::session::{Baseline, OpenSession};
use crate::error::AppError;
use crate::tables::Tables;

impl OpenSession {
    /// What the calls that are compiled by now come to: the one source of their tokens, caches and prices.
    pub(crate) fn caches(
        &self,
        analysis: &SessionAnalysis,
        tables: &Tables,
    ) -> Result<Arc<CacheAnalysis>, AppError> {
        let mut latest = self.caches.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = latest.as_ref().filter(|known| known.is_of(analysis)) {
            return Ok(known.clone());
        }
        let (rules, prices) = (analysis.rules(), &tables.prices);
        let made = match &self.edits {
            None => {
                let known = latest.take().map(Arc::unwrap_or_clone).unwrap_or_default();
                known.grown(&self.experiment, analysis, rules, prices)
            }
            Some(edits) => {
                // It is compiled at least as far: see `compile_in_background`.
                let base = edits.base.baseline(analysis.calls().len() as u32)?;
                let caches = base.caches(tables)?;
                CacheAnalysis::of_edited(&self.experiment, analysis, base.billed(&caches), rules, prices)
            }
        };
        Ok(latest.insert(Arc::new(made)).clone())
    }

    /// What a token costs in each of the calls that these caches are of.
    pub(crate) fn rates(
        &self,
        analysis: &SessionAnalysis,
        caches: &Arc<CacheAnalysis>,
        prices: &Prices,
    ) -> Arc<CallRates> {
        let mut known = self.caches.rates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, rates)) = known.as_ref()
            && Arc::ptr_eq(of, caches)
        {
            return rates.clone();
        }
        let rates = Arc::new(BilledCalls { analysis, caches }.rates(prices));
        known.insert((caches.clone(), rates)).1.clone()
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

impl OpenSession {
    /// Whether nobody tries fixes yet: who hears so is to do it.
    pub(crate) fn begins_fixes(&self) -> bool {
        !self.fixes.is_begun.swap(true, Ordering::Relaxed)
    }

    /// Fixes that help, as far as they were tried, and whether all were.
    pub(crate) fn fixes(&self) -> (Vec<Arc<Fix>>, bool) {
        let is_complete = self.fixes.is_complete.load(Ordering::Acquire);
        (self.fixes.tried.lock().unwrap_or_else(PoisonError::into_inner).clone(), is_complete)
    }

    /// Tries what could help, and tells of each fix that does, and of the end.
    pub(crate) fn try_fixes(&self, tables: &Tables, tell: &dyn Fn()) {
        self.try_candidates(tables, tell);
        self.fixes.is_complete.store(true, Ordering::Release);
        tell();
    }

    fn try_candidates(&self, tables: &Tables, tell: &dyn Fn()) {
        let n_calls = self.experiment.calls().len() as u32;
        // Without a compile of all calls there is nothing to compare with.
        let Ok(baseline) = self.baseline(n_calls.max(1)) else { return };
        let Ok(caches) = baseline.caches(tables) else { return };
        for candidate in fixes::candidates(baseline.experiment(), &baseline) {
            if self.is_closed() {
                return;
            }
            let with = (&*tables.counting, &tables.prices, &tables.catalog);
            let before = baseline.billed(&caches);
            if let Some(fix) = fixes::try_fix(candidate, baseline.experiment(), before, with) {
                let mut tried = self.fixes.tried.lock().unwrap_or_else(PoisonError::into_inner);
                tried.push(Arc::new(fix));
                tried.sort_by_key(|fix| std::cmp::Reverse(fix.effect.saved_tokens()));
                drop(tried);
                tell();
            }
        }
    }
}
