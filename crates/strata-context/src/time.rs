//! Moments and spans, as they are handed in.

use serde::{Deserialize, Serialize};

/// Epoch milliseconds, or a number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    pub const fn minutes(n: i64) -> Self {
        Self(n * 60_000)
    }

    pub const fn seconds(n: i64) -> Self {
        Self(n.saturating_mul(1_000))
    }

    #[must_use]
    pub const fn after(self, span: Self) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// How long ago `earlier` was; nothing where the clock ran backwards since.
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0).max(0))
    }
}
