//! What time makes of a context.

use crate::context::Context;
use crate::lifecycle::{ContextState, IDLE_AFTER, INTERACTIVE_TTL, Ttl};
use crate::time::Millis;

/// When it expires if nothing else happens. `None`: not by the clock. Open tasks stop it, whatever they wait for.
pub fn expires_at(context: &Context) -> Option<Millis> {
    if !context.active_tasks.is_empty() {
        return None;
    }
    let span = match context.ttl {
        Ttl::Interactive { seconds } => Millis::seconds(i64::from(seconds)),
        Ttl::Async if context.n_completed == 0 => return None,
        Ttl::Async => INTERACTIVE_TTL,
        Ttl::HumanInTheLoop => return None,
    };
    Some(context.updated_at.after(span))
}

/// The state at a time. Between two stored states, idle and expired come by themselves; expired stays.
pub fn state_at(context: &Context, now: Millis) -> ContextState {
    if context.state == ContextState::Expired || expires_at(context).is_some_and(|at| at <= now) {
        return ContextState::Expired;
    }
    if context.state == ContextState::Archived {
        return ContextState::Archived;
    }
    if now.since(context.updated_at) > IDLE_AFTER { ContextState::Idle } else { ContextState::Active }
}
