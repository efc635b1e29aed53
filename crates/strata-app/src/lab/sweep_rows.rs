//! The rows of a sweep as they come.

use std::sync::{Mutex, MutexGuard, PoisonError};

use strata_engine::turn::compaction::Policy;
use strata_measure::lab::{Baselines, Flag, Sweep, SweepRow};

use super::shapes::{bill_shape, size_basis};
use crate::api::lab::{LabFamily, LabRow, LabSweep};

/// A sweep that goes on, or has ended; one writes it, anybody reads it.
pub(crate) struct SweepRows {
    grid: String,
    total: u32,
    so_far: Mutex<Option<LabSweep>>,
}

impl SweepRows {
    /// Of a grid with so many configurations.
    pub(crate) fn new(grid: &str, n_configs: usize) -> Self {
        Self { grid: grid.to_owned(), total: n_configs as u32, so_far: Mutex::default() }
    }

    /// Configurations of the grid.
    pub(crate) fn total(&self) -> u32 {
        self.total
    }

    fn lock(&self) -> MutexGuard<'_, Option<LabSweep>> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self, baselines: &Baselines) {
        let Baselines { recorded, unchanged, size, assumptions, .. } = baselines;
        *self.lock() = Some(LabSweep {
            grid: self.grid.clone(),
            total: self.total,
            is_ended: false,
            unchanged: bill_shape(&unchanged.bill),
            recorded: bill_shape(recorded),
            unchanged_tokens: unchanged.prompt_tokens.clone(),
            rows: Vec::new(),
            front: Vec::new(),
            recommended: None,
            reason: String::new(),
            size_basis: size_basis(size.basis, size.n_fitted),
            read_tokens_per_s: assumptions.read_per_s,
            cached_tokens_per_s: assumptions.cached_per_s,
            written_tokens_per_s: assumptions.written_per_s,
        });
    }

    /// Takes a row. Returns how many there are.
    pub(crate) fn add(&self, row: &SweepRow) -> usize {
        let mut so_far = self.lock();
        let rows = so_far.as_mut().map(|so_far| &mut so_far.rows);
        rows.map_or(0, |rows| {
            rows.push(row_shape(row));
            rows.len()
        })
    }

    /// Takes what is to be made of the rows.
    pub(crate) fn end(&self, sweep: &Sweep) {
        if let Some(so_far) = self.lock().as_mut() {
            let place = |at: &usize| sweep.rows[*at].place as u32;
            let best = sweep.recommended.as_ref();
            so_far.is_ended = true;
            so_far.front = sweep.front.iter().map(place).collect();
            so_far.recommended = best.and_then(|best| best.row).as_ref().map(place);
            so_far.reason = best.map(|best| best.reason.clone()).unwrap_or_default();
        }
    }

    /// What is there, without the first so many rows.
    pub(crate) fn from(&self, from: usize) -> Option<LabSweep> {
        let so_far = self.lock();
        let so_far = so_far.as_ref()?;
        let mut rows = so_far.rows.get(from..).unwrap_or_default().to_vec();
        // Whoever asks for all at the end is told the same each time.
        if so_far.is_ended && from == 0 {
            rows.sort_unstable_by_key(|row| row.place);
        }
        Some(LabSweep {
            rows,
            grid: so_far.grid.clone(),
            front: so_far.front.clone(),
            reason: so_far.reason.clone(),
            size_basis: so_far.size_basis.clone(),
            unchanged_tokens: so_far.unchanged_tokens.clone(),
            ..*so_far
        })
    }
}

fn row_shape(row: &SweepRow) -> LabRow {
    let (family, x, y) = match row.config.policy {
        Policy::Off => (LabFamily::Off, 0, 0),
        Policy::Adk { window: Some(window), threshold: None } => {
            (LabFamily::SlidingWindow, window.interval, window.overlap)
        }
        Policy::Adk { window: None, threshold } => (
            LabFamily::TokenThreshold,
            threshold.map_or(0, |t| t.tokens),
            threshold.map_or(0, |t| t.retention),
        ),
        Policy::Adk { window: Some(window), threshold: Some(threshold) } => {
            (LabFamily::Both, window.interval, threshold.tokens)
        }
        Policy::Steps(steps) => (LabFamily::Steps, steps.limit_tokens, steps.keep),
    };
    LabRow {
        place: row.place as u32,
        config: row.config.to_string(),
        x,
        y,
        family,
        bill: bill_shape(&row.bill),
        at_calls: row.summaries.iter().flatten().copied().collect(),
        regret: row.regret,
        flags: row.flags.iter().map(|flag| Flag::name(*flag).to_owned()).collect(),
    }
}
