//! The time by which contexts live.

use strata_context::Millis;

use crate::import::now_ms;

/// Tells the time. Tests have one whose hands they move.
pub trait ContextClock: Send + Sync {
    fn now(&self) -> Millis;
}

/// The clock of this computer.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl ContextClock for SystemClock {
    fn now(&self) -> Millis {
        now()
    }
}

/// By the clock of this computer.
pub fn now() -> Millis {
    Millis(now_ms())
}
