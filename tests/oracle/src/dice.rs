//! Choices that look random and are the same for the same seed.

use strata_model::{Json, Object};
use strata_testkit::Seeded;

pub(crate) struct Dice {
    random: Seeded,
}

impl Dice {
    /// The choices of one case of a run.
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        let mut random = Seeded::new(seed);
        Self { random: Seeded::new(random.next_u64() ^ case.wrapping_mul(0xd6e8_feb8_6659_fd93)) }
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.random.next_u64()
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    /// From `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        self.random.between(low, high)
    }

    /// One of some items, of which there is at least one.
    pub(crate) fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        self.random.pick(items)
    }

    pub(crate) fn word(&mut self, words: &[&'static str]) -> &'static str {
        words[self.random.below(words.len())]
    }

    /// One of some items, each as likely as its weight says.
    pub(crate) fn weighted<'i, T>(&mut self, items: &'i [(usize, T)]) -> &'i T {
        let mut at = self.random.below(items.iter().map(|(weight, _)| weight).sum());
        for (weight, item) in items {
            match at.checked_sub(*weight) {
                Some(rest) => at = rest,
                None => return item,
            }
        }
        &items[0].1
    }

    /// A value in so many of a hundred cases, else null.
    pub(crate) fn maybe<T: Into<Json>>(
        &mut self,
        percent: usize,
        value: impl FnOnce(&mut Self) -> T,
    ) -> Json {
        if self.chance(percent) { value(self).into() } else { Json::Null }
    }

    /// From `low` to `high` values.
    pub(crate) fn several<T>(
        &mut self,
        low: usize,
        high: usize,
        mut value: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        (0..self.between(low, high)).map(|_| value(self)).collect()
    }
}

/// An object without the members that are null.
pub(crate) fn object<const N: usize>(members: [(&str, Json); N]) -> Object {
    members.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

pub(crate) fn json<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(object(members))
}
