//! Model requests as providers read them.
//!
//! A provider renders a request into one sequence of tokens: tool definitions first, then the schema of the answer, the
//! system instruction, and the conversation. Whatever compares or counts prompts does so in this order, segment by
//! segment ([`segments`]).
#![warn(clippy::disallowed_methods)]

mod segment;

pub use segment::{Item, Path, Segment, find, prompt_segments, segments, settings};
