//! The latest of many.

use std::collections::VecDeque;

/// Few enough to follow a session whose prompts grow by prose first and by tables later.
const LIMIT: usize = 64;

/// Up to [`LIMIT`] values, the oldest of which are forgotten.
#[derive(Debug, Clone)]
pub(super) struct Recent<T>(VecDeque<T>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Recent<T> {
    pub(super) fn push(&mut self, value: T) {
        if self.0.len() == LIMIT {
            self.0.pop_front();
        }
        self.0.push_back(value);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The sum of what `of` makes of each value.
    pub(super) fn sum(&self, of: impl Fn(&T) -> f64) -> f64 {
        self.0.iter().map(of).sum()
    }
}
