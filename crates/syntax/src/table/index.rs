//! The rows of a table by content: numbers of rows and constants by hash, so that nothing is held twice.

use crate::ast::Term;
use crate::value::Value;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// The numbers of distinct rows, and of constants.
#[derive(Clone, Debug)]
pub struct DistinctRows {
    rows: HashTable<u32>,
    constants: HashTable<u32>,
}

impl DistinctRows {
    /// Indexes a table of so many columns. Of equal rows the first counts.
    pub fn new(cells: &[Value], arity: usize, constants: &[Term]) -> Self {
        DistinctRows {
            rows: numbers(cells.len() / arity, |number| at(cells, number, arity)),
            constants: numbers(constants.len(), |number| &constants[number as usize]),
        }
    }

    /// The number of distinct rows.
    pub fn distinct(&self) -> usize {
        self.rows.len()
    }

    /// The number of a constant.
    pub fn constant(&self, term: &Term, constants: &[Term]) -> Option<usize> {
        let found = self.constants.find(hash(term), |&number| constants[number as usize] == *term);
        found.map(|&number| number as usize)
    }

    /// The number of a row.
    pub fn row(&self, row: &[Value], cells: &[Value]) -> Option<usize> {
        self.rows.find(hash(row), |&number| at(cells, number, row.len()) == row).map(|&number| number as usize)
    }

    /// Removes a row, whose number the last row gets; the number. All rows are distinct.
    pub fn swap_remove(&mut self, row: &[Value], cells: &[Value]) -> Option<usize> {
        let found = self.rows.find_entry(hash(row), |&number| at(cells, number, row.len()) == row).ok()?;
        let (removed, _) = found.remove();
        let last = (cells.len() / row.len() - 1) as u32;
        if let Some(number) = self.rows.find_mut(hash(at(cells, last, row.len())), |&number| number == last) {
            *number = removed;
        }
        Some(removed as usize)
    }
}

/// The numbers of the distinct elements of a list, where `element` looks up an element by its number.
fn numbers<'t, T: Hash + Eq + ?Sized + 't>(count: usize, element: impl Fn(u32) -> &'t T) -> HashTable<u32> {
    let mut numbers = HashTable::with_capacity(count);
    for number in 0..count as u32 {
        let new = element(number);
        let entry = numbers.entry(hash(new), |&other| element(other) == new, |&other| hash(element(other)));
        entry.or_insert(number);
    }
    numbers
}

#[inline]
fn at(cells: &[Value], number: u32, arity: usize) -> &[Value] {
    &cells[number as usize * arity..(number as usize + 1) * arity]
}

fn hash(content: &(impl Hash + ?Sized)) -> u64 {
    FxBuildHasher.hash_one(content)
}
