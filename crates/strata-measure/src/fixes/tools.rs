//! Tools that nobody calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use strata_model::{Origin, RequestTool, Str};

use crate::analysis::CalledTools;

use super::candidate::{Candidate, words};
use super::seen::FixEvidence;

pub(super) fn candidates(seen: &FixEvidence<'_>) -> Option<Candidate> {
    let mut declared: BTreeSet<Str> = BTreeSet::new();
    // Requests may declare different tools.
    let mut last: Option<&Arc<Vec<RequestTool>>> = None;
    for call in seen.analysis.calls() {
        let tools = &call.request.tools;
        if last.replace(tools).is_some_and(|last| Arc::ptr_eq(last, tools)) {
            continue;
        }
        for tool in tools.iter() {
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
