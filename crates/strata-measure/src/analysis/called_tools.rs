//! Tools that a session calls, and those that are declared for nothing.

use std::collections::HashSet;

use strata_engine::Experiment;

/// The runtime's own tools: it needs them whether a session used them or not.
const RUNTIME: &[&str] = &[
    "transfer_to_agent",
    "set_model_response",
    "finish_task",
    "exit_loop",
    "load_memory",
    "load_artifacts",
    "adk_request_credential",
    "adk_request_confirmation",
];

/// The tools that a session calls.
pub(crate) struct CalledTools<'s>(HashSet<&'s str>);

impl<'s> CalledTools<'s> {
    pub(crate) fn of(experiment: &'s Experiment) -> Self {
        let calls = experiment.session().events.iter().flat_map(|event| event.function_calls());
        Self(calls.filter_map(|call| call.name.as_deref()).collect())
    }

    /// Whether a tool is declared for nothing.
    pub(crate) fn is_unused(&self, tool: &str) -> bool {
        !self.0.contains(tool) && !RUNTIME.contains(&tool)
    }
}
