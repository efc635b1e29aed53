//! The marks an agent of a resumable app leaves: where it stands, and that it has ended.

use strata_engine::AgentId;
use strata_model::{Event, EventActions, Object, Str};

use crate::context::InvocationContext;

/// An agent's marks in an invocation.
pub(crate) struct AgentMark<'m> {
    invocation: &'m InvocationContext,
    name: Str,
    /// The node's path where the agent is the node at hand, else its name.
    key: Str,
}

impl<'m> AgentMark<'m> {
    pub(crate) fn of(invocation: &'m InvocationContext, name: &Str) -> Self {
        let path = &invocation.node_path;
        let leaf = path.rsplit('/').next().unwrap_or_default();
        let is_own = leaf.rsplit_once('@').map_or(leaf, |(name, _)| name) == &**name;
        let key = if !path.is_empty() && is_own { path.clone() } else { name.clone() };
        Self { invocation, name: name.clone(), key }
    }

    /// Where the agent stood when it was left; `None`: it begins.
    pub(crate) fn state(&self) -> Option<Object> {
        let marks = self.invocation.run.marks.lock();
        let by_name = || marks.state(&self.name).filter(|_| !marks.has_end_mark(&self.key));
        marks.state(&self.key).or_else(by_name).cloned()
    }

    pub(crate) fn set_state(&self, state: Object) {
        self.invocation.run.marks.lock().set_state(self.key.clone(), state);
    }

    pub(crate) fn set_ended(&self) {
        self.invocation.run.marks.lock().set_ended(self.key.clone());
    }

    /// The event that tells of the mark as it is now.
    pub(crate) fn event(&self) -> Event {
        let has_ended = {
            let marks = self.invocation.run.marks.lock();
            marks.has_ended(&self.key) || (!marks.has_end_mark(&self.key) && marks.has_ended(&self.name))
        };
        let actions = EventActions {
            agent_state: self.state(),
            end_of_agent: has_ended.then_some(true),
            ..EventActions::default()
        };
        Event { actions, ..self.invocation.event(self.name.clone()) }
    }

    /// Marks the end and tells of it.
    pub(crate) fn end_event(&self) -> Event {
        self.set_ended();
        self.event()
    }
}

/// Lets the agents below one run again from their beginning.
pub(crate) fn reset_below(invocation: &InvocationContext, agent: AgentId) {
    for sub_agent in invocation.index().sub_agents(agent) {
        let name = &invocation.index().agent(*sub_agent).name;
        let key = AgentMark::of(invocation, name).key;
        invocation.run.marks.lock().forget(&key);
        reset_below(invocation, *sub_agent);
    }
}
