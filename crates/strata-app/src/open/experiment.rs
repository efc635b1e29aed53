//! Experiments that somebody looks at.

use std::sync::Arc;

use strata_engine::{Edit, EditNote, Edited};
use strata_store::{ExperimentEntry, ExperimentId};

use super::OpenSession;
use crate::Strata;
use crate::api::common::DiagnosticRow;
use crate::error::AppError;

/// An experiment beside the session it is laid over.
pub(crate) struct OpenExperiment {
    pub entry: ExperimentEntry,
    /// All of them, undone ones included.
    pub edits: Vec<Edit>,
    /// Of those that count.
    pub notes: Vec<EditNote>,
    pub base: Arc<OpenSession>,
}

impl OpenExperiment {
    /// What there is to say about the edit at a place.
    pub(crate) fn notes_on(&self, at: usize) -> impl Iterator<Item = &EditNote> {
        self.notes.iter().filter(move |note| note.edit == at)
    }

    /// Edits that count.
    pub(crate) fn applied(&self) -> &[Edit] {
        &self.edits[..(self.entry.n_applied as usize).min(self.edits.len())]
    }
}

impl Strata {
    /// The experiment with this id, which is open from then on.
    pub(crate) fn experiment(self: &Arc<Self>, id: &str) -> Result<Arc<OpenSession>, AppError> {
        if ExperimentId::parse(id).is_none() {
            let message =
                "This is a recorded session, which is never changed. Make an experiment over it first.";
            return Err(AppError::bad_input(message));
        }
        self.session(id)
    }

    /// Reads an experiment and lays its edits over its session.
    pub(super) fn read_experiment(self: &Arc<Self>, id: ExperimentId) -> Result<OpenSession, AppError> {
        let missing = || AppError::not_found("This experiment is no longer in the store.");
        let (entry, texts) = {
            let store = self.store();
            (store.experiment(id)?.ok_or_else(missing)?, store.edits(id)?)
        };
        let edits = texts.iter().map(|text| {
            serde_json::from_str::<Edit>(text).map_err(|error| {
                AppError::internal(format!("An edit of {} cannot be read: {error}.", entry.name))
            })
        });
        let edits = edits.collect::<Result<Vec<Edit>, _>>()?;
        let base = self.session(entry.session.as_str())?;
        let n_applied = (entry.n_applied as usize).min(edits.len());
        let Edited { experiment, notes } = self.edited(&base.experiment, &edits[..n_applied]);
        let open = OpenExperiment { entry, edits, notes, base: base.clone() };
        Ok(OpenSession::of_experiment(&base, experiment, open))
    }

    /// Compiles an experiment again after its edits have changed. What they do not reach is taken from before.
    pub(crate) fn reopen_experiment(
        self: &Arc<Self>,
        id: ExperimentId,
    ) -> Result<Arc<OpenSession>, AppError> {
        self.open_sessions().close(&id.to_string());
        self.session(&id.to_string())
    }
}

impl From<&EditNote> for DiagnosticRow {
    fn from(note: &EditNote) -> Self {
        (&note.diagnostic()).into()
    }
}
