//! Laying a list of edits over a session.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::{App, Diagnostic, Event};

use super::Edit;
use super::compaction::{CompactionChange, EXTRACTIVE_NOTE, plan};
use crate::experiment::{Experiment, Laid};
use crate::lab::{LabConfig, Policy};
use crate::processors::Catalog;

/// A session with edits laid over it.
pub struct Edited {
    pub experiment: Experiment,
    /// What did not fit, and what a person should know about what did. Each stands at `edits[n]`, n counted from 0.
    pub diagnostics: Vec<Diagnostic>,
}

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

/// What edits made of an event.
#[derive(Debug, Clone, Default)]
pub struct EventChange {
    /// With another content.
    pub edited: Option<Arc<Event>>,
    pub is_dropped: bool,
    /// The edit that dropped it.
    pub(super) dropped_at: usize,
    pub is_pinned: bool,
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

impl Experiment {
    /// This session with `edits` laid over it, in their order, behind those that are laid over it already. Nothing of
    /// `self` is changed, and what the edits leave alone is shared with it: a [`crate::StageCache`] serves both.
    #[must_use]
    pub fn edited(&self, edits: &[Edit], catalog: &Catalog) -> Edited {
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
        let mut edited = draft.finish(catalog);
        edited.diagnostics = of_later(edited.diagnostics, earlier.len());
        let recorded = recorded.with_app(recorded.app());
        edited.experiment.laid = Some(Arc::new(Laid { recorded, edits: all, events }));
        edited
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

    fn finish(mut self, catalog: &Catalog) -> Edited {
        self.warn_of_halves();
        let pinned = self.pinned();
        let mut experiment = self.base.with_app(&self.app).with_events(&self.replacements(), &pinned);
        let mut diagnostics = self.diagnostics;
        for (at, edit) in self.flow_edits {
            super::flow::apply(&mut experiment, (at, edit), catalog, &mut diagnostics);
        }
        match self.compaction {
            Some((_, CompactionChange::Laid(laid))) => experiment = experiment.with_summaries(&laid),
            Some((at, CompactionChange::Planned(config))) => {
                let config = LabConfig { pinned: pinned.iter().copied().collect(), ..config };
                // Last, for what is due goes by the prompts that all other edits make.
                if let Some(planned) = plan(&experiment, &config, catalog.counting()) {
                    if config.policy != Policy::Off {
                        diagnostics.push(Diagnostic::info("edit-extractive", place(at), EXTRACTIVE_NOTE));
                    }
                    experiment = experiment.with_summaries(&planned);
                }
            }
            None => {}
        }
        // In the order of the list, also where edits of one kind were applied before those of another.
        diagnostics.sort_by_key(|found| number(found).unwrap_or(usize::MAX));
        Edited { experiment, diagnostics }
    }
}
