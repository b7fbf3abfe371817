//! Matrices of bits, rows and columns exchanged.

use super::sets::WORD;

/// The bit sets of the columns of a matrix, whose rows are bit sets of so many words, by blocks of 64 × 64 (Warren, *Hacker's Delight*, 2013, 7–3).
pub(super) fn transposed(rows: &[u64], words: usize) -> Vec<u64> {
    let count = rows.len() / words;
    let words_of_columns = count.div_ceil(WORD);
    let mut columns = vec![0; words * WORD * words_of_columns];
    for row in (0..count).step_by(WORD) {
        for word in 0..words {
            let mut block: [u64; WORD] =
                std::array::from_fn(|at| if row + at < count { rows[(row + at) * words + word] } else { 0 });
            transpose(&mut block);
            for (at, bits) in block.into_iter().enumerate() {
                columns[(word * WORD + at) * words_of_columns + row / WORD] = bits;
            }
        }
    }
    columns
}

/// Swaps rows and columns of 64 × 64 bits: quarters off the diagonal, then those of each quarter, down to single bits.
fn transpose(block: &mut [u64; WORD]) {
    let mut side = WORD / 2;
    let mut mask = u64::MAX >> side;
    while side > 0 {
        for row in (0..WORD).filter(|row| row & side == 0) {
            let swapped = (block[row] >> side ^ block[row + side]) & mask;
            block[row + side] ^= swapped;
            block[row] ^= swapped << side;
        }
        side /= 2;
        mask ^= mask << side;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_transposed() {
        // 130 rows of 70 columns: a bit where the column divides the row.
        let is_set = |row: usize, column: usize| row.is_multiple_of(column + 1);
        let mut rows = vec![0; 130 * 2];
        for (row, column) in (0..130).flat_map(|row| (0..70).map(move |column| (row, column))) {
            rows[row * 2 + column / 64] |= u64::from(is_set(row, column)) << (column % 64);
        }
        let columns = transposed(&rows, 2);
        assert_eq!(columns.len(), 128 * 3);
        for (row, column) in (0..192).flat_map(|row| (0..128).map(move |column| (row, column))) {
            let bit = columns[column * 3 + row / 64] >> (row % 64) & 1 == 1;
            assert_eq!(bit, row < 130 && column < 70 && is_set(row, column), "{row} {column}");
        }
    }
}
