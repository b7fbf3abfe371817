//! Aggregates of a plan: the value of a group, over rows that match or by the totals of a relation.

use super::emit::Tail;
use super::index::KeyedRow;
use super::machine::{Frontier, PlanMachine, RowStore, Scratch};
use super::members::Numbered;
use super::plan::{AggregateRows, SortedLookup, TotalLookup};
use super::relation::RelationId;
use crate::aggregate::Total;
use crate::term::Template;
use crate::value::{Intern, Value};
use hashbrown::HashTable;
use ludolog_syntax::budget::Stopped;
use std::cmp::Ordering;

/// The values of an aggregate by group. Groups lie one after the other, since there may be as many as rows.
#[derive(Default)]
pub struct GroupValues {
    numbers: HashTable<Numbered>,
    groups: Vec<Value>,
    values: Vec<Option<Value>>,
}

impl GroupValues {
    /// The value of a group that was entered before; of a new one, its number.
    fn enter(&mut self, group: &[Value]) -> Result<Option<Value>, usize> {
        let GroupValues { numbers, groups, values } = self;
        if let Some(known) = Numbered::find(numbers, group, groups) {
            return Ok(values[known.number()]);
        }
        let new = Numbered::new(group, values.len());
        numbers.insert_unique(new.hash(), new, Numbered::hash);
        groups.extend_from_slice(group);
        values.push(None);
        Err(values.len() - 1)
    }

    fn clear(&mut self) {
        self.numbers.clear();
        self.groups.clear();
        self.values.clear();
    }

    /// Sets the value of a group of this number.
    fn set(&mut self, number: usize, value: Option<Value>) {
        self.values[number] = value;
    }
}

impl<S: RowStore + ?Sized, I: Intern, const PROFILED: bool> PlanMachine<'_, S, I, PROFILED> {
    /// Whether the value of an aggregate over the tuples of which a relation has totals matches.
    pub(super) fn passes_total(&mut self, total: &TotalLookup, scratch: &mut Scratch) -> bool {
        self.build(&total.group, scratch);
        self.work.probes += 1;
        let group = self.relations[total.relation].any_totals().and_then(|totals| totals.find(&scratch.row));
        self.matches_total(total, group, scratch)
    }

    /// The same of a group that was found, or that has no tuples.
    #[inline]
    pub(super) fn matches_total(&mut self, total: &TotalLookup, group: Option<u32>, scratch: &mut Scratch) -> bool {
        let totals = self.relations[total.relation].any_totals();
        let value = match totals.zip(group) {
            Some((totals, group)) => totals.value(group, self.interner),
            None => Total::default().value(&total.of, self.interner),
        };
        value.is_some_and(|value| total.result.matches(value, &mut scratch.slots, self.interner.known()))
    }

    /// The value of the aggregate `at` for the group in the slots; `None` if it has none. A group is computed once in a run.
    pub(super) fn total(
        &mut self,
        aggregate: &AggregateRows,
        at: usize,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> Result<Option<Value>, Stopped> {
        self.build(&aggregate.group, scratch);
        if scratch.group_values.len() <= at {
            scratch.group_values.resize_with(at + 1, GroupValues::default);
        }
        match scratch.group_values[at].enter(&scratch.row) {
            Ok(known) => Ok(known),
            Err(number) => {
                let value = self.total_anew(aggregate, at, frontiers, scratch)?;
                scratch.group_values[at].set(number, value);
                Ok(value)
            }
        }
    }

    fn total_anew(
        &mut self,
        aggregate: &AggregateRows,
        at: usize,
        frontiers: &[Frontier],
        scratch: &mut Scratch,
    ) -> Result<Option<Value>, Stopped> {
        let AggregateRows { rows, of, tuple, repeats, tests, .. } = aggregate;
        let mut total = Total::default();
        let relation = &self.relations[rows.relation];
        // An integer beyond 64 bits is noted wherever it is met.
        let is_plain = !relation.has_removed() && !self.interner.known().keeps_beyond();
        if let (Some(sorted), true) = (&rows.sorted, is_plain) {
            if aggregate.extreme.is_some() {
                self.add_extremes(aggregate, sorted, at, frontiers, &mut total, scratch)?;
                return Ok(total.value(of, self.interner));
            }
            if let Some(value) = self.running_value(aggregate, sorted, at, frontiers, scratch) {
                return Ok(value);
            }
        }
        let mut taken = std::mem::take(&mut scratch.taken);
        taken.clear();
        let mut tuple_row = Vec::with_capacity(tuple.len());
        let mut more = self.next_row(rows, at, false, frontiers, scratch);
        while more {
            self.poll()?;
            let slots = &mut scratch.slots;
            let passes =
                tests.is_empty() || tests.iter().any(|checks| checks.iter().all(|check| self.passes(check, slots)));
            let mut is_new = || {
                tuple_row.clear();
                tuple_row.extend(tuple.iter().map(|&slot| slots[slot as usize]));
                taken.enter(&tuple_row).is_err()
            };
            if passes && (!repeats || is_new()) {
                total.add(of, slots[tuple[0] as usize], self.interner.known());
            }
            more = self.next_row(rows, at, true, frontiers, scratch);
        }
        scratch.taken = taken;
        Ok(total.value(of, self.interner))
    }

    /// Takes the least or the greatest of the rows that are looked up between bounds, and pass the tests, into a total: that of each run of the index.
    fn add_extremes(
        &mut self,
        aggregate: &AggregateRows,
        sorted: &SortedLookup,
        at: usize,
        frontiers: &[Frontier],
        total: &mut Total,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        let AggregateRows { rows, of, tests, .. } = aggregate;
        let end = Self::range(rows, frontiers).1 as u32;
        let is_greatest = aggregate.extreme == Some(Ordering::Greater);
        self.find_within(rows, sorted, at, scratch);
        for number in 0..scratch.parts[at].len() {
            let part = scratch.parts[at][number];
            for place in 0..part.len() {
                self.poll()?;
                self.work.probes += 1;
                let relation = &self.relations[rows.relation];
                let number = if is_greatest { part.len() - 1 - place } else { place };
                let entry = relation.sorted(sorted.index).entry(part, number);
                let slots = &mut scratch.slots;
                let passes = entry.row < end
                    && Self::row_matches(relation, rows, entry.row, slots, self.interner.known())
                    && tests.iter().any(|checks| checks.iter().all(|check| self.passes(check, slots)));
                if passes {
                    total.add(of, entry.value, self.interner.known());
                    break;
                }
            }
        }
        Ok(())
    }

    /// Takes in a tuple of an aggregate.
    pub(super) fn take_in(
        &mut self,
        relation: RelationId,
        tuple: &[Template],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<(), Stopped> {
        self.build(tuple, scratch);
        self.relations.add_tuple(relation, &scratch.row, self.interner.known());
        self.count_tuples(relation, 1, new)
    }

    /// Takes in a tuple for each entry that the tail makes one of without a check; `false` where they may be of several groups.
    pub(super) fn take_in_each(
        &mut self,
        tail: &Tail,
        entries: &[KeyedRow],
        new: &mut usize,
        scratch: &mut Scratch,
    ) -> Result<bool, Stopped> {
        let is_entry = |part: &Template| matches!(part, Template::Slot(slot) if Some(*slot) == tail.carried);
        let Some(totals) = self.relations[tail.head].totals() else { return Ok(false) };
        let (group, terms) = tail.template.split_at(totals.columns());
        if group.iter().any(is_entry) || !tail.template.iter().all(Template::is_plain) {
            return Ok(false);
        }
        self.build(group, scratch);
        let first = terms[0].value(&scratch.slots, self.interner);
        let firsts = entries.iter().map(|entry| if is_entry(&terms[0]) { entry.value } else { first });
        self.relations.add_tuples(tail.head, &scratch.row, firsts, self.interner.known());
        self.count_tuples(tail.head, entries.len(), new)?;
        Ok(true)
    }

    /// Tuples of an aggregate count as facts that are derived, and their groups as facts that are held.
    fn count_tuples(&mut self, relation: RelationId, count: usize, new: &mut usize) -> Result<(), Stopped> {
        *new += count;
        self.work.derived += count as u64;
        match (self.interner.known().excess(), self.budget.max_facts()) {
            (Some(excess), _) => Err(Stopped::TermTooLarge(excess)),
            (None, Some(max)) if self.relations[relation].live() > self.extent.room => Err(Stopped::TooManyFacts(max)),
            _ => Ok(()),
        }
    }
}
