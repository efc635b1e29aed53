//! Model requests as providers read them.
//!
//! A provider renders a request into one sequence of tokens: tool definitions first, then the schema of the answer, the
//! system instruction, and the conversation. Whatever compares or counts prompts does so in this order, segment by
//! segment ([`segments`]); where a chat template has another one, [`PrefixOrder`] says so.
//!
//! How a request is sent to each provider, and how its answer is read, is [`exchange`].
//!
//! What a provider keeps of a prompt, for how long and from which size on is data: [`CacheRules`]. What it says that
//! it found there is read by [`UsageReport`].
#![warn(clippy::disallowed_methods)]

mod cache_rules;
pub mod exchange;
mod order;
mod segment;
mod usage;

pub use cache_rules::{CacheRule, CacheRules, CacheRulesError, Machine, Mark};
pub use order::{PrefixOrder, prefix_segments};
pub use segment::{Item, Path, Segment, definitions, find, prompt_segments, segments, settings};
pub use usage::UsageReport;
