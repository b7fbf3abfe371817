//! Tables: the facts of one predicate as rows of 32-bit cells. Large fact files never become syntax trees: engines take the
//! rows, and atoms are made only for those who ask for them.
//!
//! * `read`: CSV and TSV to rows.
//! * `input`: bytes in pieces, and the places that diagnostics show of them.
//! * `index`: rows by content.

mod index;
#[cfg(feature = "tables")]
mod input;
#[cfg(feature = "tables")]
mod read;

#[cfg(feature = "tables")]
pub(super) use read::{Layout, read};

use super::ast::{Atom, Predicate, Term};
use crate::diagnostic::Span;
use index::Index;
use std::sync::OnceLock;

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

/// The facts of one predicate, which has arguments, in the order of their file. Facts may occur twice, until one is removed.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    predicate: Predicate,
    cells: Vec<Cell>,
    constants: Vec<Term>,
    /// Made when it is needed first.
    index: OnceLock<Index>,
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

    /// Whether one of its facts is `fact`. In constant time, but linear in the number of rows the first time.
    pub fn contains(&self, fact: &Atom) -> bool {
        self.row_of(fact).is_some_and(|row| self.index().row(&row, &self.cells).is_some())
    }

    /// Removes a fact, wherever it occurs; `false` if the table does not have it. The last row takes its place. In constant time, but
    /// linear in the number of rows the first time.
    pub fn remove(&mut self, fact: &Atom) -> bool {
        let Some(row) = self.row_of(fact) else { return false };
        if self.index().distinct() < self.len() {
            self.make_distinct();
        }
        let Table { cells, index, .. } = self;
        let Some(removed) = index.get_mut().and_then(|index| index.swap_remove(&row, cells)) else { return false };
        let last = cells.len() - row.len();
        cells.copy_within(last.., removed * row.len());
        cells.truncate(last);
        true
    }

    /// Removes rows that occur before.
    fn make_distinct(&mut self) {
        let index = self.index();
        let is_first = |(number, row): &(usize, &[Cell])| index.row(row, &self.cells) == Some(*number);
        let cells = self.rows().enumerate().filter(is_first).flat_map(|(_, row)| row).copied().collect();
        (self.cells, self.index) = (cells, OnceLock::new());
        self.index();
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(&self.cells, self.predicate.arity, &self.constants))
    }

    /// The row of a fact; `None` if a row of the table cannot be equal to it.
    fn row_of(&self, fact: &Atom) -> Option<Vec<Cell>> {
        let cell = |term: &Term| {
            let small = match term {
                Term::Integer(n) => Cell::of_integer(*n),
                _ => None,
            };
            small.or_else(|| self.index().constant(term, &self.constants).map(Cell::of_constant))
        };
        if fact.predicate != self.predicate.name || fact.args.len() != self.predicate.arity {
            return None;
        }
        fact.args.iter().map(cell).collect()
    }
}

#[cfg(all(test, feature = "tables"))]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::diagnostic::Sources;

    fn table(text: &str) -> Table {
        let (mut sources, budget) = (Sources::new(), Budget::unlimited());
        let read = read(Box::new(text.as_bytes()), "t", &"t".into(), Layout::Csv, false, &mut sources, &budget);
        read.unwrap().unwrap().unwrap()
    }

    fn texts(table: &Table) -> Vec<String> {
        table.atoms(table.rows()).map(|atom| atom.to_string()).collect()
    }

    #[test]
    fn facts_are_found_and_removed_wherever_they_occur() {
        let mut table = table("1,a\n2,b\n1,a\n3,9999999999\n2,a\n1,a\n");
        let fact = |text: &str| text.parse::<Atom>().unwrap();
        for absent in ["t(1, b)", "t(1, c)", "t(1)", "s(1, a)", "t(3, 9999999998)", "t(1, f(a))"] {
            assert!(!table.contains(&fact(absent)), "{absent}");
            assert!(!table.remove(&fact(absent)), "{absent}");
        }
        assert!(table.contains(&fact("t(3, 9999999999)")));
        assert!(table.remove(&fact("t(1, a)")));
        assert!(!table.contains(&fact("t(1, a)")) && !table.remove(&fact("t(1, a)")));
        let mut left = texts(&table);
        left.sort();
        assert_eq!(left, ["t(2, a)", "t(2, b)", "t(3, 9999999999)"]);
        for fact in left.iter().map(|text| fact(text)) {
            assert!(table.contains(&fact) && table.remove(&fact), "{fact}");
        }
        assert!(table.is_empty());
    }
}
