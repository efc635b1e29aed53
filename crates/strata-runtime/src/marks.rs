//! How far the agents of an invocation have come, as the marks of a resumable app tell.

use std::collections::HashMap;

use strata_model::{Event, Object, Str};

/// By node path, or by name outside of nodes.
#[derive(Debug, Default)]
pub(crate) struct AgentMarks {
    states: HashMap<Str, Object>,
    ended: HashMap<Str, bool>,
}

impl AgentMarks {
    /// Reads the marks of an invocation's events, oldest first.
    pub(crate) fn read<'e>(events: impl Iterator<Item = &'e Event>) -> Self {
        let mut marks = Self::default();
        for event in events {
            let path = event.node_info.path.as_str();
            let key: Str = if path.is_empty() { event.author.clone() } else { path.into() };
            if event.actions.end_of_agent == Some(true) {
                marks.set_ended(key);
            } else if let Some(state) = &event.actions.agent_state {
                marks.set_state(key, state.clone());
            } else if !event.is_from_user()
                && event.content.is_some()
                && marks.state(&key).is_none_or(Object::is_empty)
            {
                marks.set_state(key, Object::new());
            }
        }
        marks
    }

    pub(crate) fn state(&self, key: &str) -> Option<&Object> {
        self.states.get(key)
    }

    pub(crate) fn set_state(&mut self, key: Str, state: Object) {
        self.ended.insert(key.clone(), false);
        self.states.insert(key, state);
    }

    pub(crate) fn set_ended(&mut self, key: Str) {
        self.states.remove(&key);
        self.ended.insert(key, true);
    }

    pub(crate) fn forget(&mut self, key: &str) {
        self.states.remove(key);
        self.ended.remove(key);
    }

    /// Whether there is a mark of an end, be it that it ended or that it runs again.
    pub(crate) fn has_end_mark(&self, key: &str) -> bool {
        self.ended.contains_key(key)
    }

    pub(crate) fn has_ended(&self, key: &str) -> bool {
        self.ended.get(key).copied().unwrap_or(false)
    }
}
