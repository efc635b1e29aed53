//! Tools that nobody calls.

use std::collections::BTreeSet;

use strata_model::{Origin, RequestTool, Str};

use super::candidate::{Candidate, words};
use super::seen::Seen;

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

pub(super) fn candidates(seen: &Seen<'_>) -> Option<Candidate> {
    let mut declared: BTreeSet<Str> = BTreeSet::new();
    for call in seen.last.values() {
        for tool in call.request.tools.iter() {
            let RequestTool::Functions(declarations) = tool else { continue };
            let of_tools =
                declarations.iter().filter(|declaration| matches!(declaration.origin, Origin::Tool { .. }));
            declared.extend(of_tools.map(|declaration| Str::from(declaration.name())));
        }
    }
    for event in &seen.experiment.session().events {
        for call in event.function_calls() {
            if let Some(name) = &call.name {
                declared.remove(name);
            }
        }
    }
    declared.retain(|name| !RUNTIME.contains(&&**name));
    if declared.is_empty() {
        return None;
    }
    let names: Vec<&str> = declared.iter().map(|name| &**name).collect();
    let title = match &names[..] {
        [only] => format!("Drop {only}, which this session never calls"),
        several => format!("Drop {} tools that this session never calls", several.len()),
    };
    let mut candidate =
        Candidate::insert(title, "drop_tools", &[("tools", words(names))]).answering(&["duplicate-tools"]);
    candidate.tools = declared.into_iter().collect();
    Some(candidate)
}
