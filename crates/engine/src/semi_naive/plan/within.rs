//! Look-ups between bounds: a literal whose column is bounded by comparisons behind it is looked up in an index that is
//! sorted by that column, and the comparisons have nothing left to test.
//!
//! That pays where many bindings come to the literal, so that rows are sorted once for all of them, and many rows are under
//! each key, so that it matters how many of them are met.

use super::narrow::{NarrowColumn, may_narrow, narrowed_by};
use super::{EXIT, LiteralRows, PlanCompiler, PlanOp, RowRange, SMALL, SortedLookup, WindowTemplate};
use crate::semi_naive::heuristics::Heuristic;
use crate::semi_naive::members::hash;
use crate::semi_naive::names::RowSource;
use crate::semi_naive::relation::{Relation, RelationId};
use crate::semi_naive::sorted::SortedKey;
use crate::term::{LimitTemplate, Narrowing, Slot};
use crate::value::Value;
use ludolog_logic::analysis::clause::{Elements, Literal};
use ludolog_logic::optimize::bounds::{Bound, best_bounded};
use ludolog_syntax::ast::{Atom, Comparator, Term};
use rustc_hash::FxHashMap;

/// Fewer bindings are not worth a sorted index: to sort rows takes as long as to scan them a few times.
const FEW_BINDINGS: usize = 64;

/// The keys that the rows of a relation are taken to have where the first literal looks one up.
const KEYS: usize = 32;

/// A sorted index is not worth it where fewer rows are under a key: to find one's way in it takes as long as to test them.
const FEW_ROWS: f64 = 32.0;

/// Nor where each key is looked up less often than this: to sort its rows takes as long as to test them a few times.
const FEW_LOOK_UPS: f64 = 4.0;

/// Most rows that are looked at to tell how many are under a key.
const SAMPLE: usize = 4096;

/// Estimates the number of rows that agree with a row of the relation in these columns, itself included, from the pairs of a
/// sample that agree. Pairs are what counts: of keys that are all different in a sample, none may have many rows, or all.
pub(super) fn rows_met(relation: &Relation, columns: &[usize]) -> f64 {
    let len = relation.len();
    let is_whole = len <= SAMPLE;
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    for number in 0..len.min(SAMPLE) {
        let row = if is_whole { number } else { scattered(number, len) };
        if !relation.is_removed(row) {
            let cells = relation.row(row);
            *counts.entry(hash(columns.iter().map(|&column| &cells[column]))).or_default() += 1;
        }
    }
    let seen: f64 = counts.values().map(|&count| f64::from(count)).sum();
    let squares: f64 = counts.values().map(|&count| f64::from(count).powi(2)).sum();
    if is_whole { squares / seen } else { relation.live() as f64 * (squares - seen) / (seen * (seen - 1.0)) }
}

/// The bounded column that a relation is best sorted by under a key: the one in whose order another one grows or falls slowly, so that blocks of
/// rows have narrow [zones](crate::semi_naive::sorted).
fn smoothest<'l>(relation: &Relation, key: &[usize], mut columns: Vec<NarrowColumn<'l>>) -> Option<NarrowColumn<'l>> {
    let len = relation.len();
    let rows = (0..len.min(SAMPLE)).map(|number| relation.row(scattered(number, len)));
    let mut rows: Vec<(u64, &[Value])> = rows.map(|row| (hash(key.iter().map(|&column| &row[column])), row)).collect();
    let steps = columns.iter().enumerate().map(|(number, &NarrowColumn { column: by, .. })| {
        rows.sort_unstable_by_key(|&(key, row)| (key, row[by].as_small_integer()));
        let others = columns.iter().filter(|other| other.column != by);
        (number, others.map(|other| step(&rows, other.column)).fold(f64::INFINITY, f64::min))
    });
    let (best, _) = steps.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(columns.swap_remove(best))
}

/// The mean step of a column from row to row under the same key, as a share of its range.
fn step(rows: &[(u64, &[Value])], column: usize) -> f64 {
    let value = |row: &[Value]| row[column].as_small_integer().unwrap_or(0) as f64;
    let values = || rows.iter().map(|(_, row)| value(row));
    let range = values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min);
    let neighbours = rows.windows(2).filter(|two| two[0].0 == two[1].0);
    let steps: Vec<f64> = neighbours.map(|two| (value(two[0].1) - value(two[1].1)).abs()).collect();
    steps.iter().sum::<f64>() / (steps.len() as f64 * range).max(1.0)
}

/// A number below `len`, as good as drawn: rows that stand next to each other are often alike, and no step must skip them.
fn scattered(number: usize, len: usize) -> usize {
    // The output of SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014).
    let mut bits = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((u128::from(bits ^ bits >> 31) * len as u128) >> 64) as usize
}

impl<'c> PlanCompiler<'c, '_, '_> {
    /// Whether a sorted index answers the literal at this place.
    pub(super) fn is_answered(&self, place: usize) -> bool {
        self.answered.iter().any(|&(answered, _)| answered == place)
    }

    /// Puts a literal before the range in front of it that would enumerate the values of one of its columns, where a sorted
    /// index finds its rows within the range. A range may have many integers, and the index is worth it if few rows are
    /// found.
    pub(super) fn look_up_before_range(&mut self, rest: &mut [(usize, RowRange)]) {
        let body = self.body;
        let names = self.names;
        let [(number, _), ..] = *rest else { return };
        let Literal::Member { element: Term::Variable(name), elements: Elements::Range(..), negated: false, .. } =
            &body[number]
        else {
            return;
        };
        let is_test = |literal: &Literal| match literal {
            Literal::Compare(comparison) => !matches!(comparison.comparator, Comparator::Is | Comparator::Equal),
            _ => matches!(literal, Literal::NotCompare(_)),
        };
        let next = 1 + rest[1..].iter().take_while(|(place, _)| is_test(&body[*place])).count();
        let Some(&(place, range)) = rest.get(next) else { return };
        let Literal::Positive(atom) = &body[place] else { return };
        if self.bound[names.slot(name) as usize] {
            return;
        }
        rest[..=next].rotate_right(1);
        let fresh = names.variables(place).iter().filter(|&&slot| !self.bound[slot as usize]);
        let fresh: Vec<Slot> = fresh.copied().collect();
        let column = self.bounds_worth_an_index(atom, place, range, &rest[1..], &fresh);
        if !column.is_some_and(|column| column.bounds.iter().any(|bound| bound.literal == number)) {
            rest[..=next].rotate_left(1);
        }
    }

    /// Compiles the body literal at `place`, before those of `rest`, as a look-up between the bounds that these set, and notes
    /// those that it answers; `false` if it is to be compiled in another way.
    pub(super) fn rows_within(
        &mut self,
        place: usize,
        range: RowRange,
        rest: &[(usize, RowRange)],
        fresh: &[Slot],
    ) -> bool {
        let body = self.body;
        let Literal::Positive(atom) = &body[place] else { return false };
        let Some(NarrowColumn { column, bounds, narrowings, .. }) =
            self.bounds_worth_an_index(atom, place, range, rest, fresh)
        else {
            return false;
        };
        let relation = self.names.source(place).relation;
        let before = self.bound.clone();
        let limits = self.limits(&bounds);
        self.answered.extend(bounds.iter().map(|bound| (bound.literal, place)));
        self.answered.dedup();
        let head = self.names.variables_of_head();
        let open = rest.iter().filter(|(place, _)| !self.is_answered(*place)).map(|(place, _)| *place);
        let needed: Vec<Slot> = open.flat_map(|place| self.names.variables(place)).chain(head).copied().collect();
        let is_idle = |arg: &&Term| {
            matches!(arg, Term::Variable(name) if !needed.contains(&self.names.slot(name)))
                && atom.args.iter().filter(|other| other == arg).count() == 1
        };
        let idle: Vec<&Term> = atom.args.iter().filter(is_idle).collect();
        let mut rows = self.sorted_rows(atom, relation, column, (limits, narrowed_by(narrowings)), &idle);
        rows.range = range;
        rows.once = self.has(Heuristic::ExistenceChecks) && !fresh.iter().any(|slot| needed.contains(slot));
        rows.literal = place;
        rows.windows = self.windows(atom, &rows, rest, &before);
        if self.has(Heuristic::Zones)
            && let Some(SortedLookup { index, .. }) = rows.sorted.as_deref()
        {
            rows.windows.iter().for_each(|window| self.tables.relations[relation].zone(*index, window.column));
        }
        self.generator(PlanOp::Rows(rows));
        self.note_completeness();
        true
    }

    /// The rows of an atom under a key of what is bound, within limits of a column. Nothing is bound by the idle arguments.
    pub(super) fn sorted_rows(
        &mut self,
        atom: &Atom,
        relation: RelationId,
        by: usize,
        (limits, narrowings): (Box<[LimitTemplate]>, Box<[Narrowing]>),
        idle: &[&Term],
    ) -> LiteralRows {
        let before = self.bound.clone();
        let mut columns = Vec::new();
        let mut key = Vec::new();
        let mut patterns = Vec::new();
        for (column, arg) in (0..).zip(&atom.args) {
            if self.all_bound_in(arg, &before) {
                columns.push(column);
                key.push(self.template(arg, None));
                continue;
            }
            let pattern = self.pattern(arg);
            if !idle.contains(&arg) {
                patterns.push((column, pattern));
            }
        }
        let index = self.tables.relations[relation].sorted_for(SortedKey { columns, by: by as u16 });
        self.sorted.push((relation, index));
        LiteralRows {
            relation,
            range: RowRange::Full,
            lookup: None,
            sorted: Some(Box::new(SortedLookup { index, key: key.into(), limits, narrowings })),
            patterns: patterns.into(),
            carried: None,
            windows: Box::default(),
            partner: None,
            filters: Box::default(),
            distinct: Box::default(),
            rivals: Box::default(),
            once: false,
            literal: 0,
            back: self.back,
        }
    }

    /// Whether no argument is a compound with a variable that is not bound.
    pub(super) fn are_plain(&self, atom: &Atom) -> bool {
        atom.args.iter().all(|arg| !matches!(arg, Term::Compound(..)) || self.all_bound(arg))
    }

    /// The limits that bounds set.
    pub(super) fn limits(&mut self, bounds: &[Bound]) -> Box<[LimitTemplate]> {
        let limits = bounds.iter().map(|bound| {
            let computed_by = if bound.of_range { Comparator::Is } else { bound.comparator };
            let template = self.template(bound.limit, Some((computed_by, bound.span)));
            LimitTemplate { comparator: bound.comparator, template, of_integers: bound.of_range }
        });
        limits.collect()
    }

    /// The windows that the literals of `rest` leave for the rows of an atom, which found `before` bound, by slot.
    pub(super) fn windows(
        &mut self,
        atom: &Atom,
        rows: &LiteralRows,
        rest: &[(usize, RowRange)],
        before: &[bool],
    ) -> Box<[WindowTemplate]> {
        let body = self.body;
        let after = rest.iter().map(|&(place, _)| (place, &body[place]));
        let after: Vec<(usize, &Literal)> = after.filter(|(place, _)| !self.is_answered(*place)).collect();
        if !after.iter().any(|(_, literal)| may_narrow(literal)) || !self.has(Heuristic::Windows) {
            return Box::default();
        }
        let mut columns = self.narrow_columns(atom, rows.relation, before, &after);
        // What comparisons leave of a column by which rows are sorted is looked up.
        if let Some(sorted) = &rows.sorted {
            let by = self.tables.relations[rows.relation].sorted(sorted.index).key().by;
            columns.retain(|column| column.column != usize::from(by));
        }
        // To find what few rows a comparison leaves takes longer than to test them.
        if rows.lookup.is_some() && columns.iter().any(|column| !column.narrowings.is_empty()) {
            let is_bound = |column: &usize| self.all_bound_in(&atom.args[*column], before);
            let key: Vec<usize> = (0..atom.args.len()).filter(is_bound).collect();
            if rows_met(&self.tables.relations[rows.relation], &key) <= FEW_ROWS {
                columns.iter_mut().for_each(|column| column.narrowings.clear());
                columns.retain(|column| !column.bounds.is_empty());
            }
        }
        let index = rows.lookup.as_ref().map(|(index, _)| *index);
        let wanted = index.zip(columns.first()).map(|(index, first)| (index, first.column));
        let carried = wanted.and_then(|(index, column)| self.tables.relations[rows.relation].carry(index, column));
        let windows = columns.into_iter().map(|NarrowColumn { column, bounds, narrowings, .. }| WindowTemplate {
            column: column as u16,
            is_carried: carried == Some(column),
            limits: self.limits(&bounds),
            narrowings: narrowed_by(narrowings),
        });
        windows.collect()
    }

    /// The number of rows of a relation. The plan is made anew when it has changed much.
    fn size(&mut self, relation: RelationId) -> usize {
        let size = self.tables.relations[relation].live();
        self.sizes.push((relation, size));
        size
    }

    /// The most bindings that come from the first subgoal and from scans behind it, if there is one, and whether it is a scan and the only one.
    pub(super) fn bindings(&mut self) -> (Option<usize>, bool) {
        let mut before = self.ops.iter().filter_map(|op| match op {
            PlanOp::Rows(rows) if !rows.once => Some((rows.relation, if rows.lookup.is_none() { 1 } else { KEYS })),
            _ => None,
        });
        let Some((first, keys)) = before.next() else { return (None, false) };
        let others: Vec<(RelationId, usize)> = before.collect();
        let mut most = self.size(first) / keys;
        for &(scanned, _) in others.iter().filter(|(_, keys)| *keys == 1) {
            most = most.saturating_mul(self.size(scanned));
        }
        (Some(most), keys == 1 && others.is_empty())
    }

    /// Whether so many bindings are worth a sorted index.
    pub(super) fn are_many(&self, most: Option<usize>) -> bool {
        most.is_none_or(|most| most > self.tables.relations.heuristics().begins_at(FEW_BINDINGS))
    }

    /// The column of an atom whose bounds are worth a sorted index: many bindings come to it, and many rows are under each key.
    fn bounds_worth_an_index(
        &mut self,
        atom: &Atom,
        place: usize,
        range: RowRange,
        rest: &[(usize, RowRange)],
        fresh: &[Slot],
    ) -> Option<NarrowColumn<'c>> {
        let body = self.body;
        let names = self.names;
        let RowSource { relation, closure } = names.source(place);
        let is_generator = self.back != EXIT && range != RowRange::Delta && !fresh.is_empty() && closure.is_none();
        let after: Vec<(usize, &Literal)> = rest.iter().map(|&(place, _)| (place, &body[place])).collect();
        if !is_generator || !after.iter().any(|(_, literal)| may_narrow(literal)) || !self.has(Heuristic::SortedIndices)
        {
            return None;
        }
        // A key within a compound is for another index.
        let mut columns = self.narrow_columns(atom, relation, &self.bound.clone(), &after);
        if columns.is_empty() || !self.are_plain(atom) {
            return None;
        }
        let many_rows = self.size(relation) > self.tables.relations.heuristics().begins_at(SMALL);
        let (most_bindings, follows_a_scan) = self.bindings();
        if !many_rows || !self.are_many(most_bindings) {
            return None;
        }
        let key: Vec<usize> = (0..atom.args.len()).filter(|&column| self.all_bound(&atom.args[column])).collect();
        let relation = &self.tables.relations[relation];
        let rows_met = rows_met(relation, &key);
        let keys = relation.live() as f64 / rows_met;
        let few_look_ups = most_bindings.is_some_and(|most| follows_a_scan && (most as f64) < FEW_LOOK_UPS * keys);
        if rows_met <= FEW_ROWS || few_look_ups {
            return None;
        }
        let has_zones = columns.len() > 1 && self.has(Heuristic::Zones);
        if has_zones && !columns.iter().any(|column| column.is_closed) {
            smoothest(relation, &key, columns)
        } else {
            best_bounded(&columns, |column| column.is_closed).map(|best| columns.swap_remove(best))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of 5 rows, next to each other or far apart, and of 500, in relations that are sampled and looked at as a whole.
    #[test]
    fn rows_of_a_key_are_estimated_wherever_they_stand() {
        for (len, of_a_key) in [(2_000, 5), (2_000, 500), (60_000, 5), (60_000, 500)] {
            for is_together in [false, true] {
                let mut relation = Relation::new(2);
                for row in 0..len {
                    let key = if is_together { row / of_a_key } else { row % (len / of_a_key) };
                    relation.insert(&[key, row].map(|n| Value::small_integer(n).expect("it is small")));
                }
                let found = rows_met(&relation, &[0]) / of_a_key as f64;
                assert!((0.5..2.0).contains(&found), "{found} times {of_a_key} of {len}, {is_together}");
                assert_eq!(rows_met(&relation, &[]).round(), len as f64);
            }
        }
    }
}
