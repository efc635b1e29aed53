//! The states of a context, and the kinds of clocks it lives by.

use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// Without anything happening for longer than this, a context is idle.
pub const IDLE_AFTER: Millis = Millis::minutes(5);

/// Without anything happening for so long, an interactive context ends.
pub const INTERACTIVE_TTL: Millis = Millis::minutes(60);

/// Where a context is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextState {
    /// In use.
    Active,
    /// Nothing happened for some minutes. The next request makes it active again.
    Idle,
    /// Put away for history. The next request takes it up again, until it expires.
    Archived,
    /// Its time is up. Nothing brings it back.
    Expired,
}

impl ContextState {
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Idle => "idle",
            Self::Archived => "archived",
            Self::Expired => "expired",
        }
    }
}

/// When a context's time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "class", rename_all = "snake_case")]
pub enum Ttl {
    /// So many seconds after the last time something happened; an hour where nobody says otherwise.
    Interactive { seconds: u32 },
    /// Not before its tasks have ended; then as an interactive one.
    Async,
    /// Never by the clock: people take days.
    HumanInTheLoop,
}

impl Default for Ttl {
    fn default() -> Self {
        Self::Interactive { seconds: (INTERACTIVE_TTL.0 / 1_000) as u32 }
    }
}

impl Ttl {
    pub fn class(self) -> &'static str {
        match self {
            Self::Interactive { .. } => "interactive",
            Self::Async => "async",
            Self::HumanInTheLoop => "human_in_the_loop",
        }
    }

    /// `None`: no clock.
    pub fn seconds(self) -> Option<u32> {
        match self {
            Self::Interactive { seconds } => Some(seconds),
            Self::Async | Self::HumanInTheLoop => None,
        }
    }

    pub fn of_class(class: &str) -> Option<Self> {
        [Self::default(), Self::Async, Self::HumanInTheLoop].into_iter().find(|ttl| ttl.class() == class)
    }
}
