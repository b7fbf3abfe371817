//! Linear equations with a symmetric positive definite matrix, by Cholesky factorization within its envelope.
//!
//! Of each row the entries from the first that is not zero to the diagonal are kept. The factor has no others (A. Jennings, *A compact storage
//! scheme for the solution of symmetric linear simultaneous equations*, 1966; A. George, J. Liu: *Computer Solution of Large Sparse Positive
//! Definite Systems*, 1981, chapter 4). Where rows are short, as in the band that a board's circuit is, that is what a sparse factorization
//! finds, without a search for the places of its entries. Time is quadratic in the length of each row, space linear.

/// A symmetric matrix.
pub(crate) struct EnvelopeMatrix {
    rows: Vec<EnvelopeRow>,
}

/// The entries of a row up to its diagonal.
struct EnvelopeRow {
    /// The column of the first.
    first: usize,
    entries: Vec<f64>,
}

impl EnvelopeMatrix {
    /// The matrix of so many rows whose entries are the sums of those given, by row and column. One off the diagonal stands on its other side
    /// as well, and is given once.
    pub fn new(size: usize, entries: &[(usize, usize, f64)]) -> EnvelopeMatrix {
        let mut first: Vec<usize> = (0..size).collect();
        for &(row, column, _) in entries {
            let least = &mut first[row.max(column)];
            *least = (*least).min(row.min(column));
        }
        let row = |(number, first): (usize, usize)| EnvelopeRow { first, entries: vec![0.0; number + 1 - first] };
        let mut rows: Vec<EnvelopeRow> = first.into_iter().enumerate().map(row).collect();
        for &(row, column, value) in entries {
            let EnvelopeRow { first, entries } = &mut rows[row.max(column)];
            entries[row.min(column) - *first] += value;
        }
        EnvelopeMatrix { rows }
    }

    /// The unknowns by which the product with the matrix is `right`, one number for each row. The matrix is positive definite; no number is
    /// one otherwise.
    pub fn solve(self, right: Vec<f64>) -> Vec<f64> {
        self.factored().solve(right)
    }

    /// The factor, for several right-hand sides.
    pub fn factored(mut self) -> EnvelopeFactor {
        self.factor();
        EnvelopeFactor { rows: self.rows }
    }

    /// Turns the matrix into the lower triangle whose product with its mirror image it is.
    fn factor(&mut self) {
        for number in 0..self.rows.len() {
            let (above, rest) = self.rows.split_at_mut(number);
            let EnvelopeRow { first, entries } = &mut rest[0];
            let first = *first;
            for (column, other) in above.iter().enumerate().skip(first) {
                // Both rows from the first column that both have.
                let common = first.max(other.first);
                let (known, open) = entries.split_at_mut(column - first);
                let (last, theirs) = other.split();
                open[0] = (open[0] - product(&known[common - first..], &theirs[common - other.first..])) / last;
            }
            if let Some((last, before)) = entries.split_last_mut() {
                *last = (*last - product(before, before)).sqrt();
            }
        }
    }
}

/// A lower triangle whose product with its mirror image is a symmetric matrix.
pub(crate) struct EnvelopeFactor {
    rows: Vec<EnvelopeRow>,
}

impl EnvelopeFactor {
    /// The unknowns by which the product with the matrix is `right`, one number for each row.
    pub fn solve(&self, right: Vec<f64>) -> Vec<f64> {
        let mut unknowns = right;
        for (number, row) in self.rows.iter().enumerate() {
            let (last, before) = row.split();
            unknowns[number] = (unknowns[number] - product(before, &unknowns[row.first..number])) / last;
        }
        for (number, row) in self.rows.iter().enumerate().rev() {
            let (last, before) = row.split();
            let unknown = unknowns[number] / last;
            unknowns[number] = unknown;
            unknowns[row.first..number].iter_mut().zip(before).for_each(|(other, entry)| *other -= entry * unknown);
        }
        unknowns
    }
}

impl EnvelopeRow {
    /// The entry on the diagonal, and those before it.
    fn split(&self) -> (f64, &[f64]) {
        self.entries.split_last().map_or((1.0, &[]), |(last, before)| (*last, before))
    }
}

/// The sum of the products of two lists of the same length.
fn product(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(one, other)| one * other).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 4x + 2y = 10 and 2x + 5y = 13, by hand x = 1.5 and y = 2.
    #[test]
    fn two_equations() {
        let unknowns = EnvelopeMatrix::new(2, &[(0, 0, 4.0), (0, 1, 2.0), (1, 1, 5.0)]).solve(vec![10.0, 13.0]);
        assert!((unknowns[0] - 1.5).abs() < 1e-12 && (unknowns[1] - 2.0).abs() < 1e-12, "{unknowns:?}");
    }

    proptest! {
        /// Random wires between 30 nodes, each grounded by a wire of its own, so that the matrix is positive definite.
        #[test]
        fn solutions_solve(wires in prop::collection::vec((0..30usize, 0..30usize, 0.1..10.0f64), 0..120)) {
            let mut entries: Vec<(usize, usize, f64)> = (0..30).map(|node| (node, node, 0.5)).collect();
            for (a, b, conductance) in wires.into_iter().filter(|(a, b, _)| a != b) {
                entries.extend([(a, a, conductance), (b, b, conductance), (a, b, -conductance)]);
            }
            let mut whole = vec![[0.0; 30]; 30];
            for &(row, column, value) in &entries {
                whole[row][column] += value;
                if row != column {
                    whole[column][row] += value;
                }
            }
            let right: Vec<f64> = (0..30).map(|row| f64::from(row % 7) - 3.0).collect();
            let unknowns = EnvelopeMatrix::new(30, &entries).solve(right.clone());
            for (row, wanted) in whole.iter().zip(&right) {
                prop_assert!((product(row, &unknowns) - wanted).abs() < 1e-9);
            }
        }
    }
}
