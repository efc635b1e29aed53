//! What edits have come to, while they are read one after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_model::App;

use super::note::Notes;
use crate::edit::FlowEdit;
use crate::experiment::{EventChange, Experiment, LaidSummaries};
use crate::turn::compaction::CompactionConfig;

/// What edits have come to so far.
pub(super) struct Draft<'b> {
    pub base: &'b Experiment,
    pub app: Arc<App>,
    /// Events that are not as recorded, by their place.
    pub events: BTreeMap<usize, EventChange>,
    /// Edits of flows with their place in the list: they are applied once the app's own flows are known.
    pub flow_edits: Vec<(usize, &'b FlowEdit)>,
    /// What the last edit of compaction asks for, with its place in the list.
    pub compaction: Option<(usize, CompactionChange)>,
    pub notes: Notes,
}

/// What the last edit of its kind asks for.
pub(super) enum CompactionChange {
    /// These summaries in place of the recorded ones.
    Laid(LaidSummaries),
    /// What this setting would have summarised; that is for others to plan.
    Planned(CompactionConfig),
}
