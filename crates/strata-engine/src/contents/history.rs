//! Histories for callers outside of a compile.

use std::sync::Arc;

use strata_model::{Branch, Content, NodePath, RequestContent, Str};

use super::build::build_contents;
use super::current_turn;
use super::omission::Omissions;
use super::rules::HistoryRules;
use super::scope::ContentsScope;
use crate::log::{EventView, LoggedEvent};

/// Whose history is shown, for callers outside of a compile.
#[derive(Debug, Clone, Copy)]
pub struct History<'h> {
    /// Empty: nobody's; then nothing counts as another agent's.
    pub agent_name: &'h str,
    pub branch: Option<&'h Str>,
    pub isolation_scope: Option<&'h str>,
    pub node_path: &'h NodePath,
    pub is_single_turn: bool,
    pub include_thoughts_from_other_agents: bool,
    pub keep_client_ids: bool,
    pub user_content: Option<&'h Content>,
}

impl History<'_> {
    /// The contents of everything the agent sees.
    pub fn contents(&self, events: EventView<'_>) -> Vec<Arc<RequestContent>> {
        let events: Vec<&LoggedEvent> = events.iter().collect();
        build_contents(&events, &self.scope(), &mut Omissions::default())
    }

    /// The contents of the turn the agent is in.
    pub fn current_turn(&self, events: EventView<'_>) -> Vec<Arc<RequestContent>> {
        current_turn::build(events, &self.scope(), &mut Omissions::default())
    }

    fn scope(&self) -> ContentsScope<'_> {
        ContentsScope {
            agent_name: self.agent_name,
            branch: Branch::of(self.branch),
            isolation_scope: self.isolation_scope,
            node_path: self.node_path,
            is_single_turn: self.is_single_turn,
            include_thoughts: self.include_thoughts_from_other_agents,
            keep_client_ids: self.keep_client_ids,
            user_content: self.user_content,
            rules: HistoryRules::KNOWN,
        }
    }
}
