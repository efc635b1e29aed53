//! A node that is to run, and how.

use std::sync::Arc;

use strata_model::{Object, Str};
use tokio_util::sync::CancellationToken;

use crate::host::Value;
use crate::program::Node;

/// A node to run, and how.
#[derive(Clone)]
pub struct RunNode {
    pub(crate) node: Arc<Node>,
    pub(crate) input: Value,
    pub(crate) use_as_output: bool,
    pub(crate) run_id: Option<Str>,
    pub(crate) use_sub_branch: bool,
    /// In place of the branch of the node that starts it; `""` is no branch.
    pub(crate) branch: Option<Str>,
    pub(crate) isolation_scope: Option<Str>,
    /// A node that waits stops the one that started it.
    pub(crate) stops_on_wait: bool,
    /// Run ids may be numbers: the runtime itself made them.
    pub(crate) has_own_run_id: bool,
    pub(crate) resume_inputs: Option<Object>,
    /// Stops it; absent: what stops the node that starts it.
    pub(crate) cancel: Option<CancellationToken>,
}

impl RunNode {
    pub fn new(node: Arc<Node>, input: Value) -> Self {
        Self {
            node,
            input,
            use_as_output: false,
            run_id: None,
            use_sub_branch: false,
            branch: None,
            isolation_scope: None,
            stops_on_wait: false,
            has_own_run_id: false,
            resume_inputs: None,
            cancel: None,
        }
    }

    pub(crate) fn stopped_by(self, cancel: CancellationToken) -> Self {
        Self { cancel: Some(cancel), ..self }
    }

    /// What the node gives is the output of the node that starts it.
    #[must_use]
    pub fn as_output(self) -> Self {
        Self { use_as_output: true, ..self }
    }

    #[must_use]
    pub fn with_run_id(self, run_id: impl Into<Str>) -> Self {
        Self { run_id: Some(run_id.into()), ..self }
    }

    /// What is said there stays on a branch of its own.
    #[must_use]
    pub fn on_sub_branch(self) -> Self {
        Self { use_sub_branch: true, ..self }
    }
}
