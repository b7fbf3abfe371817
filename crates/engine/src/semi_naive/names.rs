//! The meaning of the names in a clause: relations, closures, slots.

use super::closure::ClosureId;
use super::plan::Tables;
use super::relation::RelationId;
use crate::term::Slot;
use crate::variables::Variables;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Name, Predicate};

/// The place of the rows of a predicate: a relation, or else the closure that takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowSource {
    pub relation: RelationId,
    pub closure: Option<ClosureId>,
}

/// The meaning of the names in a clause, found once for all of its plans.
#[derive(Debug, Default)]
pub struct ClauseNames {
    pub head: RelationId,
    /// By body literal; `None` for one without an atom.
    pub sources: Box<[Option<RowSource>]>,
    /// All variables of the clause.
    slots: Variables,
    /// By occurrence: the variables of the body literals, one after the other, and of the head, without those that are
    /// local to the tuples of an aggregate.
    occurrences: Box<[Slot]>,
    /// By body literal: where its occurrences end. Those of the head follow the last.
    ends: Box<[usize]>,
}

impl ClauseNames {
    /// The source of a body literal with an atom.
    pub fn source(&self, place: usize) -> RowSource {
        self.sources[place].expect("an atom has a source")
    }

    /// The number of variables.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// The number of a variable of the clause.
    pub fn slot(&self, name: &Name) -> Slot {
        self.slots.number_of(name).expect("the variable is of this clause") as Slot
    }

    /// The variables of a body literal.
    pub fn variables(&self, place: usize) -> &[Slot] {
        let start = if place > 0 { self.ends[place - 1] } else { 0 };
        &self.occurrences[start..self.ends[place]]
    }

    /// Whether a variable stands in one place alone, so that its value does not matter.
    pub fn is_alone(&self, slot: Slot) -> bool {
        self.occurrences.iter().filter(|other| **other == slot).count() == 1
    }

    /// The variables of the head.
    pub fn variables_of_head(&self) -> &[Slot] {
        &self.occurrences[self.ends.last().copied().unwrap_or(0)..]
    }
}

impl Tables<'_> {
    /// The source of a predicate.
    pub fn source(&mut self, predicate: Predicate) -> RowSource {
        let closure = self.closure_of.get(&predicate).copied();
        RowSource { closure, relation: self.relations.id(&predicate) }
    }

    /// Finds what the names in a clause stand for; creates relations where there are none.
    pub fn names(&mut self, clause: &Clause) -> ClauseNames {
        let source = |literal: &Literal| Some(self.source(literal.atom()?.signature()));
        let sources = clause.body.iter().map(source).collect();
        let mut slots = Variables::default();
        let mut occurrences = Vec::new();
        let mut number = |name: &Name| slots.number(name) as Slot;
        let end_of = |literal: &Literal| {
            literal.for_each_variable(&mut |name| occurrences.push(number(name)));
            occurrences.len()
        };
        let ends = clause.body.iter().map(end_of).collect();
        clause.head.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| occurrences.push(number(name))));
        for literal in &clause.body {
            let Literal::Aggregate(aggregation) = literal else { continue };
            aggregation.atom.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| _ = number(name)));
            for test in aggregation.tests().iter().flatten() {
                test.for_each_variable(&mut |name| _ = number(name));
            }
        }
        let head = self.relations.id(&clause.head.signature());
        ClauseNames { head, sources, slots, occurrences: occurrences.into(), ends }
    }
}
