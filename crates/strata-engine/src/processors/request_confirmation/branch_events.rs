//! The events of the agent's own place in a run, as processors that take up pending work see them.
//!
//! This is the opposite of what the contents of a request show: not the branches above the agent, but the ones below
//! it, and only what people said there.

use std::collections::HashSet;

use strata_model::app::AgentMode;
use strata_model::{Branch, Event};

use crate::context::CompileContext;
use crate::log::LoggedEvent;

/// The events of the agent's own place in a run, oldest first.
pub fn own_branch_events<'c>(context: &'c CompileContext<'c>) -> Vec<&'c LoggedEvent> {
    let own = OwnBranch::of(context);
    context.events.iter().filter(|logged| own.has(logged)).collect()
}

/// Which events belong to the agent's branch.
pub(crate) struct OwnBranch<'c> {
    context: &'c CompileContext<'c>,
    /// Ids of calls made on the branch or below it; only where there is a branch.
    call_ids: Option<HashSet<&'c str>>,
}

impl<'c> OwnBranch<'c> {
    pub(crate) fn of(context: &'c CompileContext<'c>) -> Self {
        let own = Branch::of(context.invocation.branch.as_ref());
        let call_ids = (!own.is_none()).then(|| {
            let is_below = |branch: Branch<'_>| branch == own || branch.is_below(own);
            let here = context.events.iter().filter(|logged| {
                let branch = Branch::of(logged.event.branch.as_ref());
                !branch.is_none() && is_below(branch)
            });
            here.flat_map(|logged| logged.event.function_calls().filter_map(|call| call.id.as_deref()))
                .collect()
        });
        Self { context, call_ids }
    }

    pub(crate) fn has(&self, logged: &LoggedEvent) -> bool {
        let event = &*logged.event;
        if !self.is_at_node(event) {
            return false;
        }
        let branch = &self.context.invocation.branch;
        if !event.is_from_user() {
            return event.branch == *branch;
        }
        let own = Branch::of(branch.as_ref());
        let is_near = event.branch.is_none()
            || branch.is_none()
            || event.branch == *branch
            || (!own.is_none() && Branch::of(event.branch.as_ref()).is_below(own));
        is_near && self.answers_own_calls(event)
    }

    /// An agent that answers once sees its own place in the workflow and what is below it.
    fn is_at_node(&self, event: &Event) -> bool {
        let own = &self.context.invocation.node_path;
        let path = &event.node_info.path;
        self.context.mode() != AgentMode::SingleTurn
            || own.is_empty()
            || path.is_empty()
            || path == own
            || path.is_below(own)
    }

    /// On a branch, responses only count where one of them answers a call made there.
    fn answers_own_calls(&self, event: &Event) -> bool {
        let Some(call_ids) = &self.call_ids else { return true };
        let mut ids = event.function_responses().filter_map(|response| response.id.as_deref()).peekable();
        ids.peek().is_none() || ids.any(|id| call_ids.contains(id))
    }
}
