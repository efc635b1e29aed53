//! Edits laid over a session: each is applied to what the ones before it left.

mod app;
mod apply;
mod compaction;
mod draft;
mod events;
mod flow;

pub use apply::{EditDraft, Edited};
