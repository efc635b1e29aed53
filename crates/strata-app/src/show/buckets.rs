//! Calls in so many columns of a chart.

use std::ops::RangeInclusive;

/// Consecutive calls that share a column.
pub(crate) fn buckets(from: u32, to: u32, last: u32, max_columns: u32) -> Vec<RangeInclusive<u32>> {
    let (from, to) = (from.max(1), to.min(last));
    if from > to {
        return Vec::new();
    }
    let n_calls = u64::from(to - from + 1);
    let n_columns = n_calls.min(u64::from(max_columns.max(1)));
    let start = |column: u64| from + (column * n_calls / n_columns) as u32;
    (0..n_columns).map(|column| start(column)..=start(column + 1) - 1).collect()
}

#[cfg(test)]
mod tests {
    use super::buckets;

    #[test]
    fn buckets_cover_every_call_once() {
        for (from, to, max) in [(1, 41, 41), (1, 41, 7), (5, 5, 3), (3, 1000, 40)] {
            let calls: Vec<u32> = buckets(from, to, 500, max).into_iter().flatten().collect();
            assert_eq!(calls, (from..=to.min(500)).collect::<Vec<_>>());
            assert!(buckets(from, to, 500, max).len() <= max as usize);
        }
        assert!(buckets(1, 0, 0, 10).is_empty());
    }
}
