//! Tables: the facts of one predicate as rows of values. Large fact files never become syntax trees: engines take
//! the rows, and atoms are made only for those who ask for them.
//!
//! * `read`: files to rows; `rows`: the fields of CSV and TSV; `json`: JSON lines; `database`: tables of databases.
//! * `input`: bytes in pieces, and the places that diagnostics show of them.
//! * `index`: rows by content.

#[cfg(feature = "tables")]
mod database;
mod index;
#[cfg(feature = "tables")]
mod input;
#[cfg(feature = "tables")]
mod json;
#[cfg(feature = "tables")]
mod read;
#[cfg(feature = "tables")]
mod rows;

#[cfg(feature = "tables")]
pub(super) use database::{DatabaseTable, read_database};
#[cfg(feature = "tables")]
pub(super) use read::{ColumnLayout, TableFile, read};

use super::Share;
use super::ast::{Atom, Predicate, Term};
use crate::diagnostic::Span;
use crate::value::{Content, Value};
use index::DistinctRows;
use rustc_hash::FxHashMap;
use std::ops::BitOr;
use std::sync::{Arc, OnceLock};

/// The facts of one predicate, which has arguments, in the order of their file, or a share of them. Facts may occur
/// twice, until one is removed.
#[derive(Clone, Debug)]
pub struct Table {
    name: String,
    predicate: Predicate,
    cells: Arc<Vec<Value>>,
    constants: Vec<Term>,
    /// The first row of the file, if it is left out as a header.
    header: Option<Vec<Term>>,
    /// What is spelled as an integer and is none, of each column that has such.
    long_integers: Vec<LongIntegers>,
    /// All of the file, if the cells are a share.
    whole: Option<FileStatistics>,
    /// Made when it is needed first.
    index: OnceLock<DistinctRows>,
}

/// What is spelled in a column as integers of more than 64 bits, which are read as the symbols that spell them.
#[derive(Clone, Debug)]
pub(super) struct LongIntegers {
    pub(super) column: usize,
    /// The place of the first one.
    pub(super) place: Span,
    pub(super) count: usize,
}

/// The statistics of all facts of a file, of which a table holds a share.
#[derive(Clone, Debug)]
pub struct FileStatistics {
    /// The share that the table holds.
    pub share: Share,
    /// The sum of the [hashes](crate::content::hash_fact) of all facts.
    pub hash: u64,
    /// The number of all rows.
    rows: usize,
    /// Some of them, evenly spread.
    sample: Vec<Value>,
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

    /// The fields of the first row of the file, if it is left out as a header.
    pub fn header(&self) -> Option<&[Term]> {
        self.header.as_deref()
    }

    /// The number of rows held.
    pub fn len(&self) -> usize {
        self.cells.len() / self.predicate.arity
    }

    /// Whether it holds no rows.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// All facts of the file; `None` if the table holds them.
    pub fn whole(&self) -> Option<&FileStatistics> {
        self.whole.as_ref()
    }

    /// The number of rows of the file, whether the table holds them or not.
    pub fn rows_of_file(&self) -> usize {
        self.whole.as_ref().map_or(self.len(), |whole| whole.rows)
    }

    /// Up to so many rows of the file, evenly spread. Where the table holds a share, they are from some thousands, the
    /// same ones whatever the share.
    pub fn sample(&self, most: usize) -> impl ExactSizeIterator<Item = &[Value]> {
        let cells: &[Value] = self.whole.as_ref().map_or(&self.cells, |whole| &whole.sample);
        let rows = cells.chunks_exact(self.predicate.arity);
        let stride = rows.len().div_ceil(most).max(1);
        rows.step_by(stride)
    }

    /// The symbols and large integers of its cells and of its sample, each once.
    pub fn constants(&self) -> &[Term] {
        &self.constants
    }

    /// The cells of all rows, row after row.
    pub fn cells(&self) -> &[Value] {
        &self.cells
    }

    /// The same, where all are integers that are their own numbers, so that they mean the same to everybody; to be held without a copy.
    pub fn shared_cells(&self) -> Option<&Arc<Vec<Value>>> {
        self.constants.is_empty().then_some(&self.cells)
    }

    /// A summary of each column: that of integers, and that of each constant in it, joined.
    pub fn columns<S: Copy + Default + BitOr<Output = S>>(&self, integer: S, of: impl Fn(&Term) -> S) -> Vec<S> {
        let constants: Vec<S> = self.constants.iter().map(of).collect();
        let mut columns = vec![S::default(); self.predicate.arity];
        for row in self.rows() {
            for (column, cell) in columns.iter_mut().zip(row) {
                *column = *column
                    | match cell.content() {
                        Content::Integer(_) => integer,
                        Content::Constant(number) => constants[number],
                    };
            }
        }
        columns
    }

    /// The columns in which integers of more than 64 bits are spelled.
    pub(super) fn long_integers(&self) -> &[LongIntegers] {
        &self.long_integers
    }

    /// Puts other values into a column. Of those that have none, the row of the first with its value, and their number.
    pub(super) fn convert_column(
        &mut self,
        column: usize,
        of: impl Fn(&Term) -> Option<Term>,
    ) -> Option<(usize, Term, usize)> {
        let Table { cells, constants, index, .. } = self;
        let mut known: FxHashMap<Value, Option<Value>> = FxHashMap::default();
        let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
        let mut wrong: Option<(usize, Term, usize)> = None;
        for (number, row) in Arc::make_mut(cells).chunks_exact_mut(self.predicate.arity).enumerate() {
            let cell = row[column];
            let new = match known.get(&cell) {
                Some(new) => *new,
                None => {
                    let old = term_of(cell, constants);
                    let new = of(&old).map(|new| if new == old { cell } else { cell_of(new, constants, &mut numbers) });
                    known.insert(cell, new);
                    new
                }
            };
            match (new, &mut wrong) {
                (Some(new), _) => row[column] = new,
                (None, Some((_, _, count))) => *count += 1,
                (None, wrong) => *wrong = Some((number, term_of(cell, constants), 1)),
            }
        }
        *index = OnceLock::new();
        wrong
    }

    /// The rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Value]> {
        self.cells.chunks_exact(self.predicate.arity)
    }

    /// Makes the atoms of rows.
    pub fn atoms<'t>(&'t self, rows: impl Iterator<Item = &'t [Value]> + 't) -> impl Iterator<Item = Atom> + 't {
        rows.map(|row| Atom {
            predicate: self.predicate.name.clone(),
            args: row.iter().map(|cell| self.term(*cell)).collect(),
            span: Span::NONE,
        })
    }

    fn term(&self, cell: Value) -> Term {
        term_of(cell, &self.constants)
    }

    /// Whether one of its facts is `fact`. In constant time, but linear in the number of rows the first time.
    pub fn contains(&self, fact: &Atom) -> bool {
        self.row_of(fact).is_some_and(|row| self.index().row(&row, &self.cells).is_some())
    }

    /// Removes a fact, wherever it occurs; `false` if the table does not have it. The last row takes its place. In
    /// constant time, but linear in the number of rows the first time.
    pub fn remove(&mut self, fact: &Atom) -> bool {
        let Some(row) = self.row_of(fact) else { return false };
        if self.index().distinct() < self.len() {
            self.make_distinct();
        }
        let Table { cells, index, .. } = self;
        let Some(removed) = index.get_mut().and_then(|index| index.swap_remove(&row, cells)) else { return false };
        let last = cells.len() - row.len();
        let cells = Arc::make_mut(cells);
        cells.copy_within(last.., removed * row.len());
        cells.truncate(last);
        true
    }

    /// Removes rows that occur before.
    fn make_distinct(&mut self) {
        let index = self.index();
        let is_first = |(number, row): &(usize, &[Value])| index.row(row, &self.cells) == Some(*number);
        let cells: Vec<Value> = self.rows().enumerate().filter(is_first).flat_map(|(_, row)| row).copied().collect();
        (self.cells, self.index) = (Arc::new(cells), OnceLock::new());
        self.index();
    }

    fn index(&self) -> &DistinctRows {
        self.index.get_or_init(|| DistinctRows::new(&self.cells, self.predicate.arity, &self.constants))
    }

    /// The row of a fact; `None` if a row of the table cannot be equal to it.
    fn row_of(&self, fact: &Atom) -> Option<Vec<Value>> {
        let cell = |term: &Term| {
            let small = match term {
                Term::Integer(n) => Value::small_integer(*n),
                _ => None,
            };
            small.or_else(|| self.index().constant(term, &self.constants).map(Value::of_constant))
        };
        if fact.predicate != self.predicate.name || fact.args.len() != self.predicate.arity {
            return None;
        }
        fact.args.iter().map(cell).collect()
    }
}

fn term_of(cell: Value, constants: &[Term]) -> Term {
    match cell.content() {
        Content::Integer(n) => Term::Integer(n),
        Content::Constant(number) => constants[number].clone(),
    }
}

/// The cell of a term that is no small integer. `numbers` has those of the constants once it was asked.
fn cell_of(term: Term, constants: &mut Vec<Term>, numbers: &mut FxHashMap<Term, usize>) -> Value {
    if numbers.is_empty() {
        numbers.extend(constants.iter().enumerate().map(|(number, constant)| (constant.clone(), number)));
    }
    let next = constants.len();
    let number = *numbers.entry(term).or_insert_with_key(|term| {
        constants.push(term.clone());
        next
    });
    Value::of_constant(number)
}

#[cfg(all(test, feature = "tables"))]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::diagnostic::Sources;

    fn table(text: &str, share: Share) -> Table {
        let mut sources = Sources::new();
        let budget = Budget::unlimited();
        let reader = Box::new(text.as_bytes());
        let file =
            TableFile { reader, name: "t", predicate: "t".into(), layout: ColumnLayout::Csv, header: false, share };
        read(file, &mut sources, &budget).unwrap().unwrap().unwrap()
    }

    fn texts(table: &Table) -> Vec<String> {
        table.atoms(table.rows()).map(|atom| atom.to_string()).collect()
    }

    #[test]
    fn facts_are_found_and_removed_wherever_they_occur() {
        let mut table = table("1,a\n2,b\n1,a\n3,9999999999\n2,a\n1,a\n", Share::WHOLE);
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

    #[test]
    fn shares_have_every_row_once_and_the_same_sample() {
        let row = |i: usize| format!("{i},s{},{}\n", i % 3, 1u64 << (i % 60));
        let text: String = (0..20_000).map(row).chain(["7,s1,128\n".to_owned()]).collect();
        let whole = table(&text, Share::WHOLE);
        assert!(whole.whole().is_none());
        let shares = [0, 1, 2].map(|process| table(&text, Share::new(process, 3)));
        let mut rows: Vec<String> = shares.iter().flat_map(texts).collect();
        let mut all = texts(&whole);
        rows.sort();
        all.sort();
        assert_eq!(rows, all);
        let holders = shares.iter().filter(|share| texts(share).contains(&"t(7, s1, 128)".to_owned()));
        assert_eq!(holders.count(), 1, "equal rows have one holder");
        let sample = |share: &Table| share.atoms(share.sample(100)).map(|atom| atom.to_string()).collect::<Vec<_>>();
        // Each 4th row is in the sample of 5,001.
        let all = texts(&whole);
        let expected: Vec<String> = (0..20_000).step_by(4 * 51).map(|i| all[i].clone()).collect();
        for share in &shares {
            assert!((6_000..7_500).contains(&share.len()), "{}", share.len());
            assert_eq!((share.rows_of_file(), sample(share)), (20_001, expected.clone()));
            assert_eq!(share.whole().unwrap().hash, shares[0].whole().unwrap().hash);
        }
    }

    #[test]
    fn constants_of_rows_that_others_hold_are_forgotten() {
        let text: String = (0..100_000_u64).map(|i| format!("a{i},{}\n", i + (1 << 40))).collect();
        let share = table(&text, Share::new(0, 10));
        let needed = 2 * share.len() + 2 * 8192 * 5;
        assert!(share.constants().len() < needed, "{} of {needed}", share.constants().len());
        let rows: Vec<String> = texts(&share);
        assert!((9_000..11_000).contains(&rows.len()), "{}", rows.len());
        let is_row = |text: &String| {
            text.strip_prefix("t(a").and_then(|rest| rest.split_once(", ")).is_some_and(|(a, b)| {
                b.strip_suffix(')').and_then(|b| b.parse().ok()) == a.parse::<u64>().ok().map(|a| a + (1 << 40))
            })
        };
        assert!(rows.iter().all(is_row));
    }
}
