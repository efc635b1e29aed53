//! What a compilation is worth: pure functions of stages and their working contexts.
//!
//! 1. [`tokens`] counts with embedded vocabularies, and says what a count is worth; [`prices`] says what it costs.
//! 2. [`analysis`] weighs every prompt of a session by what prompts share, compares it with the ones before it, finds
//!    what a cache keeps and who broke it, and keeps the ledger.
//! 3. [`findings`] says what is worth a person's time; [`fixes`] proposes edits and tries them on all calls.
//! 4. [`lab`] replays a session with another configuration of compaction; [`edited`] lays edits over a session that
//!    may ask for such a replay.
//! 5. [`before_after`] says why two recordings of one task do not come to the same.
//! 6. [`stores`] says what state held at each call and what of it reached prompts, and where agents hand over.
//!
//! Nothing here compiles a request, calls a model, reads a file, a clock or the environment.
#![warn(clippy::disallowed_methods)]

mod agent_answers;
pub mod analysis;
mod answer_fields;
pub mod before_after;
mod edited;
pub mod findings;
pub mod fixes;
pub mod lab;
mod names;
mod not_models;
pub mod phrases;
pub mod prices;
pub mod remedies;
mod schema_of;
pub mod stores;
pub mod tokens;
mod tool_parameters;

pub use edited::edited;
