//! The calls of a session, compiled.

use std::sync::Arc;

use strata_engine::{Experiment, Outcome};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, CallAnalysis, Scale, SessionAnalysis};
use strata_measure::lab::Recording;

use super::evidence::EvidenceReport;
use super::source::Subject;
use crate::error::AppError;
use crate::open::{OpenSession, evidence};
use crate::show::words;
use crate::tables::Tables;
use crate::watch::{Step, Watch};

/// The calls of a subject, and what they come to.
#[derive(Clone)]
pub(super) struct Compiled {
    pub analysis: SessionAnalysis,
    pub caches: CacheAnalysis,
    /// Of what edits were laid over, where any were.
    unedited: Option<(SessionAnalysis, CacheAnalysis)>,
}

impl Compiled {
    /// What is known of an open session, once all of its calls are compiled.
    pub(super) fn of_open(open: &OpenSession, tables: &Tables) -> Result<Self, AppError> {
        let whole = |open: &OpenSession| -> Result<_, AppError> {
            let analysis = open.whole_analysis(&tables.counting)?;
            let caches = Arc::unwrap_or_clone(open.caches(&analysis, tables)?);
            Ok((Arc::unwrap_or_clone(analysis), caches))
        };
        let unedited = open.edits.as_ref().map(|edits| whole(&edits.base)).transpose()?;
        let (analysis, caches) = whole(open)?;
        Ok(Self { analysis, caches, unedited })
    }

    /// The calls up to a number of a subject whose edits are laid over this one, of which what they leave alone is taken.
    pub(super) fn edited(
        self,
        edited: &Subject,
        up_to: usize,
        tables: &Tables,
        watch: &dyn Watch,
    ) -> Result<Self, AppError> {
        let Self { analysis: unedited, caches: unedited_caches, .. } = self;
        let experiment = &edited.experiment;
        let analysis = edited.analyse_with(experiment, unedited.sharing(), up_to, tables, watch)?;
        refuse_failures(&unedited, &analysis)?;
        let before = BilledCalls { analysis: &unedited, caches: &unedited_caches };
        let rules = unedited.rules();
        let caches = CacheAnalysis::of_edited(experiment, &analysis, before, rules, &tables.prices);
        Ok(Self { analysis, caches, unedited: Some((unedited, unedited_caches)) })
    }

    /// What edits were laid over, where any were.
    pub(super) fn recording<'c>(&'c self, subject: &'c Subject) -> Option<Recording<'c>> {
        let (analysis, caches) = self.unedited.as_ref()?;
        Some(Recording { experiment: subject.experiment.laid_over()?, analysis, caches })
    }

    pub(super) fn billed(&self) -> BilledCalls<'_> {
        BilledCalls { analysis: &self.analysis, caches: &self.caches }
    }
}

/// Numbers of calls that edits broke would be those of half a request.
fn refuse_failures(unedited: &SessionAnalysis, edited: &SessionAnalysis) -> Result<(), AppError> {
    let failure = |call: &CallAnalysis| match &call.outcome {
        Outcome::Failed { processor, error } => {
            Some(format!("{processor}: {} {}", error.message, error.advice))
        }
        _ => call.stage_errors.first().map(|failure| format!("{}: {}", failure.at, failure.message)),
    };
    let was_whole =
        |call: &&CallAnalysis| unedited.call(call.number).is_none_or(|before| failure(before).is_none());
    let mut broken =
        edited.calls().iter().filter(was_whole).filter_map(|call| Some((call.number, failure(call)?)));
    let Some((call, why)) = broken.next() else { return Ok(()) };
    Err(AppError::bad_input(format!(
        "The edits fail in {} of {}, first in C{call}. {why}",
        1 + broken.count(),
        words::counted(edited.calls().len(), "call"),
    )))
}

impl Subject {
    /// Compiles the calls up to a number, and says what they come to.
    pub(super) fn compiled(
        &self,
        up_to: usize,
        tables: &Tables,
        watch: &dyn Watch,
    ) -> Result<Compiled, AppError> {
        let prices = &tables.prices;
        let base = self.experiment.laid_over();
        let recorded = base.unwrap_or(&self.experiment);
        let n_calls = recorded.calls().len().min(up_to);
        let analysis = self.analyse_with(recorded, SessionAnalysis::default(), n_calls, tables, watch)?;
        let caches = CacheAnalysis::new(recorded, &analysis, analysis.rules(), prices);
        let compiled = Compiled { analysis, caches, unedited: None };
        if base.is_some() { compiled.edited(self, up_to, tables, watch) } else { Ok(compiled) }
    }

    /// Compiles the calls up to a number.
    pub(super) fn analyse(
        &self,
        up_to: usize,
        tables: &Tables,
        watch: &dyn Watch,
    ) -> Result<SessionAnalysis, AppError> {
        self.analyse_with(&self.experiment, SessionAnalysis::default(), up_to, tables, watch)
    }

    fn analyse_with(
        &self,
        experiment: &Experiment,
        mut analysis: SessionAnalysis,
        up_to: usize,
        tables: &Tables,
        watch: &dyn Watch,
    ) -> Result<SessionAnalysis, AppError> {
        watch.begins(Step::Compiling(&self.title));
        while analysis.calls().len() < up_to {
            analysis.step(experiment, &tables.counting);
            watch.progress(analysis.calls().len() as u64, up_to as u64);
            if watch.is_cancelled() {
                return Err(AppError::bad_input("Stopped before all calls were compiled."));
            }
        }
        Ok(analysis)
    }

    /// What the numbers of a call rest on.
    pub(super) fn evidence(&self, call: &CallAnalysis) -> EvidenceReport {
        (&evidence(&self.experiment, &self.app, &self.format_name, call)).into()
    }

    /// What weighs prompts like those of `call`.
    pub(super) fn scale<'s>(
        &'s self,
        analysis: &'s SessionAnalysis,
        tables: &'s Tables,
        call: &CallAnalysis,
    ) -> Result<Scale<'s>, AppError> {
        let scale = analysis.scale(&self.experiment, &tables.counting, &call.model);
        scale.ok_or_else(|| AppError::internal("A call's model has no tokenizer."))
    }

    pub(super) fn n_calls(&self) -> usize {
        self.experiment.calls().len()
    }
}
