//! Whose history it is.

use strata_model::{Branch, Content, NodePath};

use super::rules::HistoryRules;

/// Whose history is built, and how much of it that one may see.
#[derive(Clone)]
pub(crate) struct ContentsScope<'c> {
    pub agent_name: &'c str,
    pub branch: Branch<'c>,
    pub isolation_scope: Option<&'c str>,
    pub node_path: &'c NodePath,
    pub is_single_turn: bool,
    pub include_thoughts: bool,
    pub keep_client_ids: bool,
    pub user_content: Option<&'c Content>,
    pub rules: HistoryRules,
}

impl std::hash::Hash for ContentsScope<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.agent_name, self.branch, self.isolation_scope, self.node_path).hash(state);
        (self.is_single_turn, self.include_thoughts, self.keep_client_ids, self.rules).hash(state);
    }
}
