//! Rows with a lattice column: keys, which are the other columns, and the joins of their values.

use crate::row::Row;
use crate::terms::with_terms;
use ludolog_engine::lattice::LatticeJoin;
use ludolog_engine::value::Value;
use ludolog_syntax::ast::Lattice;

/// The lattice column of a relation.
#[derive(Clone, Debug)]
pub struct LatticeColumn {
    column: usize,
    join: LatticeJoin,
}

impl LatticeColumn {
    pub fn new(lattice: &Lattice) -> LatticeColumn {
        LatticeColumn { column: lattice.column, join: LatticeJoin::new(&lattice.join) }
    }

    /// The other columns of a row.
    pub fn key<R: Row>(&self, row: &R) -> R {
        let cells = row.cells();
        R::of(cells[..self.column].iter().chain(&cells[self.column + 1..]).copied())
    }

    pub fn value<R: Row>(&self, row: &R) -> Value {
        row.cells()[self.column]
    }

    /// The row of a key with a value.
    pub fn row<R: Row>(&self, key: &R, value: Value) -> R {
        let (before, after) = key.cells().split_at(self.column);
        R::of(before.iter().chain([&value]).chain(after).copied())
    }

    /// Whether a term is a value of the column.
    pub fn has(&self, value: Value) -> bool {
        with_terms(|terms| self.join.has(value, &terms.interner))
    }

    /// The value that takes the place of `known` when `value` is derived; `None` if `known` stays.
    pub fn improved(&self, value: Value, known: Value) -> Option<Value> {
        with_terms(|terms| self.join.improved(value, known, &mut terms.interner))
    }

    /// The join of all values; `None` of none.
    pub fn join(&self, terms: impl Iterator<Item = Value>) -> Option<Value> {
        let values = terms.filter(|&value| self.has(value));
        values.reduce(|known, value| self.improved(value, known).unwrap_or(known))
    }
}
