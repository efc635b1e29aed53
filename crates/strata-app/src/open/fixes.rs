//! Fixes that are tried in the background, once somebody asks for them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use strata_measure::fixes::{self, Fix};

use super::{OpenSession, lock};
use crate::tables::Tables;

/// What was tried so far, the most saving first.
#[derive(Default)]
pub(super) struct TriedFixes {
    is_begun: AtomicBool,
    is_complete: AtomicBool,
    tried: Mutex<Vec<Arc<Fix>>>,
}

impl OpenSession {
    /// Whether nobody tries fixes yet: who hears so is to do it.
    pub(crate) fn begins_fixes(&self) -> bool {
        !self.fixes.is_begun.swap(true, Ordering::Relaxed)
    }

    /// Fixes that help, as far as they were tried, and whether all were.
    pub(crate) fn fixes(&self) -> (Vec<Arc<Fix>>, bool) {
        let is_complete = self.fixes.is_complete.load(Ordering::Acquire);
        (lock(&self.fixes.tried).clone(), is_complete)
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
                let mut tried = lock(&self.fixes.tried);
                tried.push(Arc::new(fix));
                tried.sort_by_key(|fix| std::cmp::Reverse(fix.effect.saved_tokens()));
                drop(tried);
                tell();
            }
        }
    }
}
