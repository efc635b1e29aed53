//! Tools that nobody calls.

use std::collections::{BTreeSet, HashSet};

use strata_engine::Experiment;
use strata_model::{Origin, RequestTool, Str};

use super::candidate::{Candidate, words};
use super::seen::FixEvidence;

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

pub(super) fn candidates(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let mut declared: BTreeSet<Str> = BTreeSet::new();
    for call in seen.last.values() {
        for tool in call.request.tools.iter() {
            let RequestTool::Functions(declarations) = tool else { continue };
            let of_tools =
                declarations.iter().filter(|declaration| matches!(declaration.origin, Origin::Tool { .. }));
            declared.extend(of_tools.map(|declaration| Str::from(declaration.name())));
        }
    }
    let called = CalledTools::of(seen.experiment);
    declared.retain(|name| called.is_unused(name));
    if declared.is_empty() {
        return None;
    }
    let names: Vec<&str> = declared.iter().map(|name| &**name).collect();
    let title = match &names[..] {
        [only] => format!("Drop {only}, which this session never calls"),
        several => format!("Drop {} tools that this session never calls", several.len()),
    };
    let mut candidate =
        Candidate::insert(title, "drop_tools", &[("tools", words(names))]).answering(&["unused-tools"]);
    candidate.tools = declared.into_iter().collect();
    Some(candidate)
}
