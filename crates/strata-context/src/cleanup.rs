//! What time has made of contexts that nobody asked for.

use crate::context::Context;
use crate::expiry::{expires_at, state_at};
use crate::lifecycle::ContextState;
use crate::time::Millis;

/// What is to become of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    Stays,
    /// It is marked idle.
    Idle,
    /// Its time was up then. It is archived whole, and then taken away.
    ArchivedAndGone { at: Millis },
    /// As the one before, but there is nothing in it to keep: its id alone is remembered.
    Gone { at: Millis },
}

/// What is to become of a context at a time.
pub fn fate(context: &Context, now: Millis) -> Fate {
    match state_at(context, now) {
        ContextState::Expired => {
            let at = expires_at(context).map_or(context.updated_at, |at| at.min(now.max(context.updated_at)));
            if is_worth_keeping(context) { Fate::ArchivedAndGone { at } } else { Fate::Gone { at } }
        }
        ContextState::Idle if context.state != ContextState::Idle => Fate::Idle,
        ContextState::Idle | ContextState::Archived | ContextState::Active => Fate::Stays,
    }
}

/// Whether anything would be lost with it: something was said, remembered or done.
pub fn is_worth_keeping(context: &Context) -> bool {
    context.n_messages > 0
        || !context.working_state.is_empty()
        || !context.active_tasks.is_empty()
        || context.n_completed > 0
}
