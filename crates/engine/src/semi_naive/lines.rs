//! Sets of many numbers of few bits, in lines of the cache.
//!
//! A permutation spreads the numbers. The high bits of a spread number tell its line, which keeps the other bits only, its *rest* (quotienting:
//! Cleary, *Compact hash tables using bidirectional linear probing*, IEEE Transactions on Computers 33, 1984). So a look-up reads one line, and a
//! number takes four bytes, or two, where a hash table keeps all of it. If there are twice as many lines, the highest bit of a rest tells to which
//! of two lines it goes, so that the set grows piece by piece, without a copy of all of it beside. Spread numbers whose line is full are in a hash
//! table.

use super::members::hash_number;
use hashbrown::HashTable;

/// What a line keeps of a number.
pub trait Rest: Copy + Eq + Into<u64> {
    /// The bits that it may have: all but the highest one.
    const BITS: u32;
    /// No rest.
    const NONE: Self;

    /// The low bits of a number.
    fn of(number: u64) -> Self;

    fn bits(self) -> u64 {
        self.into()
    }
}

impl Rest for u16 {
    const BITS: u32 = u16::BITS - 1;
    const NONE: u16 = u16::MAX;

    fn of(number: u64) -> u16 {
        number as u16
    }
}

impl Rest for u32 {
    const BITS: u32 = u32::BITS - 1;
    const NONE: u32 = u32::MAX;

    fn of(number: u64) -> u32 {
        number as u32
    }
}

/// A set of numbers, with rests of this type and so many in a line, less one for their number.
pub struct LineSet<R, const LANES: usize> {
    /// All of the same number of lines, which is a power of two.
    pieces: Vec<Box<[Line<R, LANES>]>>,
    /// The bits of numbers.
    bits: u32,
    /// Those of them that are rests.
    rest_bits: u32,
    len: usize,
    /// Spread numbers whose lines were full.
    others: HashTable<u64>,
}

/// Numbers with rests of two bytes.
pub type ShortLines = LineSet<u16, 32>;

/// Numbers with rests of four bytes.
pub type LongLines = LineSet<u32, 16>;

/// The number of rests, in bits that no rest has, and the rests.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line<R, const LANES: usize>([R; LANES]);

/// The lines of a piece at most: 64 KiB.
const PIECE: usize = 1 << 10;

/// The part of the rests that lines have room for which they have before there are more lines, in eighths: some line in twenty is full then.
const LOAD: usize = 6;

/// An odd number whose bits are those of the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl<R: Rest, const LANES: usize> Line<R, LANES> {
    /// The bit that tells the number of rests from them.
    const COUNT: u64 = 1 << R::BITS;
    /// Set beside the number if rests did not fit.
    const FULL: u64 = Self::COUNT >> 1;

    fn empty() -> Self {
        let mut lanes = [R::NONE; LANES];
        lanes[0] = R::of(Self::COUNT);
        Line(lanes)
    }

    fn count(&self) -> usize {
        (self.0[0].bits() & (Self::FULL - 1)) as usize
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.0[0].bits() & Self::FULL != 0
    }

    /// Whether it has a rest. All lanes are compared, in vectors.
    #[inline]
    fn has(&self, rest: R) -> bool {
        self.0.iter().fold(false, |found, lane| found | (*lane == rest))
    }

    /// Adds a rest; `false` if there is no room.
    #[inline]
    fn push(&mut self, rest: R) -> bool {
        let lane = self.count() + 1;
        if lane == LANES {
            self.0[0] = R::of(self.0[0].bits() | Self::FULL);
            return false;
        }
        self.0[0] = R::of(self.0[0].bits() + 1);
        self.0[lane] = rest;
        true
    }

    /// Removes a rest; `false` if it is not there.
    fn remove(&mut self, rest: R) -> bool {
        let lane = self.0.iter().position(|lane| *lane == rest);
        if let Some(lane) = lane {
            let last = self.count();
            self.0[lane] = self.0[last];
            self.0[last] = R::NONE;
            self.0[0] = R::of(self.0[0].bits() - 1);
        }
        lane.is_some()
    }
}

impl<R: Rest, const LANES: usize> LineSet<R, LANES> {
    /// The bits that numbers may have in a set with room for so many.
    pub fn most_bits(room: usize) -> u32 {
        R::BITS + Self::line_bits(room)
    }

    /// The bits of the numbers of lines for so many numbers.
    fn line_bits(room: usize) -> u32 {
        (room / Self::load()).next_power_of_two().trailing_zeros()
    }

    /// The numbers for each line at most.
    const fn load() -> usize {
        (LANES - 1) * LOAD / 8
    }

    /// An empty set with room for so many numbers of so many bits.
    pub fn new(bits: u32, room: usize) -> Self {
        let line_bits = Self::line_bits(room).max(bits.saturating_sub(R::BITS)).min(bits);
        let lines = 1 << line_bits;
        let piece = vec![Line::empty(); PIECE.min(lines)].into_boxed_slice();
        LineSet {
            pieces: vec![piece; lines.div_ceil(PIECE)],
            bits,
            rest_bits: bits - line_bits,
            len: 0,
            others: HashTable::new(),
        }
    }

    /// Another number of as many bits, for each another one.
    #[inline]
    fn spread(&self, number: u64) -> u64 {
        let mixed = number ^ (number >> (self.bits / 2 + 1));
        mixed.wrapping_mul(MULTIPLIER) & (u64::MAX >> (u64::BITS - self.bits))
    }

    /// The line of a spread number, and its rest.
    #[inline]
    fn place(&self, spread: u64) -> (usize, R) {
        ((spread >> self.rest_bits) as usize, R::of(spread & ((1 << self.rest_bits) - 1)))
    }

    #[inline]
    pub fn contains(&self, number: u64) -> bool {
        let spread = self.spread(number);
        let (at, rest) = self.place(spread);
        let line = self.line(at);
        line.has(rest) || line.is_full() && self.is_other(spread)
    }

    #[inline]
    fn line(&self, at: usize) -> &Line<R, LANES> {
        &self.pieces[at / PIECE][at % PIECE]
    }

    #[inline]
    fn line_mut(&mut self, at: usize) -> &mut Line<R, LANES> {
        &mut self.pieces[at / PIECE][at % PIECE]
    }

    /// Whether a spread number has no place in its line.
    #[cold]
    fn is_other(&self, spread: u64) -> bool {
        self.others.find(hash_number(spread), |&other| other == spread).is_some()
    }

    /// Adds a number; `false` if it is in the set.
    #[inline]
    pub fn insert(&mut self, number: u64) -> bool {
        let spread = self.spread(number);
        let (at, rest) = self.place(spread);
        let line = self.line(at);
        if line.has(rest) || line.is_full() && self.is_other(spread) {
            return false;
        }
        self.put(spread);
        self.len += 1;
        if self.len > self.capacity() && self.rest_bits > 0 {
            self.grow();
        }
        true
    }

    /// Adds a spread number that is not in the set.
    #[inline]
    fn put(&mut self, spread: u64) {
        let (at, rest) = self.place(spread);
        if !self.line_mut(at).push(rest) {
            self.others.insert_unique(hash_number(spread), spread, |&other| hash_number(other));
        }
    }

    /// Makes twice as many lines.
    #[cold]
    fn grow(&mut self) {
        self.rest_bits -= 1;
        let rest_bits = self.rest_bits;
        let before = std::mem::take(&mut self.pieces);
        self.pieces.reserve_exact(2 * before.len());
        for piece in before {
            let halves = piece.iter().flat_map(|line| {
                let mut halves = [Line::empty(); 2];
                for rest in &line.0[1..=line.count()] {
                    let half = rest.bits() >> rest_bits;
                    halves[half as usize].push(R::of(rest.bits() & ((1 << rest_bits) - 1)));
                }
                halves
            });
            let lines: Vec<Line<R, LANES>> = halves.collect();
            // The memory of the piece is free before the next one is split.
            drop(piece);
            self.pieces.extend(lines.chunks(PIECE).map(Box::from));
        }
        std::mem::take(&mut self.others).into_iter().for_each(|spread| self.put(spread));
    }

    /// Removes a number, if it is in the set.
    pub fn remove(&mut self, number: u64) {
        let spread = self.spread(number);
        let (at, rest) = self.place(spread);
        if self.line_mut(at).remove(rest) {
            self.len -= 1;
        } else if let Ok(entry) = self.others.find_entry(hash_number(spread), |&other| other == spread) {
            entry.remove();
            self.len -= 1;
        }
    }

    pub fn clear(&mut self) {
        self.pieces.iter_mut().for_each(|piece| piece.fill(Line::empty()));
        self.others.clear();
        self.len = 0;
    }

    fn lines(&self) -> usize {
        1 << (self.bits - self.rest_bits)
    }

    /// The numbers that there is room for.
    pub fn capacity(&self) -> usize {
        self.lines() * Self::load()
    }

    pub fn bytes(&self) -> usize {
        self.lines() * size_of::<Line<R, LANES>>() + self.others.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// What a set and a plain one tell of the same steps: numbers that are added, or removed.
    fn compare<R: Rest, const LANES: usize>(bits: u32, steps: impl Iterator<Item = (u64, bool)>) -> LineSet<R, LANES> {
        let mut set = LineSet::<R, LANES>::new(bits, 1);
        let mut expected = HashSet::new();
        for (number, is_added) in steps {
            assert_eq!(set.contains(number), expected.contains(&number));
            if is_added {
                assert_eq!(set.insert(number), expected.insert(number));
            } else {
                set.remove(number);
                expected.remove(&number);
            }
        }
        assert!(expected.iter().all(|&number| set.contains(number)));
        assert_eq!(set.len, expected.len());
        set
    }

    proptest! {
        /// In few bits lines are full and have no rests that could tell more of them apart.
        #[test]
        fn numbers_are_those_of_a_plain_set(
            bits in 1..17u32,
            steps in prop::collection::vec((any::<u16>(), prop::bool::weighted(0.8)), 0..3000),
        ) {
            let steps = steps.iter().map(|&(number, is_added)| (u64::from(number) % (1 << bits), is_added));
            compare::<u16, 32>(bits, steps.clone());
            compare::<u32, 16>(bits, steps);
        }
    }

    /// Pairs of a grid, whose numbers are all multiples, and numbers one after the other.
    #[test]
    fn numbers_that_are_alike_are_spread() {
        for step in [1, 3, 1 << 10, (1 << 15) + 1, 40_503, (1 << 20) - 1] {
            let bits = u64::BITS - (step * 200_000u64).leading_zeros();
            let set = compare::<u32, 16>(bits.max(20), (0..200_000).map(|number| (number * step, true)));
            assert!(set.others.len() < 200_000 / 20, "{} of {step}", set.others.len());
            assert!(set.bytes() < 200_000 * 13, "{} bytes", set.bytes());
        }
    }
}
