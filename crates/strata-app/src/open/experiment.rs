//! Experiments that somebody looks at.

use std::sync::Arc;

use strata_engine::{Edit, EditNote};
use strata_store::ExperimentEntry;

use super::OpenSession;
use crate::api::common::DiagnosticRow;

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

impl From<&EditNote> for DiagnosticRow {
    fn from(note: &EditNote) -> Self {
        (&note.diagnostic()).into()
    }
}
