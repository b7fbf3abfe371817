//! Relations with a lattice column: a row for each key, which are the other columns, with the best value so far, or with the union of all.
//!
//! A better value takes the place of another by a new row, and the old one counts as removed. So the deltas of a round
//! are ranges of rows here as well: the keys whose value got better. A row that no round has seen is changed in its
//! place instead.
//!
//! Rounds by themselves find the shortest ways as Bellman and Ford do (R. Bellman, *On a routing problem*, 1958): a value
//! that is not the best one goes all the way before the best one comes after it. While values only get worse on their
//! way, as costs do that add up, a round therefore takes the best part of the new rows alone, close to the order of
//! E. W. Dijkstra (*A note on two problems in connexion with graphs*, 1959): the best of them stay as they are. As soon
//! as a round finds a better value than those that it began with, that order could take exponential time, and rounds
//! take all rows from then on.

use super::SemiNaive;
use super::machine::Frontier;
use super::members::{Members, Numbered, hash};
use super::relation::{Relation, RelationId};
use crate::contract::Rows;
use crate::lattice::LatticeJoin;
use crate::total_order::TotalOrder;
use crate::value::{Intern, Interner, Value};
use hashbrown::HashTable;
use ludolog_syntax::ast::{Atom, Lattice};
use ludolog_syntax::budget::{Budget, OrderFault, Stopped, Unordered};
use ludolog_syntax::{Syntax, print_atom};
use std::sync::Arc;

/// The part of the new rows that a round takes.
const TAKEN: usize = 16;

/// Rows are put in the order of their levels when they were gone through so often: the one takes as long as the other.
const SCANS_PER_SORT: usize = 256;

/// A round takes all of so few new rows: it has costs of its own.
const FEWEST_TAKEN: usize = 64;

/// The rows of a relation by the columns other than the lattice column.
pub struct KeyedRows {
    column: usize,
    join: LatticeJoin,
    /// The atom by which values are ordered.
    order: Option<Atom>,
    /// A row whose value is not ordered.
    unordered: Option<Vec<Value>>,
    table: HashTable<Numbered>,
    /// Rows from this number on are not yet visible to plans.
    visible: usize,
    /// The best value of the delta.
    best: Option<Value>,
    /// Whether no round has found a better value than the best of its delta.
    gets_worse: bool,
    /// The number of rows that plans had seen when others took their places.
    replaced: usize,
    /// The same since rounds began.
    improved: usize,
    /// The levels of rows, if they are known.
    levels: Option<RowLevels>,
}

/// The [levels](super::levels) of rows: those of their keys, or the ranks of their values.
struct RowLevels {
    /// By row, whether plans see it or not.
    of_rows: Vec<u32>,
    are_ranks: bool,
    /// That of the delta.
    shown: u32,
    /// Rows that no plan has seen, up to this one, are in the order of their levels.
    sorted: usize,
    /// The lowest level from there on.
    lowest: u32,
    /// The rows from there on that were gone through since rows were put in order.
    scanned: usize,
}

impl RowLevels {
    /// Levels of rows in any order.
    fn new(of_rows: Vec<u32>, are_ranks: bool) -> Self {
        RowLevels { of_rows, are_ranks, shown: 0, sorted: 0, lowest: 0, scanned: usize::MAX }
    }

    fn push(&mut self, level: u32) {
        self.of_rows.push(level);
        self.lowest = self.lowest.min(level);
    }

    /// The lowest level from a row on; greater than any without rows.
    fn lowest_from(&self, row: usize) -> u32 {
        self.of_rows[row..].iter().copied().min().unwrap_or(u32::MAX)
    }
}

impl KeyedRows {
    pub fn new(lattice: &Lattice) -> Self {
        KeyedRows {
            column: lattice.column,
            join: LatticeJoin::new(&lattice.join),
            order: lattice.join.order().cloned(),
            unordered: None,
            table: HashTable::new(),
            visible: 0,
            best: None,
            gets_worse: true,
            replaced: 0,
            improved: 0,
            levels: None,
        }
    }

    pub fn clear(&mut self) {
        self.table.clear();
        self.unordered = None;
        self.levels = None;
        (self.visible, self.best, self.gets_worse, self.replaced, self.improved) = (0, None, true, 0, 0);
    }

    pub fn bytes(&self) -> usize {
        self.table.allocation_size()
    }

    /// The number of rows that plans see.
    pub fn visible(&self) -> usize {
        self.visible
    }

    /// The columns of the key: those before the lattice column, and those behind it.
    #[inline]
    fn key<'v>(&self, row: &'v [Value]) -> [&'v [Value]; 2] {
        [&row[..self.column], &row[self.column + 1..]]
    }

    #[inline]
    fn numbered(&self, row: &[Value], number: usize) -> Numbered {
        let hash = match self.key(row) {
            [before, []] => hash(before),
            [before, behind] => hash(before.iter().chain(behind)),
        };
        Numbered::of(hash, number)
    }

    #[inline]
    fn has_key(&self, other: &Numbered, sought: &Numbered, row: &[Value], cells: &[Value]) -> bool {
        let at = other.number() * row.len();
        other.has_hash_of(sought) && self.key(&cells[at..at + row.len()]) == self.key(row)
    }

    /// The number of the row with the key of this one.
    #[inline]
    fn row_of_key(&self, row: &[Value], cells: &[Value]) -> Option<usize> {
        self.row_of(&self.numbered(row, 0), row, cells)
    }

    /// The same for one whose hash is known.
    #[inline]
    fn row_of(&self, sought: &Numbered, row: &[Value], cells: &[Value]) -> Option<usize> {
        self.table.find(sought.hash(), |other| self.has_key(other, sought, row, cells)).map(Numbered::number)
    }

    /// The number of a row, with its value.
    pub fn find(&self, row: &[Value], cells: &[Value]) -> Option<usize> {
        self.row_of_key(row, cells).filter(|number| cells[number * row.len() + self.column] == row[self.column])
    }

    /// Gives a key that has none its row.
    fn add(&mut self, numbered: Numbered) {
        self.table.insert_unique(numbered.hash(), numbered, Numbered::hash);
    }

    /// Gives a key, whose number is `old`, another one. Of two keys with the same hash either may get it, as long as both are told of: a look-up
    /// compares rows.
    fn renumber(&mut self, numbered: Numbered, old: usize) {
        let is_known = |other: &Numbered| other.number() == old && other.has_hash_of(&numbered);
        if let Some(known) = self.table.find_mut(numbered.hash(), is_known) {
            *known = numbered;
        }
    }

    /// Notes the level of a new row, if levels are known: the rank of its value, or what `of_key` says. A value without a rank is taken at once.
    fn push_level(&mut self, row: &[Value], of_key: impl Fn(&RowLevels) -> u32) {
        if let Some(levels) = &mut self.levels {
            let rank = || self.join.rank(row[self.column]).unwrap_or(levels.shown);
            levels.push(if levels.are_ranks { rank() } else { of_key(levels) });
        }
    }

    /// Gives a key that has none its row; `false` if it has one.
    pub fn insert(&mut self, row: &[Value], number: usize, cells: &[Value]) -> bool {
        let is_new = self.row_of_key(row, cells).is_none();
        if is_new {
            self.add(self.numbered(row, number));
        }
        is_new
    }

    pub fn remove(&mut self, row: &[Value], cells: &[Value]) -> Option<usize> {
        let number = self.find(row, cells)?;
        let sought = self.numbered(row, number);
        if let Ok(entry) = self.table.find_entry(sought.hash(), |other| other.number() == number) {
            entry.remove();
        }
        Some(number)
    }
}

impl Relation {
    fn keyed(&self) -> Option<&KeyedRows> {
        match self.members() {
            Members::Keyed(keyed) => Some(keyed),
            _ => None,
        }
    }

    fn keyed_mut(&mut self) -> Option<&mut KeyedRows> {
        match self.members_mut() {
            Members::Keyed(keyed) => Some(keyed),
            _ => None,
        }
    }

    /// Whether one of its columns is a lattice column.
    pub fn has_lattice(&self) -> bool {
        self.keyed().is_some()
    }

    /// One past the last row that plans see.
    pub fn visible(&self) -> usize {
        self.keyed().map_or(self.len(), KeyedRows::visible)
    }

    /// The atom by which the values of its lattice column are ordered.
    pub fn order(&self) -> Option<&Atom> {
        self.keyed()?.order.as_ref()
    }

    /// Orders the values of its lattice column.
    pub fn set_order(&mut self, order: TotalOrder) {
        if let Some(keyed) = self.keyed_mut() {
            keyed.join = LatticeJoin::First(Arc::new(order));
        }
    }

    /// Adds a row to a relation with a lattice column if its key has no value, or a worse one, or one without some of its bits; whether it did
    /// so. With `keeps`, rows that are replaced keep their cells. A union of what is no integer is none, and a row whose value is not ordered is noted.
    pub fn improve(&mut self, row: &[Value], keeps: bool, interner: &mut impl Intern) -> bool {
        let Some(keyed) = self.keyed() else { return self.insert(row) };
        let column = keyed.column;
        let is_value = keyed.join.has(row[column], interner.known());
        if !is_value && keyed.order.is_some() {
            self.note_unordered(row);
            return false;
        }
        let new = keyed.numbered(row, self.len());
        let Some(number) = keyed.row_of(&new, row, self.cells_from(0)) else {
            if is_value {
                self.add_key(row, new);
            }
            return is_value;
        };
        let Some(value) = keyed.join.improved(row[column], self.row(number)[column], interner) else { return false };
        // In the order of ranks each row keeps its own.
        if number >= keyed.visible && !keeps && !self.is_ranked() {
            self.set_cell(number, column, value);
        } else {
            let mut row = row.to_vec();
            row[column] = value;
            self.replace(number, &row, new);
        }
        true
    }

    /// Whether a row was to be taken in whose value is not ordered.
    pub fn has_unordered(&self) -> bool {
        self.keyed().is_some_and(|keyed| keyed.unordered.is_some())
    }

    fn note_unordered(&mut self, row: &[Value]) {
        if let Some(keyed) = self.keyed_mut() {
            keyed.unordered.get_or_insert_with(|| row.to_vec());
        }
    }

    /// Adds a row whose key has none.
    fn add_key(&mut self, row: &[Value], numbered: Numbered) {
        if let Some(keyed) = self.keyed_mut() {
            keyed.add(numbered);
            keyed.push_level(row, |levels| levels.shown + 1);
        }
        self.push(row);
    }

    /// Adds a row in place of the one of this number, which has the same key.
    fn replace(&mut self, number: usize, row: &[Value], new: Numbered) {
        self.note_removed(number);
        if let Some(keyed) = self.keyed_mut() {
            keyed.renumber(new, number);
            keyed.replaced += 1;
            keyed.improved += 1;
            keyed.push_level(row, |levels| levels.of_rows[number]);
        }
        self.push(row);
    }

    /// Renumbers the rows that were not replaced.
    fn compact_keyed(&mut self) {
        let Some(&KeyedRows { visible, best, gets_worse, replaced, improved, .. }) = self.keyed() else { return };
        let visible = (0..visible).filter(|&row| !self.is_removed(row)).count();
        let Some(keyed) = self.keyed_mut() else { return };
        let mut levels = keyed.levels.take();
        if let Some(levels) = &mut levels {
            let mut rows = 0..self.len();
            levels.of_rows.retain(|_| rows.next().is_some_and(|row| !self.is_removed(row)));
            (levels.sorted, levels.lowest) = (visible, levels.lowest_from(visible));
        }
        self.compact();
        if let Some(keyed) = self.keyed_mut() {
            (keyed.visible, keyed.best, keyed.gets_worse) = (visible, best, gets_worse);
            (keyed.replaced, keyed.improved, keyed.levels) = (replaced, improved, levels);
        }
    }

    /// Makes all rows visible, before a first round.
    pub fn begin_rounds(&mut self) {
        self.show_all();
        if let Some(keyed) = self.keyed_mut() {
            (keyed.replaced, keyed.improved, keyed.levels) = (0, 0, None);
        }
    }

    /// Makes all rows visible.
    fn show_all(&mut self) {
        let len = self.len();
        if let Some(keyed) = self.keyed_mut() {
            (keyed.visible, keyed.best, keyed.gets_worse) = (len, None, true);
        }
    }

    /// Makes the rows of the next delta visible, in front of those that are left for another.
    pub fn show_best(&mut self, interner: &Interner) {
        let Some(keyed) = self.keyed() else { return };
        let &KeyedRows { visible, column, ref join, best, gets_worse, .. } = keyed;
        let join = join.clone();
        // Of sets none is the best.
        if let LatticeJoin::Union = join {
            return self.show_all();
        }
        let arity = self.arity();
        let order = |a: &Value, b: &Value| join.compare(*a, *b, interner);
        let mut values: Vec<Value> = self.cells_from(visible).chunks_exact(arity).map(|row| row[column]).collect();
        let Some(found) = values.iter().copied().min_by(order) else { return };
        let gets_worse = gets_worse && best.is_none_or(|best| order(&found, &best).is_ge());
        let mut next = self.len();
        if gets_worse && values.len() > self.begins_at(FEWEST_TAKEN) {
            let part = (values.len() / TAKEN).max(self.begins_at(FEWEST_TAKEN));
            let (_, &mut last, _) = values.select_nth_unstable_by(part, order);
            next = self.take_in_front(visible, visible, |rows, row| order(&rows.row(row)[column], &last).is_le());
        }
        if let Some(keyed) = self.keyed_mut() {
            (keyed.visible, keyed.best, keyed.gets_worse) = (next, Some(found), gets_worse);
        }
    }

    /// Lets two rows that no plan has seen change places.
    fn swap(&mut self, a: usize, b: usize) {
        let Some(keyed) = self.keyed() else { return };
        // A row that was replaced has the key of another.
        let moved = [(a, b), (b, a)]
            .map(|(number, new)| (!self.is_removed(number)).then(|| (keyed.numbered(self.row(number), new), number)));
        if let Some(keyed) = self.keyed_mut() {
            moved.into_iter().flatten().for_each(|(numbered, number)| keyed.renumber(numbered, number));
            if let Some(levels) = &mut keyed.levels {
                levels.of_rows.swap(a, b);
            }
        }
        self.swap_rows(a, b);
    }

    fn levels(&self) -> Option<&RowLevels> {
        self.keyed()?.levels.as_ref()
    }

    fn levels_mut(&mut self) -> Option<&mut RowLevels> {
        self.keyed_mut()?.levels.as_mut()
    }

    /// The lowest level of the rows that no plan has seen, if there are some and levels are known.
    pub fn lowest_level(&self) -> Option<u32> {
        let RowLevels { of_rows, sorted, lowest, .. } = self.levels()?;
        let first = of_rows[..*sorted].get(self.visible()).copied();
        Some(first.unwrap_or(u32::MAX).min(*lowest)).filter(|&level| level != u32::MAX)
    }

    /// Makes the new rows of a level visible, in front of those of higher ones.
    fn show_level(&mut self, level: u32) {
        let Some(&RowLevels { ref of_rows, are_ranks, shown, sorted, lowest, .. }) = self.levels() else { return };
        if are_ranks && level < shown {
            return self.forget_ranks();
        }
        let visible = self.visible();
        let mut next = sorted.max(visible);
        next = visible + of_rows[visible..next].partition_point(|&other| other == level);
        if lowest == level {
            let has_level = |rows: &Relation, row| rows.levels().is_some_and(|levels| levels.of_rows[row] == level);
            next = self.take_in_front(next, sorted.max(next), has_level);
        }
        let rows = self.len();
        if let Some(levels) = self.levels_mut() {
            levels.shown = level;
            if lowest == level {
                levels.scanned += rows - sorted;
                levels.sorted = sorted.max(next);
                levels.lowest = levels.lowest_from(levels.sorted);
            }
        }
        if let Some(keyed) = self.keyed_mut() {
            keyed.visible = next;
        }
        self.sort_levels_if_due();
    }

    /// Puts the rows that no plan has seen in the order of their levels, if those in no order were gone through so often that it takes less.
    fn sort_levels_if_due(&mut self) {
        let first = self.visible();
        let Some(levels) = self.levels() else { return };
        let hidden = &levels.of_rows[first..];
        if levels.scanned < SCANS_PER_SORT * hidden.len() {
            return;
        }
        let mut order: Vec<usize> = (0..hidden.len()).collect();
        order.sort_by_key(|&row| hidden[row]);
        // By place, the row that stands there now, and by row, its place.
        let mut at: Vec<usize> = (0..order.len()).collect();
        let mut place_of = at.clone();
        for (place, row) in order.into_iter().enumerate() {
            let from = place_of[row];
            if from != place {
                self.swap(first + place, first + from);
                let other = at[place];
                at.swap(place, from);
                place_of[other] = from;
            }
        }
        let rows = self.len();
        if let Some(levels) = self.levels_mut() {
            (levels.sorted, levels.lowest, levels.scanned) = (rows, u32::MAX, 0);
        }
    }

    /// The number of rows that plans had seen when others took their places, since levels were found last.
    pub fn replaced(&self) -> usize {
        self.keyed().map_or(0, |keyed| keyed.replaced)
    }

    /// Sets the levels of all keys, by row, or that they are not known.
    pub fn set_levels(&mut self, of_rows: Option<Vec<u32>>) {
        if let Some(keyed) = self.keyed_mut() {
            keyed.replaced = 0;
            keyed.levels = of_rows.map(|of_rows| RowLevels::new(of_rows, false));
            self.sort_levels_if_due();
        }
    }

    /// Whether the levels of rows are the ranks of their values.
    pub fn is_ranked(&self) -> bool {
        self.levels().is_some_and(|levels| levels.are_ranks)
    }

    /// Whether each key got better values so often on average, which only get worse on their way.
    pub fn is_improved_often(&self, times: usize) -> bool {
        self.keyed().is_some_and(|keyed| keyed.gets_worse && keyed.improved > times * self.live())
    }

    /// Makes the ranks of values the levels of rows, if all have ranks.
    pub fn rank_values(&mut self) {
        let Some(keyed) = self.keyed() else { return };
        let rank = |row: &[Value]| keyed.join.rank(row[keyed.column]);
        let of_rows: Option<Vec<u32>> = self.cells_from(0).chunks_exact(self.arity()).map(rank).collect();
        if let Some(keyed) = self.keyed_mut() {
            keyed.improved = 0;
            if let Some(of_rows) = of_rows {
                keyed.levels = Some(RowLevels::new(of_rows, true));
                self.sort_levels_if_due();
            }
        }
    }

    /// A value got better on its way: the order of ranks could take exponential time, so rounds take all rows from here on.
    #[cold]
    fn forget_ranks(&mut self) {
        self.show_all();
        if let Some(keyed) = self.keyed_mut() {
            (keyed.gets_worse, keyed.levels) = (false, None);
        }
    }

    /// The number of the row with the key of this one.
    pub fn row_of_key(&self, row: &[Value]) -> Option<usize> {
        self.keyed()?.row_of_key(row, self.cells_from(0))
    }

    /// Moves the rows from the number `first` on that are taken to the places from `next` on, which is not behind it; the place behind them.
    fn take_in_front(&mut self, mut next: usize, first: usize, is_taken: impl Fn(&Relation, usize) -> bool) -> usize {
        for number in first..self.len() {
            if is_taken(self, number) {
                if number != next {
                    self.swap(number, next);
                }
                next += 1;
            }
        }
        next
    }
}

/// A relation of fewer rows keeps those that were replaced.
const FEWEST_REPLACED: usize = 1024;

impl SemiNaive {
    /// Adds a given row, or a better one.
    pub(super) fn improve_given(&mut self, relation: RelationId, row: &[Value]) -> bool {
        let is_better = self.relations[relation].improve(row, true, &mut self.interner);
        self.relations[relation].begin_rounds();
        is_better
    }

    /// Finds the order of the values of each relation of a stratum that a predicate orders.
    #[cold]
    pub(super) fn order_values(&mut self, heads: &[RelationId], budget: &Budget) -> Result<(), Stopped> {
        for &head in heads {
            let Some(atom) = self.relations[head].order().cloned() else { continue };
            let order = atom.signature();
            let mut pairs = Vec::new();
            self.for_each_row(&order, budget, &mut |row| pairs.push([row[0], row[1]]))?;
            let found = TotalOrder::of(&pairs, &self.interner, budget)?;
            let found =
                found.map_err(|fault| Stopped::Unordered(Box::new(Unordered { order, fault, span: atom.span })));
            self.relations[head].set_order(found?);
        }
        Ok(())
    }

    /// Checks that no relation of a stratum was to take in a value that is not ordered.
    #[cold]
    pub(super) fn check_ordered(&self, stratum: usize) -> Result<(), Stopped> {
        for &head in self.strata[stratum].heads() {
            let Some(keyed) = self.relations[head].keyed() else { continue };
            let (Some(row), Some(atom)) = (&keyed.unordered, &keyed.order) else { continue };
            let value = self.interner.term(row[keyed.column]);
            let fault = OrderFault::Unmentioned { fact: self.atom_of(head, row), value };
            return Err(Stopped::Unordered(Box::new(Unordered { order: atom.signature(), fault, span: atom.span })));
        }
        Ok(())
    }

    /// The lowest level of the new rows of a stratum, if levels are known.
    pub(super) fn lowest_level(&self, stratum: usize) -> Option<u32> {
        self.strata[stratum].heads().iter().filter_map(|&head| self.relations[head].lowest_level()).min()
    }

    /// The next delta of a relation of which plans have seen the rows before `seen`.
    #[inline(never)]
    pub(super) fn next_delta(&mut self, relation: RelationId, seen: usize, level: Option<u32>) -> Frontier {
        let old = self.drop_replaced(relation).unwrap_or(seen);
        // Recorded derivations name rows by their numbers, which stay then.
        match level {
            _ if self.derivations.is_some() => self.relations[relation].show_all(),
            Some(level) => self.relations[relation].show_level(level),
            None => self.relations[relation].show_best(&self.interner),
        }
        Frontier { old, end: self.relations[relation].visible() }
    }

    /// Drops the rows that were replaced, if they are many and no recorded derivation refers to them; the number of rows
    /// that plans see then.
    fn drop_replaced(&mut self, relation: RelationId) -> Option<usize> {
        let rows = &mut self.relations[relation];
        if self.derivations.is_some() || !rows.has_lattice() {
            return None;
        }
        let replaced = rows.len() - rows.live();
        if replaced <= rows.begins_at(FEWEST_REPLACED) || 2 * replaced <= rows.live() {
            return None;
        }
        rows.compact_keyed();
        Some(rows.visible())
    }

    /// The reason for which a stratum stops, which has improved values so often: what it has derived is not the best yet.
    #[cold]
    pub(super) fn unsettled(&self, stratum: usize, improved: u64, stopped: Stopped) -> Stopped {
        let lattice = self.strata[stratum].heads().iter().copied().filter(|&head| self.relations[head].has_lattice());
        let (Some(relation), Stopped::TooManyFacts(max)) = (lattice.last(), &stopped) else { return stopped };
        let rows = &self.relations[relation];
        let predicate = self.relations.predicate(relation);
        if improved < 2 * rows.live() as u64 {
            let reason =
                format!("stopped at the limit of {max} facts, before the best values of `{predicate}` are known");
            return Stopped::Unsupported(reason);
        }
        let last = rows.len().checked_sub(1).map(|last| self.atom_of(relation, rows.row(last)));
        let last = last.map_or_else(|| predicate.to_string(), |fact| print_atom(&fact, Syntax::Datalog));
        Stopped::Unsupported(format!(
            "`{predicate}` still gets better values after {improved} of them, as `{last}`: if a cycle improves a value each \
             time, there is no best one; leave such cycles out, or bound the value in the rule, as by `D is max(C + W, -1000)`"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::heuristics::Heuristics;
    use super::super::relation::Relations;
    use super::*;
    use ludolog_syntax::ast::{AggregateFunction, Join, Predicate};
    use std::collections::BTreeMap;

    /// A relation of so many columns, the second of which keeps the best value.
    fn relation(arity: usize, best: AggregateFunction) -> (Relations, RelationId) {
        let predicate = Predicate::new("way", arity);
        let lattice = Lattice { column: 1, join: Join::Function(best) };
        let mut relations = Relations::new(false, Heuristics::default())
            .with_lattices([(predicate.clone(), lattice)].into_iter().collect());
        let id = relations.id(&predicate);
        (relations, id)
    }

    /// Keys whose levels are in no order, one that comes later, and one whose value gets better: rows are shown by their levels.
    #[test]
    fn rows_are_shown_level_by_level() {
        const ROWS: usize = 20_000;
        let (mut relations, id) = relation(2, AggregateFunction::Maximum);
        let mut interner = Interner::new();
        let relation = &mut relations[id];
        let small = |n: usize| Value::small_integer(n as i64).expect("a small integer");
        let level = |key: usize| if key + 1 == ROWS { 0 } else { key * 7 % 1_009 + 1 };
        for key in 0..ROWS {
            relation.improve(&[small(key), small(1)], false, &mut interner);
        }
        relation.set_levels(Some((0..ROWS).map(|key| level(key) as u32).collect()));
        let mut shown = Vec::new();
        while let Some(lowest) = relation.lowest_level() {
            let before = relation.visible();
            relation.show_level(lowest);
            let keys =
                (before..relation.visible()).map(|row| relation.row(row)[0].as_small_integer().unwrap() as usize);
            shown.extend(keys.map(|key| (lowest as usize, key)));
            if lowest == 5 {
                // One level above those that are shown, and again at its own.
                relation.improve(&[small(ROWS), small(1)], false, &mut interner);
                relation.improve(&[small(ROWS - 1), small(2)], false, &mut interner);
            }
        }
        // What got better comes behind the level that was shown then, and all others in their order.
        let again = shown.iter().rposition(|&(level, _)| level == 0).unwrap();
        assert_eq!((shown[again - 1].0, shown.remove(again)), (5, (0, ROWS - 1)));
        assert!(shown.is_sorted_by_key(|&(level, _)| level));
        let mut expected: Vec<(usize, usize)> = (0..ROWS).map(|key| (level(key), key)).collect();
        expected.push((6, ROWS));
        shown.sort_unstable();
        expected.sort_unstable();
        assert_eq!(shown, expected);
    }

    /// Values of many keys that get worse as rounds go on, and are improved before they are shown: rows are shown by their values, each key's best.
    #[test]
    fn ranked_rows_are_shown_value_by_value() {
        let (mut relations, id) = relation(2, AggregateFunction::Maximum);
        let mut interner = Interner::new();
        let relation = &mut relations[id];
        let small = |n: i64| Value::small_integer(n).expect("a small integer");
        let mut expected: BTreeMap<i64, i64> = BTreeMap::new();
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as i64
        };
        relation.rank_values();
        let mut last = i64::MAX;
        for round in 0..400 {
            for _ in 0..20 {
                let row @ [key, value] = [random(300), 1_000_000 - 100 * round - random(1_000)];
                let is_better = value <= last && expected.get(&key).is_none_or(|known| value > *known);
                if value <= last {
                    assert_eq!(relation.improve(&row.map(small), false, &mut interner), is_better);
                    let best = expected.entry(key).or_insert(value);
                    *best = value.max(*best);
                }
            }
            let before = relation.visible();
            let Some(level) = relation.lowest_level() else { continue };
            relation.show_level(level);
            for row in before..relation.visible() {
                let [key, value] = [0, 1].map(|column| relation.row(row)[column].as_small_integer().unwrap());
                assert!(value <= last && (relation.is_removed(row) || expected[&key] == value), "{key} {value} {last}");
                last = value;
            }
            if round % 50 == 49 {
                relation.compact_keyed();
            }
        }
        assert!(relation.is_ranked());
        assert_eq!(relation.live(), expected.len());
        assert!(expected.iter().all(|(&key, &value)| relation.contains(&[small(key), small(value)])));
        // A value that is better than those that were shown ends the order.
        relation.improve(&[small(1), small(2_000_000)], false, &mut interner);
        let level = relation.lowest_level().expect("a row is new");
        relation.show_level(level);
        assert!(!relation.is_ranked() && relation.visible() == relation.len());
    }

    /// Values of many keys, improved at random: each key keeps its least one, and rounds see the least rows first.
    #[test]
    fn the_best_rows_become_visible_first() {
        let (mut relations, id) = relation(3, AggregateFunction::Minimum);
        let mut interner = Interner::new();
        let relation = &mut relations[id];
        let mut expected: BTreeMap<[i64; 2], i64> = BTreeMap::new();
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as i64
        };
        let small = |n: i64| Value::small_integer(n).expect("a small integer");
        for round in 0..50 {
            for _ in 0..200 {
                let key = [random(40), random(20)];
                // Later rounds find no better values than those that are visible.
                let value = 100 * round + random(1000);
                let is_better = expected.get(&key).is_none_or(|known| value < *known);
                assert_eq!(
                    relation.improve(&[small(key[0]), small(value), small(key[1])], false, &mut interner),
                    is_better
                );
                if is_better {
                    expected.insert(key, value);
                }
            }
            let before = relation.visible();
            relation.show_best(&interner);
            let value = |row: usize| relation.row(row)[1].as_small_integer();
            let shown = (before..relation.visible()).map(value).max();
            let hidden = (relation.visible()..relation.len()).map(value).min();
            assert!(hidden.is_none() || shown < hidden, "{shown:?} {hidden:?}");
            relation.compact_keyed();
        }
        assert_eq!(relation.live(), expected.len());
        for ([a, b], value) in expected {
            assert!(relation.contains(&[small(a), small(value), small(b)]));
            assert!(!relation.contains(&[small(a), small(value + 1), small(b)]));
        }
    }
}
