//! Linear equations with as many unknowns as there are kinds.

use crate::tokens::sizes::SizeKind;

const N: usize = SizeKind::ALL.len();

pub(super) type Vector = [f64; N];
pub(super) type Matrix = [Vector; N];

/// `x` of `left · x = right`, by elimination. `left` is symmetric and has no direction without weight, so that no row
/// need be exchanged.
pub(super) fn solve(mut left: Matrix, mut right: Vector) -> Vector {
    for pivot in 0..N {
        let (at, of_right) = (left[pivot], right[pivot]);
        for row in pivot + 1..N {
            let times = left[row][pivot] / at[pivot];
            left[row].iter_mut().zip(at).for_each(|(entry, of_pivot)| *entry -= times * of_pivot);
            right[row] -= times * of_right;
        }
    }
    let mut solved = [0.0; N];
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|column| left[row][column] * solved[column]).sum();
        solved[row] = (right[row] - known) / left[row][row];
    }
    solved
}

pub(super) fn inverse(matrix: &Matrix) -> Matrix {
    let unit = |at: usize| std::array::from_fn(|row| if row == at { 1.0 } else { 0.0 });
    // Of a symmetric matrix, columns are rows.
    std::array::from_fn(|at| solve(*matrix, unit(at)))
}
