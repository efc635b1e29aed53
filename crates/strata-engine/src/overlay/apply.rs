//! Laying a list of edits over a session.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::Diagnostic;

use super::draft::{CompactionChange, Draft, place};
use crate::edit::Edit;
use crate::experiment::{Experiment, Laid, LaidSummaries};
use crate::processors::Catalog;
use crate::turn::compaction::CompactionConfig;

/// A session with edits laid over it.
pub struct Edited {
    pub experiment: Experiment,
    /// What did not fit, and what a person should know about what did. Each stands at `edits[n]`, n counted from 0.
    pub diagnostics: Vec<Diagnostic>,
}

/// Edits laid over a session, all but the summaries that another setting of compaction asks for.
///
/// Which of them fall due goes by the sizes of the prompts that all other edits make, and sizes are measured above the
/// compiler: whoever can, plans them ([`Self::compaction_due`]) and hands them in.
pub struct EditDraft {
    experiment: Experiment,
    diagnostics: Vec<Diagnostic>,
    /// The setting, with the place of its edit.
    due: Option<(usize, CompactionConfig)>,
    laid: Laid,
    /// Edits that were laid over the session before these.
    n_earlier: usize,
}

impl EditDraft {
    /// The setting of compaction whose summaries are missing, and the session that it is to be replayed on.
    pub fn compaction_due(&self) -> Option<(&Experiment, &CompactionConfig)> {
        self.due.as_ref().map(|(_, config)| (&self.experiment, config))
    }

    /// The session with the summaries that it has; those of a setting that is due stay as they were recorded.
    #[must_use]
    pub fn finish(self) -> Edited {
        let Self { mut experiment, diagnostics, due: _, laid, n_earlier } = self;
        experiment.laid = Some(Arc::new(laid));
        Edited { experiment, diagnostics: of_later(diagnostics, n_earlier) }
    }

    /// The session with what the setting that is due would have summarised. `note` is what a person should know of
    /// these summaries; it does not depend on how many there are, which edits behind this one may change.
    #[must_use]
    pub fn finish_with(mut self, summaries: &LaidSummaries, note: Option<&str>) -> Edited {
        if let Some((at, _)) = self.due.take() {
            self.experiment = self.experiment.with_summaries(summaries);
            let note = note.map(|note| Diagnostic::info("edit-extractive", place(at), note));
            self.diagnostics.extend(note);
            in_order(&mut self.diagnostics);
        }
        self.finish()
    }
}

/// In the order of the list, also where edits of one kind were applied before those of another.
fn in_order(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|found| number(found).unwrap_or(usize::MAX));
}

impl Experiment {
    /// This session with `edits` laid over it, in their order, behind those that are laid over it already. Nothing of
    /// `self` is changed, and what the edits leave alone is shared with it: a [`crate::StageCache`] serves both.
    #[must_use]
    pub fn lay(&self, edits: &[Edit], catalog: &Catalog) -> EditDraft {
        let (recorded, earlier) = match &self.laid {
            Some(laid) => (&laid.recorded, &laid.edits[..]),
            None => (self, &[][..]),
        };
        let all: Vec<Edit> = earlier.iter().chain(edits).cloned().collect();
        let mut draft = Draft {
            base: recorded,
            app: recorded.app().clone(),
            events: BTreeMap::new(),
            flow_edits: Vec::new(),
            compaction: None,
            diagnostics: Vec::new(),
            at: 0,
        };
        for (at, edit) in all.iter().enumerate() {
            draft.at = at;
            draft.apply(edit);
        }
        let events = draft.events.clone();
        let (experiment, diagnostics, due) = draft.finish(catalog);
        let laid = Laid { recorded: recorded.with_app(recorded.app()), edits: all, events };
        EditDraft { experiment, diagnostics, due, laid, n_earlier: earlier.len() }
    }
}

/// What is said of the edits behind the first `n_earlier`, counted from there.
fn of_later(diagnostics: Vec<Diagnostic>, n_earlier: usize) -> Vec<Diagnostic> {
    let later = |mut found: Diagnostic| {
        found.at = place(number(&found)?.checked_sub(n_earlier)?);
        Some(found)
    };
    diagnostics.into_iter().filter_map(later).collect()
}

/// The place in the list of the edit it is about.
fn number(found: &Diagnostic) -> Option<usize> {
    found.at.trim_start_matches("edits[").trim_end_matches(']').parse().ok()
}

impl<'b> Draft<'b> {
    fn apply(&mut self, edit: &'b Edit) {
        match edit {
            Edit::EnableProcessor { .. }
            | Edit::DisableProcessor { .. }
            | Edit::MoveProcessor { .. }
            | Edit::InsertProcessor { .. }
            | Edit::ConfigureProcessor { .. }
            | Edit::RemoveProcessor { .. }
            | Edit::SetStateMap { .. } => self.flow_edits.push((self.at, edit)),
            Edit::DropEvent { event } => self.drop_event(*event),
            Edit::EditEvent { event, content } => self.edit_event(*event, content),
            Edit::PinEvent { event } => self.pin_event(*event),
            Edit::LaySummaries { config, prompt, summaries, cleared } => {
                self.lay_summaries((config, prompt.as_ref()), summaries, cleared);
            }
            _ => self.edit_app(edit),
        }
    }

    /// The session with all edits but one of compaction that is still to be planned.
    fn finish(
        mut self,
        catalog: &Catalog,
    ) -> (Experiment, Vec<Diagnostic>, Option<(usize, CompactionConfig)>) {
        self.warn_of_halves();
        let pinned = self.pinned();
        let mut experiment = self.base.with_app(&self.app).with_events(&self.replacements(), &pinned);
        let mut diagnostics = self.diagnostics;
        for (at, edit) in self.flow_edits {
            super::flow::apply(&mut experiment, (at, edit), catalog, &mut diagnostics);
        }
        in_order(&mut diagnostics);
        match self.compaction {
            Some((_, CompactionChange::Laid(laid))) => (experiment.with_summaries(&laid), diagnostics, None),
            Some((at, CompactionChange::Planned(config))) => {
                let config = CompactionConfig { pinned: pinned.into_iter().collect(), ..config };
                (experiment, diagnostics, Some((at, config)))
            }
            None => (experiment, diagnostics, None),
        }
    }
}
