//! Compaction as a plan: which events google-adk would replace by a summary, when, and what the summariser is asked
//! (`ADK.md` section 4). Nothing here calls a model; a summary that was written enters as an event.

mod check;
mod config;
mod format;
mod job;
mod pins;
mod prefix;
mod size;
pub mod steps;
mod summarizer;
#[cfg(test)]
mod tests;
mod trigger;
mod window;

pub use check::CompactionCheck;
pub use config::{CompactionConfig, ConfigSyntaxError, Policy, SlidingWindow, Steps, TokenThreshold};
pub use format::PromptError;
pub use job::{SummaryJob, summarizer_model};
pub use pins::split_around;
pub use size::WorthCheck;
pub use summarizer::{
    MAX_TOOL_CHARACTERS, SummarizerReach, summarizer_lines, summarizer_prompt, summarizer_reach,
};
pub use trigger::{Decision, TokenScope, after_invocation, sliding_window, token_threshold};
pub use window::{Trigger, Window};
