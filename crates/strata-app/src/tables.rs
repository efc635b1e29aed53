//! What is the same for all sessions.

use std::sync::Arc;

use strata_engine::{Catalog, Edit, Edited, Experiment};
use strata_measure::analysis::Counting;
use strata_measure::prices::Prices;

/// What weighs and prices prompts, and what edits can insert.
pub(crate) struct Tables {
    pub counting: Arc<Counting>,
    pub prices: Prices,
    /// Scripts included.
    pub catalog: Catalog,
}

impl Default for Tables {
    fn default() -> Self {
        let scripts = strata_script::QuickJs::new(strata_script::Limits::DEFAULT);
        Self {
            counting: Arc::default(),
            prices: Prices::embedded(),
            catalog: Catalog::with_scripts(Arc::new(scripts)),
        }
    }
}

impl Tables {
    /// A session with edits laid over it.
    pub(crate) fn edited(&self, base: &Experiment, edits: &[Edit]) -> Edited {
        strata_measure::edited(base, edits, &self.catalog, &self.counting)
    }
}
