//! Sorted indices: the rows of a relation by key columns, and under each key by the value of one more column, for
//! comparisons that bound it.
//!
//! The rows are sorted in *runs*, each of rows that were entered at some time. A run takes in those before it that are at
//! most twice as long (O'Neil, Cheng, Gawlick and O'Neil, *The log-structured merge-tree*, Acta Informatica 1996), so
//! that recursion which adds a few rows in each round sorts a row O(log n) times, and O(log n) runs are searched.
//!
//! Rows within bounds of one column may be outside of a [window](super::window) of another one: the intervals that begin before a point are many, and
//! few of them end behind it. Each block of a run has the least and the greatest value of such a column, its *zone*, and is passed over as a
//! whole where the zone is outside (Moerkotte, *Small materialized aggregates*, VLDB 1998). In other blocks the values of that column are read, which a run
//! has in its order: the rows themselves lie anywhere.

use super::index::KeyedRow;
use super::members::hash;
use super::relation::BLOCK;
use super::window::{ColumnWindow, Zone};
use crate::term::{Limit, order, side};
use crate::value::{Interner, Value};
use hashbrown::HashTable;
use std::cmp::Ordering;
use std::ops::Range;

/// A run is merged into the next one unless it is longer by more than this factor.
const MERGED: usize = 2;

/// The columns of a sorted index.
#[derive(Clone, Debug, PartialEq)]
pub struct SortedKey {
    /// The columns whose values make the key.
    pub columns: Vec<u16>,
    /// The column by whose value the rows under a key are sorted.
    pub by: u16,
}

/// A row of a run.
#[derive(Clone, Copy, Debug)]
struct SortedRow {
    /// The number of its key.
    key: u32,
    value: Value,
    row: u32,
}

/// Rows that were entered together, sorted.
#[derive(Default)]
struct Run {
    rows: Vec<SortedRow>,
    /// By key: where its rows begin, and behind the last key where they end. Empty if there are more keys than rows.
    starts: Vec<u32>,
    /// By block, the zone of each zoned column.
    zones: Vec<Zone>,
    /// By zoned column, the values of the rows.
    values: Vec<Vec<Value>>,
}

impl Run {
    /// A run of these rows, each of one of `keys` keys.
    fn new(rows: Vec<SortedRow>, keys: usize) -> Self {
        let mut starts = Vec::new();
        if keys <= rows.len() {
            starts.reserve_exact(keys + 1);
            for (number, row) in rows.iter().enumerate() {
                starts.resize(row.key as usize + 1, number as u32);
            }
            starts.resize(keys + 1, rows.len() as u32);
        }
        Run { rows, starts, ..Run::default() }
    }

    /// Finds the zones of columns.
    fn zone(&mut self, columns: &[u16], cells: &[Value], arity: usize) {
        let Run { rows, zones, values, .. } = self;
        let value = |row: &SortedRow, column: u16| cells[row.row as usize * arity + column as usize];
        let of_column = |column: &u16| rows.iter().map(|row| value(row, *column)).collect();
        *values = columns.iter().map(of_column).collect();
        zones.clear();
        for start in (0..rows.len()).step_by(BLOCK) {
            let block = start..rows.len().min(start + BLOCK);
            zones.extend(values.iter().map(|values| Zone::of(values[block.clone()].iter().copied())));
        }
    }

    /// The first of some places whose values are within windows, of those columns that are zoned; the end of the places if there is none.
    #[inline]
    fn first_within(&self, places: Range<usize>, windows: &[ColumnWindow], zoned: &[u16]) -> usize {
        let values_of = |window: &ColumnWindow| {
            let number = zoned.iter().position(|column| *column == window.column)?;
            Some(&self.values[number][places.clone()])
        };
        let [first, others @ ..] = windows else { return places.start };
        let Some(values) = values_of(first) else { return places.start };
        let others_admit =
            |at: usize| others.iter().all(|window| values_of(window).is_none_or(|values| window.admits(values[at])));
        let mut at = 0;
        while let Some(next) = values[at..].iter().position(|value| first.admits(*value)) {
            at += next;
            if others_admit(at) {
                return places.start + at;
            }
            at += 1;
        }
        places.end
    }

    /// The places of the rows under the key of a number.
    fn of_key(&self, key: u32) -> Range<usize> {
        let key = key as usize;
        if self.starts.is_empty() {
            let first = self.rows.partition_point(|row| (row.key as usize) < key);
            return first..first + leading(&self.rows[first..], |row| row.key as usize == key);
        }
        let start = |key: usize| self.starts.get(key).map_or(self.rows.len(), |&start| start as usize);
        start(key)..start(key + 1)
    }
}

/// Rows of a run that are within bounds: the next, and one past the last.
#[derive(Clone, Copy, Debug)]
pub struct RunPart {
    run: u32,
    next: u32,
    end: u32,
}

impl RunPart {
    /// The number of rows that are left.
    pub fn len(self) -> usize {
        (self.end - self.next) as usize
    }
}

/// A sorted index.
pub struct SortedIndex {
    key: SortedKey,
    /// The numbers of the keys.
    numbers: HashTable<u32>,
    /// The keys one after the other, in the order of their numbers.
    keys: Vec<Value>,
    runs: Vec<Run>,
    /// The columns of which blocks have zones.
    zoned: Vec<u16>,
    filled: usize,
}

impl SortedIndex {
    /// An empty index.
    pub fn new(key: SortedKey) -> Self {
        Self { key, numbers: HashTable::new(), keys: Vec::new(), runs: Vec::new(), zoned: Vec::new(), filled: 0 }
    }

    pub fn key(&self) -> &SortedKey {
        &self.key
    }

    /// The number of rows entered.
    pub fn filled(&self) -> usize {
        self.filled
    }

    pub fn clear(&mut self) {
        *self = SortedIndex { zoned: std::mem::take(&mut self.zoned), ..Self::new(self.key.clone()) };
    }

    /// Has the zones of a column from now on.
    pub fn zone(&mut self, column: u16, cells: &[Value], arity: usize) {
        if !self.zoned.contains(&column) {
            self.zoned.push(column);
            self.runs.iter_mut().for_each(|run| run.zone(&self.zoned, cells, arity));
        }
    }

    /// Enters the rows up to `len`.
    pub fn catch_up(&mut self, cells: &[Value], arity: usize, len: usize, interner: &Interner) {
        let mut key = Vec::with_capacity(self.key.columns.len());
        let mut run = Vec::with_capacity(len - self.filled);
        for row in self.filled..len {
            let cells = &cells[row * arity..(row + 1) * arity];
            key.clear();
            key.extend(self.key.columns.iter().map(|&column| cells[column as usize]));
            let value = cells[self.key.by as usize];
            run.push(SortedRow { key: self.number(&key), value, row: row as u32 });
        }
        let before = |a: &SortedRow, b: &SortedRow| {
            a.key.cmp(&b.key).then_with(|| order(a.value, b.value, interner)).then_with(|| a.row.cmp(&b.row))
        };
        // Most values are small integers, which are compared together with the key.
        let integer = |row: &SortedRow| row.value.as_small_integer();
        if run.iter().all(|row| integer(row).is_some()) {
            run.sort_unstable_by_key(|row| {
                let value = integer(row).unwrap_or_default() - i64::from(i32::MIN);
                (u64::from(row.key) << 32 | value as u64, row.row)
            });
        } else {
            run.sort_unstable_by(before);
        }
        while let Some(mut longer) = self.runs.pop_if(|last| last.rows.len() <= MERGED * run.len()) {
            // A stable sort finds the two runs, and merges them in linear time.
            longer.rows.append(&mut run);
            longer.rows.sort_by(before);
            run = longer.rows;
        }
        let keys = self.keys.len().checked_div(self.key.columns.len()).unwrap_or(1);
        let mut run = Run::new(run, keys);
        run.zone(&self.zoned, cells, arity);
        self.runs.push(run);
        self.filled = len;
    }

    /// The number of a key, which is added if it is new.
    fn number(&mut self, key: &[Value]) -> u32 {
        if key.is_empty() {
            return 0;
        }
        let Self { numbers, keys, .. } = self;
        let key_of = |number: u32| number as usize * key.len()..(number as usize + 1) * key.len();
        let next = (keys.len() / key.len()) as u32;
        let is_same = |&number: &u32| keys[key_of(number)] == *key;
        let entry = numbers.entry(hash(key), is_same, |&number| hash(&keys[key_of(number)])).or_insert(next);
        let number = *entry.get();
        if number == next {
            keys.extend_from_slice(key);
        }
        number
    }

    /// The number of a key; `None` if no row has it.
    #[inline]
    pub fn find(&self, key: &[Value]) -> Option<u32> {
        if key.is_empty() {
            return Some(0);
        }
        let key_of = |number: u32| &self.keys[number as usize * key.len()..(number as usize + 1) * key.len()];
        self.numbers.find(hash(key), |&number| key_of(number) == key).copied()
    }

    /// The side of limits on which the value of a row is.
    fn side(limits: &[Limit], interner: &Interner) -> impl Fn(&SortedRow) -> Ordering {
        // Most limits and values are small integers, which a binary search compares without a look at their kinds.
        let integers = Limit::integers(limits);
        move |row| match (integers, row.value.as_small_integer()) {
            (Some([least, _]), Some(value)) if value < least => Ordering::Less,
            (Some([_, greatest]), Some(value)) if value > greatest => Ordering::Greater,
            (Some(_), Some(_)) => Ordering::Equal,
            _ => side(limits, row.value, interner),
        }
    }

    /// Finds the rows under the key of a number that are within all limits: parts of the runs, which are read from the last
    /// to the first.
    pub fn within(&self, key: u32, limits: &[Limit], interner: &Interner, parts: &mut Vec<RunPart>) {
        let side = Self::side(limits, interner);
        for (number, run) in self.runs.iter().enumerate() {
            let of_key = run.of_key(key);
            let rows = &run.rows[of_key.clone()];
            let next = rows.partition_point(|row| side(row).is_lt());
            let count = leading(&rows[next..], |row| side(row).is_eq());
            if count > 0 {
                let next = of_key.start + next;
                parts.push(RunPart { run: number as u32, next: next as u32, end: (next + count) as u32 });
            }
        }
    }

    /// The rows under the key of a number, in the order of their values, if all rows were entered together.
    pub fn rows_of_key(&self, key: u32) -> Option<impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + Clone> {
        let [run] = &self.runs[..] else { return None };
        Some(run.rows[run.of_key(key)].iter().map(|row| row.row))
    }

    /// The row at a place among these.
    pub fn row_at(&self, key: u32, place: usize) -> u32 {
        let run = &self.runs[0];
        run.rows[run.of_key(key).start + place].row
    }

    /// The places of those within all limits among these rows.
    pub fn places_within(&self, key: u32, limits: &[Limit], interner: &Interner) -> Option<Range<usize>> {
        let [run] = &self.runs[..] else { return None };
        let side = Self::side(limits, interner);
        let rows = &run.rows[run.of_key(key)];
        let first = rows.partition_point(|row| side(row).is_lt());
        Some(first..first + rows[first..].partition_point(|row| side(row).is_eq()))
    }

    /// The entry of a row that is left of a part, by its number.
    pub fn entry(&self, part: RunPart, number: usize) -> KeyedRow {
        let SortedRow { value, row, .. } = self.runs[part.run as usize].rows[part.next as usize + number];
        KeyedRow { row, value }
    }

    /// The number of rows that are left of parts.
    pub fn count(parts: &[RunPart]) -> usize {
        parts.iter().map(|part| part.len()).sum()
    }

    /// Takes the next row before the row `end` out of parts.
    #[inline]
    pub fn next(&self, parts: &mut Vec<RunPart>, end: u32) -> Option<KeyedRow> {
        while let Some(RunPart { run, next, end: last }) = parts.last_mut() {
            let SortedRow { value, row, .. } = self.runs[*run as usize].rows[*next as usize];
            *next += 1;
            if next == last {
                parts.pop();
            }
            if row < end {
                return Some(KeyedRow { row, value });
            }
        }
        None
    }

    /// Takes rows before the row `end` out of parts, as many as there is room for; their number.
    pub fn read(&self, parts: &mut Vec<RunPart>, end: u32, entries: &mut [KeyedRow]) -> usize {
        let mut count = 0;
        while count < entries.len()
            && let Some(entry) = self.next(parts, end)
        {
            entries[count] = entry;
            count += 1;
        }
        count
    }

    /// Takes the next row before the row `end` that passes a test out of parts, with the number of rows tested before it. Rows of which
    /// the zone of a block says that they are outside of the windows need not pass the test, and are not tested.
    #[inline(never)]
    pub fn next_that(
        &self,
        parts: &mut Vec<RunPart>,
        end: u32,
        windows: &[ColumnWindow],
        passes: impl Fn(usize) -> bool,
    ) -> (usize, Option<KeyedRow>) {
        let mut rejected = 0;
        while let Some(RunPart { run, next, end: last }) = parts.last_mut() {
            let run = &self.runs[*run as usize];
            while next < last {
                let from = *next as usize;
                let to = (*last as usize).min((from / BLOCK + 1) * BLOCK);
                if !self.may_have(run, from / BLOCK, windows) {
                    *next = to as u32;
                    continue;
                }
                let mut at = from;
                let found = loop {
                    let first = run.first_within(at..to, windows, &self.zoned);
                    rejected += first - at;
                    if first == to {
                        break None;
                    }
                    at = first + 1;
                    let row = run.rows[first].row;
                    rejected += usize::from(row < end);
                    if row < end && passes(row as usize) {
                        break Some(first);
                    }
                };
                *next = found.map_or(to, |at| at + 1) as u32;
                if let Some(SortedRow { value, row, .. }) = found.map(|at| run.rows[at]) {
                    if next == last {
                        parts.pop();
                    }
                    return (rejected - 1, Some(KeyedRow { row, value }));
                }
            }
            parts.pop();
        }
        (rejected, None)
    }

    /// Whether rows of a block may be within windows.
    #[inline]
    fn may_have(&self, run: &Run, block: usize, windows: &[ColumnWindow]) -> bool {
        let mut zones = self.zoned.iter().zip(&run.zones[block * self.zoned.len()..]);
        zones.all(|(column, zone)| windows.iter().all(|window| window.column != *column || window.meets(*zone)))
    }

    pub fn bytes(&self) -> usize {
        let of_run = |run: &Run| {
            let Run { rows, starts, zones, values } = run;
            rows.capacity() * size_of::<SortedRow>()
                + starts.capacity() * 4
                + zones.capacity() * size_of::<Zone>()
                + values.iter().map(|values| values.capacity() * size_of::<Value>()).sum::<usize>()
        };
        self.runs.iter().map(of_run).sum::<usize>()
            + self.keys.capacity() * size_of::<Value>()
            + self.numbers.allocation_size()
    }
}

/// The number of leading rows for which a test holds that holds for no row behind them: by steps that double, since most
/// parts are short.
fn leading(rows: &[SortedRow], holds: impl Fn(&SortedRow) -> bool) -> usize {
    let mut step = 1;
    while step <= rows.len() && holds(&rows[step - 1]) {
        step *= 2;
    }
    let sure = step / 2;
    sure + rows[sure..rows.len().min(step)].partition_point(holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semi_naive::plan::WindowTemplate;
    use crate::term::{LimitTemplate, Template, Test};
    use ludolog_syntax::ast::{Comparator, Term};

    const ORDERINGS: [Comparator; 4] =
        [Comparator::Less, Comparator::LessOrEqual, Comparator::Greater, Comparator::GreaterOrEqual];

    /// Values of every kind, some of them near each other.
    fn values(interner: &mut Interner) -> Vec<Value> {
        let integers = (-3..12).chain([i64::MIN, i64::MAX, 1 << 40, (1 << 40) + 1, -(1 << 40)]).map(Term::Integer);
        let symbols = ["", "a", "ab", "b", "B", "10", "é"].map(Term::symbol);
        let compounds = [Term::compound("f", vec![Term::Integer(1)]), Term::compound("f", vec![Term::symbol("a")])];
        integers.chain(symbols).chain(compounds).map(|term| interner.ground(&term)).collect()
    }

    /// Rows `(key, value, number)`, entered some at a time: those under a key and within two limits are those that pass the
    /// same comparisons.
    #[test]
    fn rows_within_limits_pass_the_comparisons() {
        let mut interner = Interner::new();
        let values = values(&mut interner);
        let small = |n: usize| Value::small_integer(n as i64).expect("it is small");
        let mut cells = Vec::new();
        let window = |least: usize, most: usize| {
            let sides = [(Comparator::GreaterOrEqual, least), (Comparator::LessOrEqual, most)];
            let limits = sides.map(|(comparator, limit)| LimitTemplate {
                comparator,
                template: Template::Constant(small(limit)),
                of_integers: false,
            });
            let template =
                WindowTemplate { column: 2, is_carried: false, limits: limits.into(), narrowings: Box::default() };
            ColumnWindow::of(&template, &[]).expect("the limits are small")
        };
        for columns in [vec![], vec![0]] {
            let mut index = SortedIndex::new(SortedKey { columns: columns.clone(), by: 1 });
            cells.clear();
            for len in [1, 2, 5, 6, 7, 40, 41, 42, 43, 400] {
                for row in cells.len() / 3..len {
                    cells.extend([small(row % 3), values[(row * row + row / 7) % values.len()], small(row)]);
                }
                index.catch_up(&cells, 3, len, &interner);
                if len > 6 {
                    index.zone(2, &cells, 3);
                }
                let sizes: Vec<usize> = index.runs.iter().map(|run| run.rows.len()).collect();
                assert!(sizes.windows(2).all(|pair| pair[0] > MERGED * pair[1]), "{sizes:?}");
                for (number, (&low, &high)) in
                    values.iter().flat_map(|low| values.iter().map(move |high| (low, high))).enumerate()
                {
                    let end = if number % 2 == 0 { len } else { len / 2 };
                    let tests: Vec<Test> = [(low, ORDERINGS[number % 4]), (high, ORDERINGS[number / 4 % 4])]
                        .map(|(limit, comparator)| Test {
                            comparator,
                            negated: false,
                            left: Template::Slot(0),
                            right: Template::Constant(limit),
                        })
                        .into();
                    let key: Vec<Value> = columns.iter().map(|_| small(number % 4)).collect();
                    let passes = |row: &usize| {
                        let cells = &cells[row * 3..row * 3 + 3];
                        key.iter().all(|key| cells[0] == *key)
                            && tests.iter().all(|test| test.holds(&[cells[1]], &mut interner))
                    };
                    let expected: Vec<usize> = (0..end).filter(passes).collect();
                    let limits: Vec<LimitTemplate> = tests
                        .iter()
                        .map(|Test { comparator, right, .. }| LimitTemplate {
                            comparator: *comparator,
                            template: right.clone(),
                            of_integers: false,
                        })
                        .collect();
                    let limits: Option<Vec<Limit>> =
                        limits.iter().map(|limit| Limit::of(limit, &[], &interner)).collect();
                    let mut parts = Vec::new();
                    if let (Some(key), Some(limits)) = (index.find(&key), limits) {
                        index.within(key, &limits, &interner, &mut parts);
                    }
                    let mut again = parts.clone();
                    let mut found: Vec<usize> =
                        std::iter::from_fn(|| index.next(&mut parts, end as u32)).map(|row| row.row as usize).collect();
                    found.sort_unstable();
                    assert_eq!(found, expected, "{tests:?} of {len}");
                    let window = window(len / 4, len / 2);
                    let mut left = again.clone();
                    let within = |row: usize| window.admits(small(row));
                    let next = || index.next_that(&mut left, end as u32, std::slice::from_ref(&window), within).1;
                    let mut found: Vec<usize> = std::iter::from_fn(next).map(|row| row.row as usize).collect();
                    found.sort_unstable();
                    assert_eq!(found, expected.iter().copied().filter(|&row| within(row)).collect::<Vec<_>>());
                    let is_even = |row: usize| row.is_multiple_of(2);
                    let mut even = Vec::new();
                    let mut rejected = 0;
                    loop {
                        let (before, next) = index.next_that(&mut again, end as u32, &[], is_even);
                        rejected += before;
                        let Some(row) = next else { break };
                        even.push(row.row as usize);
                    }
                    even.sort_unstable();
                    assert_eq!(rejected + even.len(), expected.len());
                    assert_eq!(even, expected.into_iter().filter(|&row| is_even(row)).collect::<Vec<_>>());
                }
            }
        }
    }

    /// An end of a range is an integer, as are the values within it.
    #[test]
    fn nothing_is_within_a_range_to_a_symbol() {
        let mut interner = Interner::new();
        let symbol = interner.ground(&Term::symbol("a"));
        let limit = |of_integers| LimitTemplate {
            comparator: Comparator::LessOrEqual,
            template: Template::Constant(symbol),
            of_integers,
        };
        assert!(Limit::of(&limit(true), &[], &interner).is_none());
        assert!(Limit::of(&limit(false), &[], &interner).is_some());
    }
}
