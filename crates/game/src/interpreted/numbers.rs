//! Facts and moves by number.

use ludolog_engine::Stopped;
use ludolog_engine::value::{Interner, Value};
use ludolog_syntax::ast::Term;
use rustc_hash::FxHashMap;

/// Most facts, and most moves, that a machine numbers: at some hundred bytes each, a memory of less than a gigabyte.
pub(super) const MAX_NUMBERS: usize = 1 << 22;

/// Ground terms by number, with their ids in the engine. A term that has a number keeps it.
#[derive(Default)]
pub(super) struct Numbers {
    terms: Vec<Term>,
    values: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
    /// The ranks of the first terms in the order of terms.
    ranks: Vec<u32>,
    /// Numbers sorted by their terms since the terms were ranked.
    sorted: usize,
}

impl Numbers {
    pub(super) fn of(&mut self, value: Value, interner: &Interner) -> Result<u32, Stopped> {
        if let Some(&number) = self.numbers.get(&value) {
            return Ok(number);
        }
        let number = self.terms.len();
        if number >= MAX_NUMBERS {
            return Err(Stopped::TooManyFacts(MAX_NUMBERS as u64));
        }
        self.terms.push(interner.term(value));
        self.values.push(value);
        self.numbers.insert(value, number as u32);
        Ok(number as u32)
    }

    pub(super) fn term(&self, number: u32) -> &Term {
        &self.terms[number as usize]
    }

    pub(super) fn value(&self, number: u32) -> Value {
        self.values[number as usize]
    }

    /// Takes the ids of another engine.
    pub(super) fn rename(&mut self, interner: &mut Interner) {
        self.values = self.terms.iter().map(|term| interner.ground(term)).collect();
        self.numbers = self.values.iter().copied().zip(0..).collect();
    }

    /// Sorts what has these numbers by its terms. Terms are slow to compare, so all are ranked again once as many have
    /// been compared.
    pub(super) fn sort<T>(&mut self, items: &mut [T], number: impl Fn(&T) -> u32) {
        if !items.iter().all(|item| (number(item) as usize) < self.ranks.len()) {
            self.sorted += items.len();
            if self.sorted < self.terms.len() {
                items.sort_unstable_by(|a, b| self.term(number(a)).cmp(self.term(number(b))));
                return;
            }
            self.rank();
        }
        items.sort_unstable_by_key(|item| self.ranks[number(item) as usize]);
    }

    fn rank(&mut self) {
        let mut order: Vec<u32> = (0..self.terms.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.term(a).cmp(self.term(b)));
        self.ranks = vec![0; order.len()];
        (0..).zip(order).for_each(|(rank, number)| self.ranks[number as usize] = rank);
        self.sorted = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Move;

    #[test]
    fn moves_are_sorted_by_their_terms_however_late_they_come() {
        let mut interner = Interner::new();
        let mut numbers = Numbers::default();
        let mut moves = Vec::new();
        for n in (0..200).rev() {
            let value = interner.integer(n * 7 % 200);
            moves.push(Move(numbers.of(value, &interner).unwrap()));
            numbers.sort(&mut moves, |made| made.0);
            assert!(moves.is_sorted_by_key(|made| numbers.term(made.0)));
        }
    }
}
