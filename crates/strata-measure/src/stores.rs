//! What a session's stores held at each call, and what of it reached prompts.

mod hand_offs;
mod state;

pub use hand_offs::{HandOff, Via, hand_offs};
pub use state::{KeyWrite, StateStore, StoredValue};
