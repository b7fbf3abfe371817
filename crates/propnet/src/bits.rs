//! Bits: those that are set, and rows to columns. A state is a row of facts, a lane is a column.

use ludolog_game::State;

/// Bits in a row.
pub const SIDE: usize = 64;

/// Words of a state that make a row of a square of bits.
const WORDS_OF_ROW: usize = SIDE / u32::BITS as usize;

/// A state as bits, one for each fact of the net.
pub trait StateBits {
    /// The word of this number, of 64 facts.
    fn word(&self, number: usize) -> u64;
}

impl StateBits for State {
    #[inline(always)]
    fn word(&self, number: usize) -> u64 {
        let words = &self.words()[WORDS_OF_ROW * number..];
        u64::from(words[0]) | words.get(1).map_or(0, |&high| u64::from(high) << u32::BITS)
    }
}

impl StateBits for [u64] {
    #[inline(always)]
    fn word(&self, number: usize) -> u64 {
        self[number]
    }
}

impl<F: StateBits + ?Sized> StateBits for &F {
    #[inline(always)]
    fn word(&self, number: usize) -> u64 {
        (**self).word(number)
    }
}

/// Exchanges rows and columns of a square of bits: bit `j` of row `i` becomes bit `i` of row `j`.
///
/// Blocks off the diagonal are exchanged, from halves down to single bits (Warren, *Hacker's Delight*, section 7-3).
#[inline(always)]
pub fn transpose(rows: &mut [u64; SIDE]) {
    let mut half = SIDE / 2;
    let mut low = u64::MAX >> half;
    while half > 0 {
        for rows in rows.chunks_exact_mut(2 * half) {
            let (upper, lower) = rows.split_at_mut(half);
            for (upper, lower) in upper.iter_mut().zip(lower) {
                let exchanged = (*upper >> half ^ *lower) & low;
                *upper ^= exchanged << half;
                *lower ^= exchanged;
            }
        }
        half /= 2;
        low ^= low << half;
    }
}

/// The places of bits that are set, ascending.
#[inline]
pub fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    (0..).zip(words).flat_map(|(place, &word)| ones_of_word(word).map(move |bit| 64 * place + bit))
}

/// The places of bits that are set in a word, ascending.
#[inline]
pub fn ones_of_word(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_change_places() {
        let mut rows = [0; SIDE];
        for (row, column) in [(0, 0), (0, 63), (3, 40), (17, 18), (63, 1)] {
            rows[row] |= 1 << column;
        }
        let mut columns = rows;
        transpose(&mut columns);
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                assert_eq!(row >> j & 1, column >> i & 1, "row {i}, column {j}");
            }
        }
    }

    #[test]
    fn ones_are_places() {
        assert_eq!(ones(&[1 << 63 | 1, 0, 4]).collect::<Vec<_>>(), [0, 63, 130]);
    }
}
