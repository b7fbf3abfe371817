//! Totals: tuples of an aggregate that are taken in as they are derived, instead of rows that are kept to be read again.
//!
//! total(X, N) :- part(X) & N = sum { C, Y : uses(X, Y) & cost(Y, C) }.
//!
//! reads the tuples of `sum@1(X, C, Y) :- uses(X, Y) & cost(Y, C)`, of which each `X` needs the sum alone. One pass over the
//! join makes all sums, in space proportional to the groups: the relation of the tuples has no rows, but a total for
//! each group. (J. Gray et al., *Data cube*, Data Mining and Knowledge Discovery 1, 1997, call such functions distributive
//! or algebraic.)
//!
//! A tuple counts once, however often it is derived. So the only rule of the tuples has to derive each of them in one way,
//! which it does where all variables of its positive subgoals stand in its head: semi-naive rounds try no combination of rows
//! twice. A stratum that is stopped begins anew. The least and the greatest value and the union are the same however often they take a
//! tuple in, so any rules will do.
//!
//! Tuples that others may derive again are kept as rows, which tell them apart. Their relation has totals beside the rows, brought up to date as an
//! index is, so that the value of a group is one look-up.

use super::members::{Members, hash};
use super::relation::{BLOCK, Relation};
use crate::aggregate::{Aggregator, TotalColumn};
use crate::value::{Intern, Interner, Value};
use hashbrown::HashTable;
use ludolog_logic::analysis::clause::{Aggregation, CheckedProgram, Clause, Elements, Literal};
use ludolog_syntax::ast::{Atom, Name, Predicate};
use rustc_hash::{FxHashMap, FxHashSet};

/// The totals of the groups of tuples.
pub struct Totals {
    of: GroupedAggregate,
    /// The groups by hash.
    table: HashTable<u32>,
    /// The values that the groups have in common, one group after the other.
    keys: Vec<Value>,
    totals: TotalColumn,
}

/// Totals of rows that are kept.
pub struct TotalsOfRows {
    totals: Totals,
    /// The rows that are taken in, up to this number.
    filled: usize,
    /// The epoch of the relation when they were.
    epoch: u32,
}

/// An aggregate, and the columns of its tuples that make the group.
#[derive(Clone, Copy, PartialEq)]
pub struct GroupedAggregate {
    aggregator: Aggregator,
    /// The number of columns of the group, which come first.
    columns: usize,
    /// Whether the tuples are rows too, since one may be derived twice.
    pub(super) keeps_rows: bool,
}

impl GroupedAggregate {
    /// The predicates of a program whose tuples are read by one aggregate alone, which needs all of a group.
    pub fn all(program: &CheckedProgram, interner: &mut Interner) -> FxHashMap<Predicate, Self> {
        let mut found: FxHashMap<Predicate, Self> = FxHashMap::default();
        let mut refused: FxHashSet<Predicate> = FxHashSet::default();
        let literals = || program.rules.iter().flat_map(|rule| rule.body.iter());
        for literal in literals() {
            if let Some((aggregation, atom)) = plain_tuples(literal) {
                let aggregator = Aggregator::compile(aggregation, interner);
                let aggregate = GroupedAggregate { aggregator, columns: aggregation.bound, keeps_rows: false };
                if *found.entry(atom.signature()).or_insert(aggregate) != aggregate {
                    refused.insert(atom.signature());
                }
            }
        }
        if found.is_empty() {
            return found;
        }
        let others = literals().filter(|literal| plain_tuples(literal).is_none());
        refused.extend(others.filter_map(Literal::atom).map(Atom::signature));
        let goals = program.queries.iter().chain(&program.constraints).map(|goal| &goal.body);
        let conditions = program.transitions.iter().map(|transition| &transition.conditions);
        let elsewhere = goals.chain(conditions).flat_map(|body| body.iter()).filter_map(Literal::atom);
        refused.extend(elsewhere.chain(&program.facts).map(|atom| atom.signature()));
        let mut rules: FxHashMap<Predicate, usize> = FxHashMap::default();
        for rule in &program.rules {
            let head = rule.head.signature();
            let count = rules.entry(head.clone()).or_default();
            *count += 1;
            if let Some(aggregate) = found.get_mut(&head) {
                let is_safe = aggregate.aggregator.may_repeat() || *count == 1 && derives_each_once(rule);
                aggregate.keeps_rows |= !is_safe;
            }
        }
        found.retain(|predicate, _| {
            predicate.is_auxiliary() && rules.contains_key(predicate) && !refused.contains(predicate)
        });
        found
    }
}

/// The aggregation and what it ranges over, if all rows of a group are tuples, whatever stands outside of the braces.
fn plain_tuples(literal: &Literal) -> Option<(&Aggregation, &Atom)> {
    let Literal::Aggregate(aggregation) = literal else { return None };
    let tests = &aggregation.tests;
    let is_plain = tests.alternatives.is_empty() && tests.others == 0 && aggregation.parameters.is_empty();
    literal.atom().filter(|_| is_plain).map(|atom| (aggregation, atom))
}

/// Whether each combination of rows that a rule joins has a head of its own.
fn derives_each_once(rule: &Clause) -> bool {
    let mut in_head: FxHashSet<Name> = FxHashSet::default();
    rule.head.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| _ = in_head.insert(name.clone())));
    let has_all = |literal: &Literal| {
        let mut has_all = true;
        literal.for_each_variable(&mut |name| has_all &= in_head.contains(name));
        has_all
    };
    rule.body.iter().all(|literal| match literal {
        Literal::Positive(_) | Literal::Member { elements: Elements::Range(..), .. } => has_all(literal),
        Literal::Member { negated, .. } => *negated,
        Literal::Negative(_) | Literal::Compare(_) | Literal::NotCompare(_) | Literal::Aggregate(_) => true,
    })
}

impl Totals {
    pub fn new(of: GroupedAggregate) -> Self {
        let totals = TotalColumn::new(&of.aggregator);
        Totals { of, table: HashTable::new(), keys: Vec::new(), totals }
    }

    fn key(&self, group: u32) -> &[Value] {
        let columns = self.of.columns;
        &self.keys[group as usize * columns..(group as usize + 1) * columns]
    }

    /// The group of a key; `None` if it has no tuples.
    pub fn find(&self, key: &[Value]) -> Option<u32> {
        self.table.find(hash(key), |&group| self.key(group) == key).copied()
    }

    /// The value of the aggregate of a group.
    pub fn value(&self, group: u32, interner: &mut impl Intern) -> Option<Value> {
        self.totals.value(group, &self.of.aggregator, interner)
    }

    /// The number of columns of a group, which come first in tuples.
    pub fn columns(&self) -> usize {
        self.of.columns
    }

    /// Takes in tuples of a group by their first terms; whether they are the first of it.
    fn add_each(&mut self, group: &[Value], firsts: impl Iterator<Item = Value>, interner: &Interner) -> bool {
        let before = self.table.len();
        let mut firsts = firsts.peekable();
        let Some(&first) = firsts.peek() else { return false };
        let group = self.group(group, first);
        firsts.for_each(|first| self.totals.add(group, &self.of.aggregator, first, interner));
        self.table.len() > before
    }

    /// Takes in a tuple; whether it is the first of its group.
    fn add(&mut self, tuple: &[Value], interner: &Interner) -> bool {
        let (group, terms) = tuple.split_at(self.of.columns);
        self.add_each(group, std::iter::once(terms[0]), interner)
    }

    /// The group of a key, one of whose tuples has this first term; it is added if it is new.
    fn group(&mut self, key: &[Value], first: Value) -> u32 {
        let hashed = hash(key);
        let columns = self.of.columns;
        let known = self.table.find(hashed, |&group| self.key(group) == key).copied();
        known.unwrap_or_else(|| {
            let group = self.table.len() as u32;
            let Totals { table, keys, totals, .. } = self;
            keys.extend_from_slice(key);
            totals.push(first);
            let hash_of = |&group: &u32| hash(&keys[group as usize * columns..(group as usize + 1) * columns]);
            table.insert_unique(hashed, group, hash_of);
            group
        })
    }

    /// Takes in tuples, a block at a time: the groups of a block are found before the first total changes, so that look-ups do not wait for
    /// each other.
    fn add_all<'t>(&mut self, tuples: impl Iterator<Item = &'t [Value]>, interner: &Interner) {
        let mut tuples = tuples.peekable();
        let mut block = Vec::with_capacity(BLOCK);
        while tuples.peek().is_some() {
            block.clear();
            let columns = self.of.columns;
            block.extend(tuples.by_ref().take(BLOCK).map(|tuple| {
                let first = tuple[columns];
                (self.group(&tuple[..columns], first), first)
            }));
            let Totals { of, totals, .. } = self;
            block.iter().for_each(|&(group, first)| totals.add(group, &of.aggregator, first, interner));
        }
    }

    pub fn clear(&mut self) {
        self.table.clear();
        self.keys.clear();
        self.totals.clear(&self.of.aggregator);
    }

    pub fn bytes(&self) -> usize {
        self.table.allocation_size() + self.keys.capacity() * size_of::<Value>() + self.totals.bytes()
    }
}

impl TotalsOfRows {
    pub fn new(of: GroupedAggregate) -> Self {
        TotalsOfRows { totals: Totals::new(of), filled: 0, epoch: 0 }
    }

    pub fn bytes(&self) -> usize {
        self.totals.bytes()
    }
}

impl Relation {
    /// The totals that it has instead of rows.
    pub fn totals(&self) -> Option<&Totals> {
        match self.members() {
            Members::Totals(totals) => Some(totals),
            _ => None,
        }
    }

    /// The totals that it has, instead of rows or beside them.
    pub fn any_totals(&self) -> Option<&Totals> {
        self.totals_of_rows().map(|of_rows| &of_rows.totals).or_else(|| self.totals())
    }

    /// Takes the new rows into the totals that it has beside them.
    pub fn catch_up_totals(&mut self, interner: &Interner) {
        let Some(mut of_rows) = self.totals_of_rows_mut().take() else { return };
        if of_rows.epoch != self.epoch() || of_rows.filled > self.len() {
            of_rows.totals.clear();
            of_rows.filled = 0;
        }
        of_rows.totals.add_all(self.rows_from(of_rows.filled), interner);
        (of_rows.filled, of_rows.epoch) = (self.len(), self.epoch());
        *self.totals_of_rows_mut() = Some(of_rows);
    }

    /// Takes in tuples of a group by their first terms.
    pub(super) fn add_tuples(&mut self, group: &[Value], firsts: impl Iterator<Item = Value>, interner: &Interner) {
        if let Members::Totals(totals) = self.members_mut()
            && totals.add_each(group, firsts, interner)
        {
            self.count_group();
        }
    }

    /// Takes in a tuple of an aggregate. It is in the set once for each group.
    pub(super) fn add_tuple(&mut self, tuple: &[Value], interner: &Interner) {
        if let Members::Totals(totals) = self.members_mut()
            && totals.add(tuple, interner)
        {
            self.count_group();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_logic::analysis;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, parse};

    /// The predicates of a program that have totals, and whether they have rows too.
    fn totals_of(text: &str) -> Vec<(String, bool)> {
        let mut sources = Sources::new();
        let source = sources.add("totals.dl", text);
        let parsed = parse(source, &sources, Syntax::Datalog).into_result().unwrap();
        let program = analysis::analyze(&parsed).unwrap().stratified.program;
        let found = GroupedAggregate::all(&program, &mut Interner::new());
        found.iter().map(|(predicate, aggregate)| (predicate.name.to_string(), aggregate.keeps_rows)).collect()
    }

    #[test]
    fn tuples_that_are_derived_once_or_may_repeat_are_not_kept() {
        let of =
            |text: &str| totals_of(text).into_iter().map(|(name, keeps)| format!("{name} {keeps}")).collect::<Vec<_>>();
        assert_eq!(of("t(X, N) :- p(X) & N = sum { C, Y : u(X, Y), c(Y, C) }."), ["sum@1 false"]);
        assert_eq!(of("t(N) :- N = count { X : p(X) & ~q(X) & X in 1..9 }."), ["count@1 false"]);
        assert_eq!(of("t(N) :- N = max { X : p(X, _) | q(X) }."), ["max@1 false"]);
        assert_eq!(of("t(N) :- N = union { X : p(X, _) }."), ["union@1 false"]);
    }

    #[test]
    fn others_are_kept_with_totals_or_without() {
        let with_totals = [
            // Two values of `Y` make the same tuple.
            "t(X, N) :- p(X) & N = sum { C : u(X, Y), c(Y, C) }.",
            "t(N) :- N = count { X : u(X, _) }.",
            // Two rules do.
            "t(N) :- N = count { X : p(X) | q(X) }.",
            // An element may occur twice in its list.
            "t(N) :- N = count { X, L : p(L) & member(X, L) }.",
        ];
        for text in with_totals {
            assert!(matches!(&totals_of(text)[..], [(_, true)]), "{text}");
        }
        // A test depends on what stands outside.
        assert_eq!(totals_of("t(Y, N) :- q(Y) & N = max { X : p(X) & X < Y }."), []);
    }
}
