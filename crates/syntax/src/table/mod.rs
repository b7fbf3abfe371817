//! Tables: the facts of one predicate as rows of 32-bit cells. Large fact files never become syntax trees: engines take the
//! rows, and atoms are made only for those who ask for them.
//!
//! * `read`: CSV and TSV to rows.
//! * `input`: bytes in pieces, and the places that diagnostics show of them.

#[cfg(feature = "tables")]
mod input;
#[cfg(feature = "tables")]
mod read;

#[cfg(feature = "tables")]
pub(super) use read::{Layout, read};

use super::ast::{Atom, Predicate, Term};
use crate::diagnostic::Span;

/// One cell of a [`Table`]: an integer of 31 bits (top bit set), or the number of a constant of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell(u32);

/// The bit that marks an integer.
const INLINE: u32 = 1 << 31;

/// The content of a [`Cell`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// An integer of 31 bits.
    Integer(i64),
    /// The number of a constant among [`Table::constants`].
    Constant(usize),
}

impl Cell {
    /// The cell of an integer; `None` if it does not fit and has to be a constant of the table.
    #[inline]
    fn of_integer(n: i64) -> Option<Cell> {
        (-(1 << 30)..1 << 30).contains(&n).then_some(Cell(INLINE | (n as u32 & !INLINE)))
    }

    fn of_constant(number: usize) -> Cell {
        Cell(
            u32::try_from(number)
                .ok()
                .filter(|number| number & INLINE == 0)
                .expect("fewer constants than memory holds"),
        )
    }

    /// The integer or the constant that the cell stands for.
    #[inline]
    pub fn content(self) -> Content {
        match self.0 & INLINE {
            0 => Content::Constant(self.0 as usize),
            _ => Content::Integer(i64::from((self.0 << 1) as i32 >> 1)),
        }
    }
}

/// The facts of one predicate, which has arguments, in the order of their file. Facts may occur twice.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    predicate: Predicate,
    cells: Vec<Cell>,
    constants: Vec<Term>,
}

impl Table {
    /// The path of the file, or `standard input`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The predicate of all its facts. It has at least one argument.
    pub fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.cells.len() / self.predicate.arity
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The symbols and large integers of its cells, each once.
    pub fn constants(&self) -> &[Term] {
        &self.constants
    }

    /// The cells of all rows, row after row.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Cell]> {
        self.cells.chunks_exact(self.predicate.arity)
    }

    /// Makes the atoms of rows.
    pub fn atoms<'t>(&'t self, rows: impl Iterator<Item = &'t [Cell]> + 't) -> impl Iterator<Item = Atom> + 't {
        rows.map(|row| Atom {
            predicate: self.predicate.name.clone(),
            args: row.iter().map(|cell| self.term(*cell)).collect(),
            span: Span::NONE,
        })
    }

    fn term(&self, cell: Cell) -> Term {
        match cell.content() {
            Content::Integer(n) => Term::Integer(n),
            Content::Constant(number) => self.constants[number].clone(),
        }
    }

    /// Whether one of its facts is `fact`. Linear in the number of rows.
    pub fn contains(&self, fact: &Atom) -> bool {
        self.row_of(fact).is_some_and(|wanted| self.rows().any(|row| row == wanted))
    }

    /// Removes a fact, wherever it occurs; `false` if the table does not have it. Linear in the number of rows.
    pub fn remove(&mut self, fact: &Atom) -> bool {
        let Some(wanted) = self.row_of(fact) else { return false };
        let before = self.cells.len();
        let kept: Vec<Cell> = self.rows().filter(|row| *row != wanted).flatten().copied().collect();
        self.cells = kept;
        self.cells.len() < before
    }

    /// The row of a fact; `None` if a row of the table cannot be equal to it.
    fn row_of(&self, fact: &Atom) -> Option<Vec<Cell>> {
        let cell = |term: &Term| {
            let small = match term {
                Term::Integer(n) => Cell::of_integer(*n),
                _ => None,
            };
            small.or_else(|| self.constants.iter().position(|other| other == term).map(Cell::of_constant))
        };
        if fact.predicate != self.predicate.name || fact.args.len() != self.predicate.arity {
            return None;
        }
        fact.args.iter().map(cell).collect()
    }
}
