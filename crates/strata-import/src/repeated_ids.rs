//! Events that share an id.

use std::collections::HashSet;

use strata_model::Session;

use crate::findings::Findings;

/// Ids are meant to be unique within a session; nothing is dropped when they are not.
pub(crate) fn report_repeated_ids(session: &Session, place: &str, findings: &mut Findings) {
    let mut seen = HashSet::with_capacity(session.events.len());
    for (index, event) in session.events.iter().enumerate() {
        if !event.id.is_empty() && !seen.insert(&*event.id) {
            let stop = if place.is_empty() { "" } else { ": " };
            let message = "an event has the id of an earlier one; both were kept";
            findings.warning("repeated-id", format!("{place}{stop}events[{index}]"), message);
        }
    }
}
