//! The choices of operations: rows that are scanned, looked up by a key or between bounds, pairs of a closure, elements of
//! lists and of ranges. Each of these moves to the next one that matches, and binds slots.

use super::closure::Cursor;
use super::index::{KeyPlace, KeyedRow};
use super::machine::{DistinctRows, Frontier, PlanMachine, RowStore, Scratch};
use super::members::hash;
use super::plan::{LiteralRows, Pairs, Partner, SortedLookup};
use super::relation::Relation;
use super::window::ColumnWindow;
use crate::term::{Limit, Pattern, Template};
use crate::value::{Intern, Interner, Value};
use hashbrown::hash_table::Entry;
use ludolog_syntax::budget::Stopped;

/// After so many rows of a scan that had a partner, one after the other, a run does not look for partners: most rows have
/// one, and are looked up twice.
const MOST_PARTNERED: u32 = 64;

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// The range of row numbers that `rows` reads.
    #[inline]
    pub(super) fn range(rows: &LiteralRows, frontiers: &[Frontier]) -> (usize, usize) {
        frontiers[rows.relation].rows(rows.range)
    }

    /// The range of row numbers that the operation `at` scans.
    #[inline]
    pub(super) fn scanned(&self, rows: &LiteralRows, at: usize, frontiers: &[Frontier]) -> (usize, usize) {
        self.extent.scanned.filter(|_| at == 0).unwrap_or_else(|| Self::range(rows, frontiers))
    }

    /// The place of the newest row that `rows` looks up. A look-up reads all rows before some row: deltas are scanned.
    #[inline]
    pub(super) fn place(
        &mut self,
        rows: &LiteralRows,
        index: usize,
        key: &[Template],
        end: usize,
        scratch: &mut Scratch,
    ) -> KeyPlace {
        let relation = &self.relations[rows.relation];
        match key {
            [Template::Slot(slot)] => {
                relation.newest(index, &[scratch.slots[*slot as usize]], end, self.interner.known())
            }
            _ => {
                self.build(key, scratch);
                self.relations[rows.relation].newest(index, &scratch.row, end, self.interner.known())
            }
        }
    }

    /// Begins to enumerate an operation that looks up: `rows`, or the rival of it that has the fewest rows.
    #[inline]
    pub(super) fn begin<'r>(
        &mut self,
        rows: &'r LiteralRows,
        at: usize,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> &'r LiteralRows {
        self.find_windows(rows, at, scratch);
        let Some((index, key)) = &rows.lookup else {
            if let Some(sorted) = &rows.sorted {
                self.find_within(rows, sorted, at, scratch);
            }
            return rows;
        };
        let mut best = self.place(rows, *index, key, Self::range(rows, frontiers).1, scratch);
        let mut chosen = 0;
        if !rows.rivals.is_empty() {
            let mut fewest = self.relations[rows.relation].index(*index).count(best);
            for (number, rival) in (1..).zip(&rows.rivals) {
                let Some((index, key)) = &rival.lookup else { continue };
                let place = self.place(rival, *index, key, Self::range(rival, frontiers).1, scratch);
                let count = self.relations[rival.relation].index(*index).count(place);
                if count < fewest {
                    (best, fewest, chosen) = (place, count, number);
                }
            }
            self.work.probes += rows.rivals.len() as u64;
        }
        scratch.places[at] = best;
        scratch.chosen[at] = chosen;
        self.begin_reduced(rows, at, frontiers, scratch);
        rows.chosen(chosen)
    }

    /// Binds the slots of an entry of an index, if its row matches.
    #[inline(always)]
    pub(super) fn binds(&self, rows: &LiteralRows, KeyedRow { row, value }: KeyedRow, scratch: &mut Scratch) -> bool {
        let relation = &self.relations[rows.relation];
        match rows.carried {
            Some(slot) if !relation.has_removed() => {
                scratch.slots[slot as usize] = value;
                true
            }
            _ => Self::row_matches(relation, rows, row, &mut scratch.slots, self.interner.known()),
        }
    }

    /// Finds the windows of the operation `at`, which few have.
    #[inline(always)]
    pub(super) fn find_windows(&mut self, rows: &LiteralRows, at: usize, scratch: &mut Scratch) {
        // A profile shows what each row comes to.
        if !PROFILED && !rows.windows.is_empty() {
            self.find_some_windows(rows, at, scratch);
        }
    }

    #[inline(never)]
    fn find_some_windows(&mut self, rows: &LiteralRows, at: usize, scratch: &mut Scratch) {
        let windows = &mut scratch.windows[at];
        windows.clear();
        windows.extend(rows.windows.iter().filter_map(|window| ColumnWindow::of(window, &scratch.slots)));
    }

    /// The windows of the operation `at`; none in a profile.
    #[inline]
    pub(super) fn windows<'s>(rows: &LiteralRows, at: usize, windows: &'s [Vec<ColumnWindow>]) -> &'s [ColumnWindow] {
        if PROFILED || rows.windows.is_empty() { &[] } else { &windows[at] }
    }

    /// Finds the rows that the operation `at` looks up between bounds.
    pub(super) fn find_within(&mut self, rows: &LiteralRows, sorted: &SortedLookup, at: usize, scratch: &mut Scratch) {
        let mut parts = std::mem::take(&mut scratch.parts[at]);
        parts.clear();
        self.with_limits(rows, sorted, scratch, |relation, key, limits, interner| {
            let index = relation.sorted(sorted.index);
            index.within(key, limits, interner, &mut parts);
        });
        scratch.parts[at] = parts;
    }

    /// Does something with the number of the key of a look-up between bounds and its limits, if some row has that key and the limits have values.
    #[inline]
    pub(super) fn with_limits(
        &mut self,
        rows: &LiteralRows,
        sorted: &SortedLookup,
        scratch: &mut Scratch,
        mut act: impl FnMut(&Relation, u32, &[Limit], &Interner),
    ) {
        self.build(&sorted.key, scratch);
        let relation = &self.relations[rows.relation];
        let interner = self.interner.known();
        // Limits are computed only where there are rows to compare with them: one that does not fit 64 bits is noted.
        let Some(key) = relation.sorted(sorted.index).find(&scratch.row) else { return };
        let limit = |template| Limit::of(template, &scratch.slots, interner);
        // Most have one or two, which need no allocation.
        match (&sorted.limits[..], &sorted.narrowings[..]) {
            ([only], []) => _ = limit(only).map(|only| act(relation, key, &[only], interner)),
            ([a, b], []) => _ = limit(a).zip(limit(b)).map(|(a, b)| act(relation, key, &[a, b], interner)),
            (many, narrowings) => {
                let left = narrowings.iter().filter_map(|narrowing| {
                    narrowing.interval(|leaf| leaf.integer_of_plain(&scratch.slots, interner)).map(Limit::within)
                });
                let limits: Option<Vec<Limit>> = many.iter().map(limit).chain(left.flatten().map(Some)).collect();
                _ = limits.map(|limits| act(relation, key, &limits, interner));
            }
        }
    }

    /// Moves the cursor of the operation `at` to its next matching row and binds the slots.
    #[inline]
    pub(super) fn next_row(
        &mut self,
        rows: &LiteralRows,
        at: usize,
        retry: bool,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> bool {
        if rows.is_plain_scan() {
            return self.next_scanned(rows, at, retry, frontiers, scratch);
        }
        let rows = if retry { rows.chosen(scratch.chosen[at]) } else { self.begin(rows, at, frontiers, scratch) };
        let relation = &self.relations[rows.relation];
        if let Some((index, _)) = &rows.lookup {
            let is_reduced = !rows.filters.is_empty() && scratch.reduced[at].is_reduced();
            loop {
                let place = &mut scratch.places[at];
                let (rejected, next) = match Self::windows(rows, at, &scratch.windows) {
                    _ if is_reduced => (0, scratch.reduced[at].next()),
                    [] => (0, relation.next(*index, place)),
                    windows => relation.next_admitted(*index, place, windows),
                };
                self.work.probes += rejected as u64;
                let Some(entry) = next else { return false };
                self.work.probes += 1;
                if self.binds(rows, entry, scratch) {
                    scratch.cursors[at] = entry.row;
                    return true;
                }
            }
        }
        if let Some(sorted) = &rows.sorted {
            let end = Self::range(rows, frontiers).1 as u32;
            loop {
                let parts = &mut scratch.parts[at];
                let windows = Self::windows(rows, at, &scratch.windows);
                let is_admitted = |row| relation.is_admitted(row, windows);
                let (rejected, next) = relation.sorted(sorted.index).next_that(parts, end, windows, is_admitted);
                self.work.probes += rejected as u64;
                let Some(KeyedRow { row, .. }) = next else { return false };
                self.work.probes += 1;
                if Self::row_matches(relation, rows, row, &mut scratch.slots, self.interner.known()) {
                    scratch.cursors[at] = row;
                    return true;
                }
            }
        }
        let (low, high) = self.scanned(rows, at, frontiers);
        let mut next = if retry { scratch.cursors[at] as usize + 1 } else { low };
        if self.knows_distinct(rows, at, scratch) {
            return self.next_distinct(rows, at, next, scratch);
        }
        if !retry {
            Self::begin_scan(rows, at, scratch);
        }
        while next < high {
            // A profile shows what each row comes to.
            let row = match rows.partner.as_deref() {
                Some(&Partner { relation: other, index, column })
                    if !PROFILED && scratch.partnered < MOST_PARTNERED =>
                {
                    let index = self.relations[other].index(index);
                    let row = index.first_with_key(relation.cells_from(0), relation.arity(), column, next..high);
                    scratch.partnered = if row == next { scratch.partnered + 1 } else { 0 };
                    row
                }
                _ => next,
            };
            let row = match Self::windows(rows, at, &scratch.windows) {
                [] => row,
                windows => (row..high).find(|&row| relation.is_admitted(row, windows)).unwrap_or(high),
            };
            self.work.probes += (row - next) as u64;
            if row == high {
                break;
            }
            self.work.probes += 1;
            if Self::row_matches(relation, rows, row as u32, &mut scratch.slots, self.interner.known())
                && Self::is_first(relation, rows, row as u32, at, scratch)
            {
                scratch.cursors[at] = row as u32;
                return true;
            }
            next = row + 1;
        }
        self.note_distinct(rows, at, scratch);
        false
    }

    /// As [`next_row`](Self::next_row), of a scan that leaves no row out.
    #[inline]
    fn next_scanned(
        &mut self,
        rows: &LiteralRows,
        at: usize,
        retry: bool,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> bool {
        let (low, high) = self.scanned(rows, at, frontiers);
        let relation = &self.relations[rows.relation];
        let first = if retry { scratch.cursors[at] as usize + 1 } else { low };
        for row in first..high {
            self.work.probes += 1;
            if Self::row_matches(relation, rows, row as u32, &mut scratch.slots, self.interner.known()) {
                scratch.cursors[at] = row as u32;
                return true;
            }
        }
        false
    }

    /// Whether an earlier scan of the operation `at` has found all rows that do not repeat one another.
    #[inline]
    pub(super) fn knows_distinct(&self, rows: &LiteralRows, at: usize, scratch: &Scratch) -> bool {
        !PROFILED && !rows.distinct.is_empty() && scratch.distinct[at].is_complete
    }

    /// Notes that a scan of the operation `at` is at its end. The next one finds the same rows: nothing that is bound before decides which, but for
    /// windows.
    #[inline]
    pub(super) fn note_distinct(&self, rows: &LiteralRows, at: usize, scratch: &mut Scratch) {
        if !PROFILED && !rows.distinct.is_empty() {
            scratch.distinct[at].is_complete = rows.windows.is_empty();
        }
    }

    /// Moves the cursor of the operation `at`, a scan that was at its end before, to the first row from `next` on that it found then, and binds the slots.
    #[inline(never)]
    fn next_distinct(&mut self, rows: &LiteralRows, at: usize, next: usize, scratch: &mut Scratch) -> bool {
        let found = &scratch.distinct[at].rows;
        let place = found.partition_point(|&row| (row as usize) < next);
        let Some(&row) = found.get(place) else { return false };
        self.work.probes += 1;
        scratch.cursors[at] = row;
        Self::row_matches(&self.relations[rows.relation], rows, row, &mut scratch.slots, self.interner.known())
    }

    /// Forgets the rows that an earlier scan of the operation `at` found.
    #[inline]
    pub(super) fn begin_scan(rows: &LiteralRows, at: usize, scratch: &mut Scratch) {
        if !PROFILED && !rows.distinct.is_empty() {
            scratch.distinct[at].clear();
        }
    }

    /// Whether no row before, of those that the scan of the operation `at` found, agrees with this one in all that is needed.
    #[inline]
    pub(super) fn is_first(
        relation: &Relation,
        rows: &LiteralRows,
        row: u32,
        at: usize,
        scratch: &mut Scratch,
    ) -> bool {
        // A profile shows what each row comes to.
        PROFILED || rows.distinct.is_empty() || Self::is_new(relation, rows, row, at, scratch)
    }

    /// Enters a row into those that the scan of the operation `at` found; `false` if another one agrees with it. Out of line, for the sake of the loops
    /// that ask for it.
    #[inline(never)]
    fn is_new(relation: &Relation, rows: &LiteralRows, row: u32, at: usize, scratch: &mut Scratch) -> bool {
        let cells = |row: u32| rows.distinct.iter().map(move |&column| &relation.row(row as usize)[column as usize]);
        let agrees = |&other: &u32| cells(other).eq(cells(row));
        let DistinctRows { table, rows: found, .. } = &mut scratch.distinct[at];
        match table.entry(hash(cells(row)), agrees, |&other| hash(cells(other))) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(row);
                found.push(row);
                true
            }
        }
    }

    /// Begins to enumerate the pairs of the operation `at`.
    pub(super) fn begin_pairs(&mut self, pairs: &Pairs, at: usize, scratch: &mut Scratch) {
        scratch.closure_cursors.resize_with(scratch.cursors.len(), Cursor::default);
        let bound = pairs.row.iter().map(|part| part.as_ref().map(|part| part.value(&scratch.slots, self.interner)));
        let cursor = &mut scratch.closure_cursors[at];
        self.closures[pairs.closure].begin(bound, cursor);
        cursor.ends = pairs.ends;
    }

    /// Moves the cursor of the operation `at` to its next matching pair and binds the slots.
    pub(super) fn next_pair(&mut self, pairs: &Pairs, at: usize, retry: bool, scratch: &mut Scratch) -> bool {
        if !retry {
            self.begin_pairs(pairs, at, scratch);
        }
        let closure = &self.closures[pairs.closure];
        let cursor = &mut scratch.closure_cursors[at];
        while closure.next(cursor, &mut scratch.row) {
            self.work.probes += 1;
            let cells = &scratch.row;
            let slots = &mut scratch.slots;
            let interner = self.interner.known();
            if pairs.patterns.iter().all(|(column, pattern)| pattern.matches(cells[*column as usize], slots, interner))
            {
                return true;
            }
        }
        false
    }

    #[inline]
    pub(super) fn row_matches(
        relation: &Relation,
        rows: &LiteralRows,
        row: u32,
        slots: &mut [Value],
        interner: &Interner,
    ) -> bool {
        if relation.has_removed() && relation.is_removed(row as usize) {
            return false;
        }
        let cells = relation.row_cells();
        rows.patterns.iter().all(|(column, pattern)| pattern.matches(cells.get(row, *column), slots, interner))
    }

    /// Advances `list` past its next element that matches; `false` at its end, or if it is no list.
    pub(super) fn next_element(&mut self, element: &Pattern, list: &mut u32, slots: &mut [Value]) -> bool {
        while let Some((functor, &[head, tail])) = self.interner.known().as_compound(Value(*list)) {
            if functor != self.list {
                break;
            }
            *list = tail.0;
            self.work.probes += 1;
            if element.matches(head, slots, self.interner.known()) {
                return true;
            }
        }
        false
    }

    /// Takes the next integer of a range that matches; `false` at its end.
    pub(super) fn next_integer(
        &mut self,
        element: &Pattern,
        left: &mut Option<(i64, i64)>,
        slots: &mut [Value],
    ) -> Result<bool, Stopped> {
        while let Some((next, last)) = *left {
            *left = next.checked_add(1).filter(|next| *next <= last).map(|next| (next, last));
            self.work.probes += 1;
            let value = self.interner.integer(next);
            if element.matches(value, slots, self.interner.known()) {
                return Ok(true);
            }
            self.poll()?;
        }
        Ok(false)
    }
}
