//! Laying a list of edits over a session.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::draft::{CompactionChange, Draft};
use super::note::{EditNote, Notes};
use crate::edit::Edit;
use crate::experiment::{Experiment, LaidEdits, LaidSummaries};
use crate::processors::Catalog;
use crate::turn::compaction::CompactionConfig;

/// A session with edits laid over it.
pub struct Edited {
    pub experiment: Experiment,
    /// What did not fit, and what a person should know about what did; in the order of the edits.
    pub notes: Vec<EditNote>,
}

/// Edits laid over a session, all but the summaries that another setting of compaction asks for.
///
/// Which of them fall due goes by the sizes of the prompts that all other edits make, and sizes are measured above the
/// compiler: whoever can, plans them ([`Self::compaction_due`]) and hands them in.
pub struct EditDraft {
    experiment: Experiment,
    notes: Notes,
    /// The setting, with the place of its edit.
    due: Option<(usize, CompactionConfig)>,
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
        let Self { experiment, notes, due: _, n_earlier } = self;
        Edited { experiment, notes: notes.of_later(n_earlier) }
    }

    /// The session with what the setting that is due would have summarised. `note` is what a person should know of
    /// these summaries; it does not depend on how many there are, which edits behind this one may change.
    #[must_use]
    pub fn finish_with(mut self, summaries: &LaidSummaries, note: Option<&str>) -> Edited {
        if let Some((at, _)) = self.due.take() {
            self.experiment = self.experiment.with_summaries(summaries);
            if let Some(note) = note {
                self.notes.at = at;
                self.notes.inform("edit-extractive", note.to_owned());
            }
        }
        self.finish()
    }
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
            notes: Notes::default(),
        };
        for (at, edit) in all.iter().enumerate() {
            draft.apply(at, edit);
        }
        draft.warn_of_halves();
        let pinned = draft.pinned();
        let changed = recorded.with_app(&draft.app).with_events(&draft.replacements(), &pinned);
        let Draft { events, flow_edits, compaction, mut notes, .. } = draft;
        let mut experiment = changed;
        experiment.laid =
            Some(Arc::new(LaidEdits { recorded: recorded.clone(), edits: all.clone(), events }));
        for (at, edit) in flow_edits {
            notes.at = at;
            super::flow::apply(&mut experiment, edit, catalog, &mut notes);
        }
        let mut due = None;
        match compaction {
            Some((_, CompactionChange::Laid(laid))) => experiment = experiment.with_summaries(&laid),
            Some((at, CompactionChange::Planned(config))) => {
                due = Some((at, CompactionConfig { pinned: pinned.into_iter().collect(), ..config }));
            }
            None => {}
        }
        EditDraft { experiment, notes, due, n_earlier: earlier.len() }
    }
}

impl<'b> Draft<'b> {
    fn apply(&mut self, at: usize, edit: &'b Edit) {
        self.notes.at = at;
        match edit {
            Edit::Flow(edit) => self.flow_edits.push((at, edit)),
            Edit::App(edit) => self.edit_app(edit),
            Edit::Events(edit) => self.edit_event(edit),
            Edit::Compaction(edit) => self.edit_compaction(edit),
        }
    }
}
