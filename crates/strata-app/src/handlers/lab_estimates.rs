//! What cells of a batch would take.

use tokio_util::sync::CancellationToken;

use super::lab_parts::LabParts;
use crate::api::lab_batch::BatchNeed;
use crate::error::AppError;
use crate::lab::{Estimate, RunSettings, read_config};

/// Estimates of runs over a session, each made once, whoever asks for it: a cell, or the questions about it.
pub(super) struct Estimates<'p> {
    parts: &'p LabParts,
    session: &'p str,
    stop: &'p CancellationToken,
    made: Vec<(RunSettings, Estimate)>,
}

impl<'p> Estimates<'p> {
    pub(super) fn over(parts: &'p LabParts, session: &'p str, stop: &'p CancellationToken) -> Self {
        Self { parts, session, stop, made: Vec::new() }
    }

    pub(super) fn parts(&self) -> &'p LabParts {
        self.parts
    }

    pub(super) fn stop(&self) -> &'p CancellationToken {
        self.stop
    }

    /// What a run with a model would take. Nothing is sent.
    pub(super) fn of(&mut self, run: &RunSettings) -> Result<Estimate, AppError> {
        if let Some((_, estimate)) = self.made.iter().find(|(made, _)| made == run) {
            return Ok(estimate.clone());
        }
        let config = read_config(&run.config, run.prompt.as_deref())?;
        let found = self.parts.find(&run.writer)?;
        let asked = (&found, run.model.clone());
        let (estimate, _) = self.parts.estimate(self.session, &config, asked, self.stop)?;
        self.made.push((run.clone(), estimate.clone()));
        Ok(estimate)
    }

    /// What a cell would take.
    pub(super) fn need(&mut self, cell: &RunSettings) -> Result<BatchNeed, AppError> {
        if cell.writer == "extractive" {
            return Ok(BatchNeed { cost_usd: Some(0.0), ..BatchNeed::default() });
        }
        let estimate = self.of(cell)?;
        Ok(BatchNeed {
            summaries: estimate.summaries - estimate.from_before,
            tokens: f64::from(estimate.input.tokens) + estimate.output_tokens as f64,
            cost_usd: estimate.cost_usd,
            seconds: estimate.seconds,
        })
    }
}
