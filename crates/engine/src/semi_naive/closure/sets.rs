//! Sets of numbers: bits, or lists where the numbers are few.

use super::transpose::transposed;
use crate::semi_naive::lists::Lists;
use rustc_hash::FxHashMap;

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
    Lists(GrownLists),
}

/// The numbers of one set after those of another, and of sets that have grown since anew.
#[derive(Default)]
pub(super) struct GrownLists {
    lists: Lists<u32>,
    grown: FxHashMap<usize, Vec<u32>>,
    /// The numbers of those that have grown.
    grown_numbers: usize,
}

impl GrownLists {
    #[inline]
    pub fn list(&self, set: usize) -> &[u32] {
        if self.grown.is_empty() {
            return self.lists.list(set);
        }
        self.grown.get(&set).map_or_else(|| self.lists.list(set), Vec::as_slice)
    }

    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Most numbers of all sets.
    pub fn most_numbers(&self) -> usize {
        self.lists.items.len() + self.grown_numbers
    }

    /// Adds an empty set.
    pub fn add_set(&mut self) {
        self.lists.ends.push(self.lists.items.len());
    }

    /// Replaces a set by one that has more numbers. Where those that have grown have as many as all others, all are written anew.
    pub fn grow(&mut self, set: usize, numbers: Vec<u32>) {
        self.grown_numbers += numbers.len();
        if let Some(before) = self.grown.insert(set, numbers) {
            self.grown_numbers -= before.len();
        }
        if self.grown_numbers > self.lists.items.len() {
            let mut lists: Lists<u32> = Lists::default();
            for set in 0..self.len() {
                lists.items.extend_from_slice(self.list(set));
                lists.ends.push(lists.items.len());
            }
            *self = lists.into();
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, u32)> + Clone {
        (0..self.len()).flat_map(|set| self.list(set).iter().map(move |&number| (set, number)))
    }

    fn bytes(&self) -> usize {
        self.lists.bytes() + self.grown.values().map(|list| list.capacity() * 4 + size_of::<Vec<u32>>()).sum::<usize>()
    }
}

impl From<Lists<u32>> for GrownLists {
    fn from(lists: Lists<u32>) -> Self {
        Self { lists, ..Self::default() }
    }
}

impl Default for Sets {
    fn default() -> Self {
        Sets::Lists(GrownLists::default())
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

    /// The count of the numbers of a set, if it is a list.
    pub fn listed(&self, set: usize) -> Option<usize> {
        match self {
            Sets::Bits { .. } => None,
            Sets::Lists(lists) => Some(lists.list(set).len()),
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
                let sets = lists.pairs().map(|(set, number)| (number as usize, set as u32));
                Sets::Lists(Lists::grouped(numbers, sets).into())
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
