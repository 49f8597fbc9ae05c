//! The linear assignment problem: which neuron goes to which place?

use crate::cancellation::{is_cut_off, poll};

/// For a square matrix of gains, row by row, the assignment with the greatest total: `result[row] = column`.
///
/// The Hungarian method with potentials, one augmenting path for each row, $O(N^3)$. If it is cut off, every
/// row keeps its place.
pub(super) fn greatest(gains: &[f64], n: usize) -> Vec<usize> {
    // Rows and columns count from 1; 0 stands for none.
    let cost = |row: usize, column: usize| -gains[(row - 1) * n + column - 1];
    let (mut row_potential, mut column_potential) = (vec![0.0; n + 1], vec![0.0; n + 1]);
    // The row of each column, and the column before it on the augmenting path.
    let (mut row_of, mut before) = (vec![0; n + 1], vec![0; n + 1]);
    let (mut slack, mut is_visited) = (vec![0.0; n + 1], vec![false; n + 1]);
    for row in 1..=n {
        if is_cut_off() {
            return (0..n).collect();
        }
        row_of[0] = row;
        slack.fill(f64::INFINITY);
        is_visited.fill(false);
        let mut column = 0;
        while row_of[column] != 0 {
            if poll(4 * n) {
                return (0..n).collect();
            }
            is_visited[column] = true;
            let from = row_of[column];
            let (mut least, mut next) = (f64::INFINITY, 0);
            for c in 1..=n {
                if is_visited[c] {
                    continue;
                }
                let reduced = cost(from, c) - row_potential[from] - column_potential[c];
                if reduced < slack[c] {
                    (slack[c], before[c]) = (reduced, column);
                }
                if slack[c] < least || next == 0 {
                    (least, next) = (slack[c], c);
                }
            }
            for c in 0..=n {
                if is_visited[c] {
                    row_potential[row_of[c]] += least;
                    column_potential[c] -= least;
                } else {
                    slack[c] -= least;
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[before[column]];
            column = before[column];
        }
    }
    let mut result = vec![0; n];
    for column in 1..=n {
        result[row_of[column] - 1] = column - 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Streams};

    fn total(gains: &[f64], n: usize, columns: &[usize]) -> f64 {
        columns.iter().enumerate().map(|(row, column)| gains[row * n + column]).sum()
    }

    /// The greatest total over all permutations.
    fn brute_force(gains: &[f64], n: usize, columns: &mut Vec<usize>) -> f64 {
        if columns.len() == n {
            return total(gains, n, columns);
        }
        let mut best = f64::NEG_INFINITY;
        for column in 0..n {
            if !columns.contains(&column) {
                columns.push(column);
                best = best.max(brute_force(gains, n, columns));
                columns.pop();
            }
        }
        best
    }

    #[test]
    fn equals_brute_force() {
        for n in 1..=6 {
            for case in 0..60 {
                let mut rng = Streams::new(case, Purpose::Data, n as u64).of(0);
                let gains: Vec<f64> = (0..n * n)
                    .map(|_| if case % 3 == 0 { rng.below(4) as f64 } else { rng.normal() })
                    .collect();
                let found = greatest(&gains, n);
                let mut columns = found.clone();
                columns.sort_unstable();
                assert_eq!(columns, (0..n).collect::<Vec<_>>());
                let expected = brute_force(&gains, n, &mut Vec::new());
                assert!((total(&gains, n, &found) - expected).abs() < 1e-9, "{n} {case}");
            }
        }
    }
}
