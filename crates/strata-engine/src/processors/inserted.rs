//! Strata's own processors, which experiments put into flows. Most make prompts smaller.
//!
//! Those that look at one content at a time are [`ContentRule`]s: what they make of a history is built on from one
//! call to the next, as histories themselves are. The others are processors like ADK's.
//!
//! None of them touches what an experiment has pinned, and all of them say in the origin what they wrote.

mod behind_history;
mod by_request;
mod cap_rows;
mod compact_output;
mod compact_state;
mod context_filter;
mod deduplicate;
mod drop_thoughts;
mod drop_tools;
mod memo;
mod move_volatile;
mod offload_results;
mod results;
mod retention;
mod rule;
mod script;
mod strip_agent_traffic;
mod summarize_results;
mod tables;
mod truncate_middle;

pub use super::callbacks::is_relayed_traffic;
pub use behind_history::{Rewritten, moved_behind};
pub use compact_state::{StateField, state_fields};
pub use tables::tables;

use super::kind::ProcessorKind;

pub(super) const KINDS: &[&ProcessorKind] = &[
    &strip_agent_traffic::KIND,
    &cap_rows::KIND,
    &summarize_results::KIND,
    &truncate_middle::KIND,
    &offload_results::KIND,
    &deduplicate::KIND,
    &compact_output::KIND,
    &drop_thoughts::KIND,
    &retention::KIND,
    &context_filter::KIND,
    &compact_state::KIND,
    &move_volatile::KIND,
    &drop_tools::KIND,
    &script::KIND,
];
