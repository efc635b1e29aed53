//! Sets of calls.

/// Calls by their numbers, as ranges in order that do not touch; both ends of each included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CallSet {
    ranges: Vec<(u32, u32)>,
    /// Calls in the ranges before each.
    before: Vec<u32>,
    n_calls: u32,
}

impl CallSet {
    /// Ranges may overlap and come in any order.
    pub(super) fn of(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut sorted: Vec<(u32, u32)> = ranges.into_iter().collect();
        if !sorted.is_sorted() {
            sorted.sort_unstable();
        }
        let mut set = Self::default();
        for (from, to) in sorted {
            match set.ranges.last_mut() {
                Some(last) if from <= last.1 + 1 => {
                    set.n_calls += to.saturating_sub(last.1);
                    last.1 = last.1.max(to);
                }
                _ => {
                    set.ranges.push((from, to));
                    set.before.push(set.n_calls);
                    set.n_calls += to - from + 1;
                }
            }
        }
        set
    }

    pub(super) fn len(&self) -> u32 {
        self.n_calls
    }

    /// 0 if there is none.
    pub(super) fn first(&self) -> u32 {
        self.ranges.first().map_or(0, |(from, _)| *from)
    }

    /// 0 if there is none.
    pub(super) fn last(&self) -> u32 {
        self.ranges.last().map_or(0, |(_, to)| *to)
    }

    /// Calls that are in both.
    pub(super) fn n_shared(&self, other: &Self) -> u32 {
        other.ranges.iter().map(|(from, to)| self.up_to(*to) - self.up_to(from - 1)).sum()
    }

    /// Calls in it whose numbers are no higher.
    fn up_to(&self, call: u32) -> u32 {
        let after = self.ranges.partition_point(|(from, _)| *from <= call);
        let Some(at) = after.checked_sub(1) else { return 0 };
        let (from, to) = self.ranges[at];
        self.before[at] + to.min(call) - from + 1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::CallSet;

    fn ranges() -> impl Strategy<Value = Vec<(u32, u32)>> {
        prop::collection::vec((1..60_u32, 0..9_u32).prop_map(|(from, n)| (from, from + n)), 0..12)
    }

    proptest! {
        #[test]
        fn behaves_as_a_set(a in ranges(), b in ranges()) {
            let naive = |ranges: &[(u32, u32)]| -> BTreeSet<u32> {
                ranges.iter().flat_map(|(from, to)| *from..=*to).collect()
            };
            let (x, y) = (naive(&a), naive(&b));
            let (a, b) = (CallSet::of(a), CallSet::of(b));
            prop_assert_eq!(a.len() as usize, x.len());
            prop_assert_eq!((a.first(), a.last()), (x.first().copied().unwrap_or(0), x.last().copied().unwrap_or(0)));
            prop_assert_eq!(a.n_shared(&b) as usize, x.intersection(&y).count());
            prop_assert_eq!(naive(&a.ranges), x);
        }
    }
}
