//! Counts of prompts beside what their provider reported.

/// A call of which both are known: our count of its prompt, and the input tokens its provider reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    pub ours: u32,
    pub reported: u32,
}

impl Measured {
    /// Tokens that our count missed; negative if it has too many.
    pub fn residual(self) -> i64 {
        i64::from(self.reported) - i64::from(self.ours)
    }
}

/// An earlier call with a report, and how much of its prompt stands at the start of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    pub call: Measured,
    /// Our count of the prefix that both prompts have.
    pub shared: u32,
}

impl Anchor {
    /// A call whose whole prompt is continued.
    pub fn whole(call: Measured) -> Self {
        Self { call, shared: call.ours }
    }

    pub(super) fn is_whole(self) -> bool {
        self.shared == self.call.ours
    }

    /// Our count of what this prompt or the one of `ours` tokens has alone.
    pub(super) fn difference(self, ours: u32) -> u32 {
        let alone = |prompt: u32| prompt.saturating_sub(self.shared);
        alone(self.call.ours).saturating_add(alone(ours))
    }
}
