//! The tools, one file each: what it may be asked, and the answer from documents of strata-app.

mod budget;
mod compare_calls;
mod cost;
mod find;
mod numbers;
mod plan_compaction;
mod sessions;
mod sub_agents;
mod what_broke_cache;
mod what_was_lost;
mod why_long;

use crate::spec::ToolSpec;

/// In the order in which clients list them.
pub(crate) const TOOLS: [ToolSpec; 10] = [
    why_long::TOOL,
    what_broke_cache::TOOL,
    find::TOOL,
    plan_compaction::TOOL,
    what_was_lost::TOOL,
    cost::TOOL,
    compare_calls::TOOL,
    sub_agents::TOOL,
    budget::TOOL,
    sessions::TOOL,
];
