//! What is exported.

use strata_engine::{Edit, Experiment};
use strata_store::RecordedRequest;

/// What is exported.
pub(crate) struct Subject<'s> {
    pub name: &'s str,
    pub experiment: &'s Experiment,
    /// Those that are laid over the session.
    pub edits: &'s [Edit],
    /// What was really sent.
    pub requests: &'s [RecordedRequest],
}
