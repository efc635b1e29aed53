//! Fixes that are tried in the background, once somebody asks for them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use strata_measure::fixes::{self, Fix};

use super::{OpenSession, lock};
use crate::Strata;
use crate::api::job::Notification;

/// What was tried so far, the most saving first.
#[derive(Default)]
pub(super) struct TriedFixes {
    is_begun: AtomicBool,
    is_complete: AtomicBool,
    tried: Mutex<Vec<Arc<Fix>>>,
}

impl OpenSession {
    /// Fixes that help, as far as they were tried, and whether all were. The first to ask sets it going.
    pub(crate) fn fixes(self: &Arc<Self>, strata: &Arc<Strata>) -> (Vec<Arc<Fix>>, bool) {
        if !self.fixes.is_begun.swap(true, Ordering::Relaxed) {
            let (open, strata) = (self.clone(), strata.clone());
            std::thread::spawn(move || {
                open.try_fixes(&strata);
                open.fixes.is_complete.store(true, Ordering::Release);
                strata.notify(&Notification::Findings { session: open.key.clone() });
            });
        }
        let is_complete = self.fixes.is_complete.load(Ordering::Acquire);
        (lock(&self.fixes.tried).clone(), is_complete)
    }

    fn try_fixes(&self, strata: &Strata) {
        let n_calls = self.experiment.calls().len() as u32;
        // Without a compile of all calls there is nothing to compare with.
        let tables = strata.tables();
        let Ok(baseline) = self.baseline(n_calls.max(1)) else { return };
        let Ok(caches) = baseline.caches(tables) else { return };
        for candidate in fixes::candidates(baseline.experiment(), &baseline) {
            if self.is_closed.load(Ordering::Relaxed) {
                return;
            }
            let with = (&*tables.counting, &tables.prices, strata.catalog());
            let before = baseline.billed(&caches);
            if let Some(fix) = fixes::try_fix(candidate, baseline.experiment(), before, with) {
                let mut tried = lock(&self.fixes.tried);
                tried.push(Arc::new(fix));
                tried.sort_by_key(|fix| std::cmp::Reverse(fix.effect.saved_tokens()));
                drop(tried);
                strata.notify(&Notification::Findings { session: self.key.clone() });
            }
        }
    }
}
