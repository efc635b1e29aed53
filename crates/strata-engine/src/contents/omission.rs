//! What is found to be left out of the contents while they are built.

use strata_model::Diagnostic;

use crate::log::{DroppedIds, LoggedEvent, Omission, OmissionReason};

/// Collects omissions, and the ids ADK warns about.
#[derive(Default)]
pub(crate) struct Omissions {
    list: Vec<Omission>,
    dropped: DroppedIds,
}

impl Omissions {
    /// Goes on after a history of which these ids were dropped.
    pub(crate) fn after(dropped: DroppedIds) -> Self {
        Self { list: Vec::new(), dropped }
    }

    /// What was left out since it was begun, and the ids dropped since ever.
    pub(crate) fn into_parts(self) -> (Vec<Omission>, DroppedIds) {
        (self.list, self.dropped)
    }

    pub(crate) fn event(&mut self, logged: &LoggedEvent, reason: OmissionReason) {
        if let Some(event) = logged.index {
            self.list.push(Omission { event, part: None, reason });
        }
    }

    pub(crate) fn part(
        &mut self,
        logged: &LoggedEvent,
        part: &strata_model::RequestPart,
        reason: OmissionReason,
    ) {
        let Some(event) = logged.index else { return };
        let position = match part.main_origin() {
            strata_model::Origin::Event { part, .. } | strata_model::Origin::Summary { part, .. } => {
                Some(*part)
            }
            _ => None,
        };
        self.list.push(Omission { event, part: position, reason });
    }

    pub(crate) fn orphan_response(&mut self, id: Option<&str>) {
        self.dropped.orphan_response(id);
    }

    pub(crate) fn unanswered_call(&mut self, id: &str) {
        self.dropped.unanswered_call(id);
    }

    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.dropped.diagnostics()
    }

    pub(crate) fn into_list(self) -> Vec<Omission> {
        self.list
    }
}
