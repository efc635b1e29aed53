//! Edits laid over a session: each is applied to what the ones before it left.

mod app;
mod apply;
mod compaction;
mod draft;
mod events;
mod flow;
mod note;

pub use apply::{EditDraft, Edited};
pub use note::EditNote;
