//! What is the same for all sessions.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use strata_engine::{Catalog, Edit, Edited, Experiment};
use strata_measure::analysis::Counting;
use strata_measure::prices::Prices;
use strata_measure::tokens::LearnedRatios;
use strata_store::{Store, StoreError};

use crate::learned_counts::learned_counts;
use crate::own_prices::prices_of;

/// The tables in use. Others take their place when a person sets a price; who reads the older ones goes on with them.
pub(crate) struct Tables {
    first: TableSet,
    later: OnceLock<Box<Self>>,
}

/// What weighs and prices prompts, and what edits can insert.
pub(crate) struct TableSet {
    pub counting: Arc<Counting>,
    pub prices: Prices,
    /// Scripts included.
    pub catalog: Catalog,
}

impl Default for Tables {
    fn default() -> Self {
        TableSet::of(LearnedRatios::default(), Prices::embedded()).into()
    }
}

impl From<TableSet> for Tables {
    fn from(first: TableSet) -> Self {
        Self { first, later: OnceLock::new() }
    }
}

impl Deref for Tables {
    type Target = TableSet;

    fn deref(&self) -> &TableSet {
        &self.last().first
    }
}

impl Tables {
    /// With what the sessions of a store told of how providers count, and the prices that a person has set.
    pub(crate) fn of_store(store: &Store) -> Result<Self, StoreError> {
        Ok(TableSet::of_store(store)?.into())
    }

    /// Takes what a store says now. What was made of the tables before stays as it is.
    pub(crate) fn renew(&self, store: &Store) -> Result<(), StoreError> {
        let mut new = Box::new(Self::of_store(store)?);
        while let Err(refused) = self.last().later.set(new) {
            new = refused;
        }
        Ok(())
    }

    fn last(&self) -> &Self {
        let mut last = self;
        while let Some(later) = last.later.get() {
            last = later;
        }
        last
    }
}

impl TableSet {
    fn of_store(store: &Store) -> Result<Self, StoreError> {
        Ok(Self::of(learned_counts(store)?, prices_of(store)?))
    }

    fn of(learned: LearnedRatios, prices: Prices) -> Self {
        let scripts = strata_script::QuickJs::new(strata_script::Limits::DEFAULT);
        Self {
            counting: Arc::new(Counting { learned: Arc::new(learned), ..Counting::default() }),
            prices,
            catalog: Catalog::with_scripts(Arc::new(scripts)),
        }
    }

    /// A session with edits laid over it.
    pub(crate) fn edited(&self, base: &Experiment, edits: &[Edit]) -> Edited {
        strata_measure::edited(base, edits, &self.catalog, &self.counting)
    }
}
