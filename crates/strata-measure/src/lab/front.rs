//! Which rows no other row beats.

/// The places of the rows that no other is at least as good as in all measures and better in one. Lower is better. Of
/// equal rows the first stays.
pub(super) fn front<const N: usize>(rows: &[[f64; N]]) -> Vec<usize> {
    let beats = |a: usize, b: usize| {
        let is_as_good = rows[a].iter().zip(&rows[b]).all(|(a, b)| a <= b);
        let is_better = rows[a].iter().zip(&rows[b]).any(|(a, b)| a < b);
        is_as_good && (is_better || a < b)
    };
    let is_beaten = |at: usize| (0..rows.len()).any(|other| other != at && beats(other, at));
    (0..rows.len()).filter(|at| !is_beaten(*at)).collect()
}

#[cfg(test)]
mod tests {
    use super::front;

    #[test]
    fn only_what_nothing_beats_stays() {
        let rows = [[3.0, 1.0], [1.0, 3.0], [2.0, 2.0], [2.0, 3.0], [2.0, 2.0]];
        assert_eq!(front(&rows), [0, 1, 2]);
        assert_eq!(front::<2>(&[]), Vec::<usize>::new());
        assert_eq!(front(&[[1.0, 1.0], [1.0, 1.0]]), [0]);
        assert_eq!(front(&[[1.0, 1.0, 3.0], [1.0, 2.0, 0.0], [2.0, 2.0, 0.0]]), [0, 1]);
    }
}
