//! What a session's events become in a request: the history a model is shown (`ADK.md` section 3).
//!
//! The steps, in this order:
//!
//! 1. `select`: rewinds, then what this agent may see at all;
//! 2. `summaries`: events that a compaction covers give way to its summary;
//! 3. `present`: speech becomes text, other agents' words become quotations;
//! 4. `pairing`: calls and responses are brought together, and what has no partner is left out;
//! 5. `build`: ids the client made up are taken off, and a task's input is put first.
//!
//! `current_turn` cuts the history to the turn the agent is in, for agents that want no more; `incremental` builds on
//! from what earlier calls have settled.

mod build;
pub(crate) mod current_turn;
mod history;
pub(crate) mod incremental;
mod item;
mod omission;
mod pairing;
mod present;
mod rules;
mod scope;
mod select;
mod summaries;

pub(crate) use build::{build_contents, unknown_origin};
pub use history::History;
pub(crate) use omission::Omissions;
pub(crate) use rules::HistoryRules;
pub(crate) use scope::ContentsScope;
