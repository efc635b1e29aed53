//! What is the same for all sessions.

use std::sync::Arc;

use strata_engine::{Catalog, Edit, Edited, Experiment};
use strata_measure::analysis::Counting;
use strata_measure::prices::Prices;
use strata_measure::tokens::LearnedRatios;
use strata_store::{Store, StoreError};

use crate::learned_counts::learned_counts;

/// What weighs and prices prompts, and what edits can insert.
pub(crate) struct Tables {
    pub counting: Arc<Counting>,
    pub prices: Prices,
    /// Scripts included.
    pub catalog: Catalog,
}

impl Default for Tables {
    fn default() -> Self {
        Self::counting_by(LearnedRatios::default())
    }
}

impl Tables {
    /// With what the sessions of a store told of how providers count.
    pub(crate) fn of_store(store: &Store) -> Result<Self, StoreError> {
        Ok(Self::counting_by(learned_counts(store)?))
    }

    fn counting_by(learned: LearnedRatios) -> Self {
        let scripts = strata_script::QuickJs::new(strata_script::Limits::DEFAULT);
        Self {
            counting: Arc::new(Counting { learned: Arc::new(learned), ..Counting::default() }),
            prices: Prices::embedded(),
            catalog: Catalog::with_scripts(Arc::new(scripts)),
        }
    }

    /// A session with edits laid over it.
    pub(crate) fn edited(&self, base: &Experiment, edits: &[Edit]) -> Edited {
        strata_measure::edited(base, edits, &self.catalog, &self.counting)
    }
}
