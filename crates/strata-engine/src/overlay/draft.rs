//! What edits have come to, while they are read one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::{App, Diagnostic};

use crate::edit::Edit;
use crate::experiment::{EventChange, Experiment, LaidSummaries};
use crate::turn::compaction::CompactionConfig;

/// What edits have come to so far.
pub(super) struct Draft<'b> {
    pub base: &'b Experiment,
    pub app: Arc<App>,
    /// Events that are not as recorded, by their place.
    pub events: BTreeMap<usize, EventChange>,
    /// Edits of flows with their place in the list: they are applied once the app's own flows are known.
    pub flow_edits: Vec<(usize, &'b Edit)>,
    /// The last edit of what is summarised, with its place in the list.
    pub compaction: Option<(usize, CompactionChange)>,
    pub diagnostics: Vec<Diagnostic>,
    /// The place of the edit that is being applied.
    pub at: usize,
}

impl Draft<'_> {
    pub(super) fn error(&mut self, code: &'static str, message: impl Into<String>) {
        let message = message.into() + " The edit was left out; all others count.";
        self.diagnostics.push(Diagnostic::error(code, place(self.at), message));
    }

    pub(super) fn warn(&mut self, code: &'static str, message: String) {
        self.diagnostics.push(Diagnostic::warning(code, place(self.at), message));
    }
}

pub(super) fn place(at: usize) -> String {
    format!("edits[{at}]")
}

/// What the last edit of its kind asks for.
pub(super) enum CompactionChange {
    /// These summaries in place of the recorded ones.
    Laid(LaidSummaries),
    /// What this setting would have summarised; that is for others to plan.
    Planned(CompactionConfig),
}
