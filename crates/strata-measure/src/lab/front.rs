//! Which rows no other row beats.

/// The places of the rows that no other is at least as good as in both measures and better in one. Lower is better;
/// rows without a measure take no part. Of equal rows the first stays.
pub(super) fn front(rows: &[Option<(f64, f64)>]) -> Vec<usize> {
    let beats = |(a, at_a): ((f64, f64), usize), (b, at_b): ((f64, f64), usize)| {
        a.0 <= b.0 && a.1 <= b.1 && (a != b || at_a < at_b)
    };
    let present = || rows.iter().enumerate().filter_map(|(at, row)| Some(((*row)?, at)));
    present()
        .filter(|(row, at)| {
            !present().any(|(other, at_other)| at_other != *at && beats((other, at_other), (*row, *at)))
        })
        .map(|(_, at)| at)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::front;

    #[test]
    fn only_what_nothing_beats_stays() {
        let rows =
            [Some((3.0, 1.0)), Some((1.0, 3.0)), Some((2.0, 2.0)), Some((2.0, 3.0)), None, Some((2.0, 2.0))];
        assert_eq!(front(&rows), [0, 1, 2]);
        assert_eq!(front(&[]), Vec::<usize>::new());
        assert_eq!(front(&[Some((1.0, 1.0)), Some((1.0, 1.0))]), [0]);
    }
}
