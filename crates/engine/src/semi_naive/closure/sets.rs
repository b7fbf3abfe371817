//! Sets of numbers: bits, or lists where the numbers are few.

use super::transpose::transposed;

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
    Lists(Lists),
}

impl Default for Sets {
    fn default() -> Self {
        Sets::Lists(Lists::default())
    }
}

/// Lists of numbers, one after the other.
#[derive(Default)]
pub(super) struct Lists {
    /// Where the numbers of each list end.
    pub ends: Vec<usize>,
    pub numbers: Vec<u32>,
}

impl Lists {
    /// The second numbers of pairs by the first ones, which are less than `lists`; those of one in the order of the pairs.
    pub fn grouped(lists: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut ends = vec![0; lists];
        pairs.clone().for_each(|(list, _)| ends[list as usize] += 1);
        let mut count = 0;
        // Each is where its list begins, until its numbers have come.
        ends.iter_mut().for_each(|end| (count, *end) = (count + *end, count));
        let mut numbers = vec![0; count];
        for (list, number) in pairs {
            let end = &mut ends[list as usize];
            numbers[*end] = number;
            *end += 1;
        }
        Lists { ends, numbers }
    }

    #[inline]
    pub fn list(&self, list: usize) -> &[u32] {
        let start = if list == 0 { 0 } else { self.ends[list - 1] };
        &self.numbers[start..self.ends[list]]
    }

    pub fn bytes(&self) -> usize {
        self.ends.capacity() * size_of::<usize>() + self.numbers.capacity() * 4
    }

    /// Each number with the list that it is of.
    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        (0..self.ends.len()).flat_map(|list| self.list(list).iter().map(move |&number| (list as u32, number)))
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
                Sets::Lists(Lists::grouped(numbers, lists.pairs().map(|(list, number)| (number, list))))
            }
        }
    }

    /// The number of sets.
    pub fn len(&self) -> usize {
        match self {
            Sets::Bits { bits, words } => bits.len() / (*words).max(1),
            Sets::Lists(lists) => lists.ends.len(),
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
