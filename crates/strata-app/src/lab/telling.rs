//! What the summaries of a replay tell.

use strata_engine::Experiment;
use strata_measure::lab::{
    FactReader, Generation, LossReport, Replayed, Told, WindowLoss, survival, told_at_end, window_losses,
};

use super::stored_run::LostFacts;

/// What the summaries of a replay tell, where they are written.
#[derive(Debug, Clone)]
pub(crate) struct Telling {
    /// For each window; nothing for those whose summaries were not written or not used.
    pub losses: Vec<Option<WindowLoss>>,
    pub generations: Vec<Generation>,
    pub at_end: Told,
}

impl Telling {
    pub(crate) fn of(experiment: &Experiment, replayed: &Replayed) -> Self {
        let (reader, log) = (FactReader::new(), experiment.log());
        let generations = survival(&reader, replayed, log);
        let at_end = told_at_end(&reader, replayed, log, &generations);
        Self { losses: window_losses(&reader, replayed, log), generations, at_end }
    }

    pub(crate) fn of_window(&self, at: usize) -> Option<&WindowLoss> {
        self.losses.get(at)?.as_ref()
    }

    /// The facts of all windows together.
    pub(crate) fn facts(&self) -> LostFacts {
        let sum = |of: fn(&LossReport) -> u32| self.losses.iter().flatten().map(|loss| of(&loss.facts)).sum();
        LostFacts {
            kept: sum(|loss| loss.kept),
            paraphrased: sum(|loss| loss.paraphrased),
            dropped: sum(|loss| loss.dropped),
        }
    }
}
