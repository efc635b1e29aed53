//! What happened to the parts of a request.

use serde::Serialize;
use strata_measure::analysis::{Change, PartDelta};
use strata_model::Origin;

use super::origin;
use crate::show::{DeltaScale, line};

/// What happened to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    Added,
    Removed,
    Moved,
    Rewritten,
}

/// A part that a stage changed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeReport {
    pub kind: ChangeKind,
    /// Where it is after the stage; before it, for what is removed.
    pub path: String,
    pub origin: String,
    pub tokens_before: u32,
    pub tokens_after: u32,
    /// The origin as people call it.
    pub from: String,
    /// One line of it.
    pub text: String,
}

/// Weighs what a stage changed.
pub(super) struct Weigh<'w> {
    pub scale: DeltaScale<'w>,
    pub log: &'w strata_engine::EventLog,
}

impl Weigh<'_> {
    pub(super) fn change(&self, delta: &PartDelta<'_>) -> Option<ChangeReport> {
        let kind = match delta.change {
            Change::Added => ChangeKind::Added,
            Change::Removed | Change::LeftOut(_) => ChangeKind::Removed,
            Change::Moved => ChangeKind::Moved,
            Change::Rewritten => ChangeKind::Rewritten,
            Change::Unchanged => return None,
        };
        let segment = delta.after.as_ref().or(delta.before.as_ref())?;
        let [tokens_before, tokens_after] = self.scale.tokens(delta);
        let main: Option<&Origin> = segment.main_origin();
        Some(ChangeReport {
            kind,
            path: segment.path.to_string(),
            origin: main.map_or(String::new(), origin::text),
            tokens_before,
            tokens_after,
            from: main.map_or(String::new(), |origin| origin::from(origin, self.log)),
            text: line(segment).0,
        })
    }
}
