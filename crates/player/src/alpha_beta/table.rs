//! The table from states to values (Greenblatt, Eastlake and Crocker, *The Greenblatt chess program*, 1967).
//!
//! Two entries share a slot: the first is kept for its depth, until a search later than the one that made it wants the
//! place; the second is that of the last state (Breuker, Uiterwijk and van den Herik, *Replacement schemes for
//! transposition tables*, 1994).

use super::{Hundredths, Valued};
use ludolog_game::{Move, State};
use std::mem::size_of;

/// The depth of values that do not depend on the horizon.
pub const EXACT: u16 = (1 << 14) - 1;

/// The entries that share a slot.
const SHARED: usize = 2;

/// The relation of a value to that of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Lower,
    Upper,
    Both,
}

/// The knowledge of a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateEntry {
    pub value: Hundredths,
    /// The best move of the role that decides first, if any does.
    pub best: Option<Move>,
    /// The depth that it was searched to, at most [`EXACT`].
    pub depth: u16,
    pub bound: Bound,
    /// The joint moves until the end that prove an exact value, at most.
    pub steps: u32,
}

impl StateEntry {
    /// The value, if it serves a search to this depth within the window.
    pub fn usable(&self, depth: u32, alpha: Hundredths, beta: Hundredths) -> Option<Valued> {
        let serves = match self.bound {
            Bound::Both => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        };
        let valued = Valued { value: self.value, exact: self.depth == EXACT, steps: self.steps };
        (serves && u32::from(self.depth) >= depth).then_some(valued)
    }
}

/// An entry as the table holds it: the check, then value and move, then steps, generation, depth and bound. Zeros are no
/// entry, and a table of them costs nothing before it is written to.
type PackedEntry = [u64; 3];

fn pack(check: u64, entry: StateEntry, generation: u16) -> PackedEntry {
    let bound = match entry.bound {
        Bound::Lower => 0,
        Bound::Upper => 1,
        Bound::Both => 2,
    };
    let best = entry.best.map_or(u32::MAX, |best| best.0);
    let rest = u64::from(entry.steps) << 32 | u64::from(generation) << 16 | u64::from(entry.depth) << 2 | bound;
    [check, u64::from(entry.value as u32) << 32 | u64::from(best), rest]
}

fn unpack([_, values, rest]: PackedEntry) -> StateEntry {
    let bound = match rest & 3 {
        0 => Bound::Lower,
        1 => Bound::Upper,
        _ => Bound::Both,
    };
    let best = Some(values as u32).filter(|&best| best != u32::MAX).map(Move);
    StateEntry { value: (values >> 32) as Hundredths, best, depth: depth_of(rest), bound, steps: (rest >> 32) as u32 }
}

fn depth_of(rest: u64) -> u16 {
    (rest >> 2) as u16 & EXACT
}

/// The values of states that were searched.
pub struct TranspositionTable {
    entries: Vec<PackedEntry>,
    generation: u16,
}

impl TranspositionTable {
    /// A table of at most so many bytes, but of one slot at least.
    pub fn new(bytes: usize) -> Self {
        let slots = (bytes / size_of::<[PackedEntry; SHARED]>()).max(1);
        // The greatest power of two within memory.
        TranspositionTable { entries: vec![[0; 3]; SHARED << slots.ilog2()], generation: 0 }
    }

    /// Begins a search: entries of those before give way to its own.
    pub fn begin(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// The entry of a state.
    pub fn get(&self, state: &State) -> Option<StateEntry> {
        let (slot, check) = self.place(state);
        self.entries[slot..slot + SHARED].iter().find(|entry| entry[0] == check).copied().map(unpack)
    }

    /// Enters what is known of a state now.
    pub fn enter(&mut self, state: &State, entry: StateEntry) {
        let (slot, check) = self.place(state);
        let packed = pack(check, entry, self.generation);
        let [first, second] = [self.entries[slot], self.entries[slot + 1]];
        let is_old = (first[2] >> 16) as u16 != self.generation;
        let keeps_first = first[0] != check && (second[0] == check || !is_old && depth_of(first[2]) > entry.depth);
        self.entries[slot + usize::from(keeps_first)] = packed;
    }

    /// A number that tells a state from others, as far as the table does.
    pub fn check(&self, state: &State) -> u64 {
        self.place(state).1
    }

    fn place(&self, state: &State) -> (usize, u64) {
        let [mut a, mut b] = [0x9E37_79B9_7F4A_7C15u64, 0xD1B5_4A32_D192_ED03];
        for &word in state.words() {
            a = (a ^ u64::from(word)).wrapping_mul(0xFF51_AFD7_ED55_8CCD).rotate_left(31);
            b = (b ^ u64::from(word)).wrapping_mul(0xC4CE_B9FE_1A85_EC53).rotate_left(29);
        }
        ((a ^ a >> 32) as usize & (self.entries.len() - 1) & !(SHARED - 1), b | 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(value: Hundredths, depth: u16) -> StateEntry {
        StateEntry { value, best: Some(Move(7)), depth, bound: Bound::Upper, steps: 9 }
    }

    #[test]
    fn what_is_entered_is_found_again() {
        let mut table = TranspositionTable::new(1 << 12);
        let state = State::of_words([1, 2, 3]);
        assert_eq!(table.get(&state), None);
        for entered in [entry(0, EXACT), StateEntry { best: None, bound: Bound::Lower, ..entry(9_999, 3) }] {
            table.enter(&state, entered);
            assert_eq!(table.get(&state), Some(entered));
        }
    }

    #[test]
    fn a_deep_entry_stays_until_the_next_search() {
        let mut table = TranspositionTable::new(1);
        let states: Vec<State> = (0..4).map(|number| State::of_words([number])).collect();
        table.begin();
        table.enter(&states[0], entry(10, 9));
        table.enter(&states[1], entry(20, 1));
        table.enter(&states[2], entry(30, 2));
        let known = |table: &TranspositionTable| {
            states.iter().map(|state| table.get(state).map(|e| e.value)).collect::<Vec<_>>()
        };
        assert_eq!(known(&table), [Some(10), None, Some(30), None]);
        table.begin();
        table.enter(&states[3], entry(40, 1));
        assert_eq!(known(&table), [None, None, Some(30), Some(40)]);
    }

    #[test]
    fn bounds_serve_the_windows_that_they_decide() {
        let upper = entry(40, 5);
        assert_eq!(upper.usable(5, 40, 41).map(|valued| valued.value), Some(40));
        assert!(upper.usable(5, 39, 41).is_none() && upper.usable(6, 40, 41).is_none());
        assert!(StateEntry { bound: Bound::Lower, ..upper }.usable(2, 0, 40).is_some());
    }
}
