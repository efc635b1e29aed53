//! Prefixes of ids: advice for whoever names contexts, and never a rule.

use crate::id::ContextId;

/// Prefixes in use, with what a context called so is for.
pub const NAMES: [(&str, &str); 3] = [
    ("ctx-discovery-", "looking for products"),
    ("ctx-campaign-", "a workflow that buys"),
    ("ctx-creative-", "iterations of creatives"),
];

/// What the name of a context tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// What it is for.
    Known(&'static str),
    /// A prefix of one's own: `ctx-NAME-…`.
    Own,
    /// Nothing. The context works all the same.
    Silent,
}

pub fn naming(id: &ContextId) -> Naming {
    let id = id.as_str();
    if let Some((_, purpose)) = NAMES.iter().find(|(prefix, _)| id.starts_with(prefix)) {
        return Naming::Known(purpose);
    }
    let named = id.strip_prefix("ctx-").and_then(|rest| rest.split_once('-'));
    if named.is_some_and(|(name, rest)| !name.is_empty() && !rest.is_empty()) {
        Naming::Own
    } else {
        Naming::Silent
    }
}
