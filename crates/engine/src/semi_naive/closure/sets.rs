//! Sets of numbers: bits, or lists where the numbers are few.

use super::transpose::transposed;
use crate::semi_naive::lists::Lists;

/// Bits of a word of a bit set.
pub(super) const WORD: usize = 64;

/// Numbered sets of small numbers.
pub(super) enum Sets {
    /// A bit for each number that may be in a set.
    Bits {
        bits: Vec<u64>,
        /// The words of a set.
        words: usize,
    },
    /// The numbers of one set after those of another.
    Lists(Lists<u32>),
}

impl Default for Sets {
    fn default() -> Self {
        Sets::Lists(Lists::default())
    }
}

impl Sets {
    /// The numbers of a set from a position on, each with its position.
    #[inline]
    pub fn from(&self, set: usize, mut position: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        std::iter::from_fn(move || {
            let (at, number) = self.next(set, position)?;
            position = at + 1;
            Some((at, number))
        })
    }

    /// The number of a set at the first position from this one on that has any, with that position.
    #[inline]
    pub fn next(&self, set: usize, position: usize) -> Option<(usize, usize)> {
        match self {
            Sets::Bits { bits, words } => {
                next_one(&bits[set * words..(set + 1) * words], position).map(|number| (number, number))
            }
            Sets::Lists(lists) => lists.list(set).get(position).map(|&number| (position, number as usize)),
        }
    }

    /// Visits the numbers of a set, in the order of their positions.
    pub fn for_each(&self, set: usize, mut visit: impl FnMut(usize)) {
        match self {
            Sets::Bits { bits, words } => {
                for (word, &bits) in bits[set * words..(set + 1) * words].iter().enumerate() {
                    let mut left = bits;
                    while left != 0 {
                        visit(word * WORD + left.trailing_zeros() as usize);
                        left &= left - 1;
                    }
                }
            }
            Sets::Lists(lists) => lists.list(set).iter().for_each(|&number| visit(number as usize)),
        }
    }

    /// For each of so many numbers, the sets that it is in; their order is that of the sets.
    pub fn transposed(&self, numbers: usize) -> Sets {
        match self {
            Sets::Bits { bits, words } => {
                let bits = transposed(bits, *words);
                Sets::Bits { words: bits.len() / (words * WORD), bits }
            }
            Sets::Lists(lists) => {
                Sets::Lists(Lists::grouped(numbers, lists.pairs().map(|(list, number)| (number as usize, list as u32))))
            }
        }
    }

    /// The number of sets.
    pub fn len(&self) -> usize {
        match self {
            Sets::Bits { bits, words } => bits.len() / (*words).max(1),
            Sets::Lists(lists) => lists.len(),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Sets::Bits { bits, .. } => bits.capacity() * 8,
            Sets::Lists(lists) => lists.bytes(),
        }
    }
}

/// The position of the first one of a bit set at or after `from`.
fn next_one(set: &[u64], from: usize) -> Option<usize> {
    let mut word = from / WORD;
    let mut bits = set.get(word)? & (u64::MAX << (from % WORD));
    while bits == 0 {
        word += 1;
        bits = *set.get(word)?;
    }
    Some(word * WORD + bits.trailing_zeros() as usize)
}
