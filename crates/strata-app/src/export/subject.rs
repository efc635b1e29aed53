//! What is exported.

use strata_engine::{Edit, Experiment};
use strata_store::RecordedRequest;

/// What is exported.
pub(crate) struct Subject<'s> {
    pub name: &'s str,
    pub experiment: &'s Experiment,
    /// Nobody gave the app's configuration: it is made from what the events tell.
    pub is_inferred: bool,
    /// Those that are laid over the session.
    pub edits: &'s [Edit],
    /// What was really sent.
    pub requests: &'s [RecordedRequest],
}
