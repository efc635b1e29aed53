//! Which calls of tools failed. The span of a tool says so, and not which call it ran for: that is found by what was called.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use strata_model::{FunctionCall, Json, Object, Str};
use strata_wire::Answer;
use strata_wire::message::{Turn, arguments};

#[derive(Default)]
pub(super) struct ToolRuns {
    /// The calls in the last answer of each agent, by its span, that no tool was seen to run for.
    open: HashMap<Option<Str>, Vec<FunctionCall>>,
    /// The ids of calls whose tools failed.
    failed: HashSet<Str>,
}

impl ToolRuns {
    pub(super) fn answered(&mut self, agent: Option<Str>, answer: &Answer) {
        let calls = answer.parts().iter().filter_map(|part| part.function_call.as_deref().cloned());
        self.open.insert(agent, calls.collect());
    }

    /// Notes that a tool ran, by what its span tells of it. Returns whether its call is known.
    pub(super) fn ran(&mut self, agent: Option<&Str>, span: &Object, has_failed: bool) -> bool {
        let Some(open) = self.open.get_mut(&agent.cloned()) else { return false };
        let name = span.get("name").and_then(Json::as_str);
        let args = arguments(span.get("input").cloned());
        let is_named = |call: &FunctionCall| call.name.as_deref() == name;
        let is_same = |call: &FunctionCall| is_named(call) && call.args.as_deref() == args.as_ref();
        let same = open.iter().position(is_same).or_else(|| open.iter().position(is_named));
        let Some(call) = same.map(|at| open.remove(at)) else { return false };
        if has_failed {
            self.failed.extend(call.id);
        }
        true
    }

    /// Marks the results of tools that failed. All requests that repeat such a result have the mark.
    pub(super) fn mark_failed(&self, turns: &mut [Turn]) {
        for part in turns.iter_mut().flat_map(|turn| turn.parts.iter_mut()) {
            let Some(response) = part.function_response.as_deref_mut() else { continue };
            if response.id.as_ref().is_some_and(|id| self.failed.contains(id)) {
                Arc::make_mut(response.response.get_or_insert_default()).insert("isError", true);
            }
        }
    }
}
