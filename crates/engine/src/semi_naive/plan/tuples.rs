//! The tuples of an aggregate that are looked up between bounds.
//!
//! They are sorted by a column that tests bound or narrow. Where that column is the first term of a least or greatest value, the first tuple that passes
//! is the value. For other values [running totals](crate::semi_naive::running) tell the total of a part, if all tests are of the forms that these know.

use super::narrow::{NarrowColumn, narrowed_by};
use super::op::{RunningTests, WindowTemplate};
use super::within::rows_met;
use super::{EXIT, LiteralRows, PlanCompiler, is_large};
use crate::semi_naive::heuristics::Heuristic;
use crate::semi_naive::relation::RelationId;
use ludolog_logic::analysis::clause::{Aggregation, Literal};
use ludolog_logic::optimize::bounds::best_bounded;
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Term};
use std::cmp::Ordering;

/// A sorted index is not worth it where fewer tuples are of a group: one of them is read, not all within the bounds.
const FEW_TUPLES: f64 = 8.0;

/// The tuples of an aggregate within bounds.
pub(super) struct TuplesWithin {
    pub rows: LiteralRows,
    /// The order of the value and the others, if it is that of the first or of the last tuple.
    pub extreme: Option<Ordering>,
    pub running: Option<RunningTests>,
}

/// What a test is to running totals.
enum TestForm {
    /// A bound of the column by which tuples are sorted.
    Answered,
    /// A bound of another column.
    Second(usize),
    /// A column has another value than a term.
    Unlike(u16, Term),
    /// It holds for the tuples from one to another, or computes what such a test reads.
    Convex,
}

impl PlanCompiler<'_, '_, '_> {
    /// The tuples of an aggregate under a key of its group, within limits of one of their columns, in whose order they come: where many groups come to many
    /// tuples.
    pub(super) fn tuples_within(
        &mut self,
        aggregation: &Aggregation,
        extreme: Option<Ordering>,
        relation: RelationId,
        place: usize,
    ) -> Option<TuplesWithin> {
        let atom = &aggregation.atom;
        let alternatives = aggregation.tests();
        let ([tests], true) = (&alternatives[..], self.has(Heuristic::SortedIndices)) else { return None };
        self.sizes.push((relation, self.tables.relations[relation].live()));
        let tuples = &self.tables.relations[relation];
        let key: Vec<usize> = (0..aggregation.bound).collect();
        if !self.are_plain(atom) || !is_large(tuples) || rows_met(tuples, &key) <= FEW_TUPLES {
            return None;
        }
        let numbered: Vec<(usize, &Literal)> = tests.iter().enumerate().collect();
        let mut columns = self.narrow_columns(atom, relation, &self.bound.clone(), &numbered);
        let first = columns.iter().position(|column| column.column == aggregation.bound);
        let extreme = extreme.filter(|_| first.is_some());
        let best = || best_bounded(&columns, |column| column.is_closed);
        let best = extreme.and(first).or_else(best)?;
        let by = columns.swap_remove(best);
        let most_bindings = self.bindings().0;
        if extreme.is_none() && (self.back == EXIT || !self.are_many(most_bindings)) {
            return None;
        }
        let forms = self.forms(atom, tests, &by, &columns);
        // To go through a part of the tuples that may be half of them is not worth it.
        if extreme.is_none() && forms.is_none() && !by.is_closed {
            return None;
        }
        let limits = self.limits(&by.bounds);
        let mut rows = self.sorted_rows(atom, relation, by.column, (limits, narrowed_by(by.narrowings)), &[]);
        rows.literal = place;
        let running = forms.map(|forms| self.running_tests(tests, forms, &columns));
        Some(TuplesWithin { rows, extreme, running })
    }

    /// What the tests are to running totals, if these know all of them.
    fn forms(
        &mut self,
        atom: &Atom,
        tests: &[Literal],
        by: &NarrowColumn,
        others: &[NarrowColumn],
    ) -> Option<Vec<TestForm>> {
        let forms: Option<Vec<TestForm>> =
            (0..tests.len()).map(|number| self.form(atom, number, tests, by, others)).collect();
        let second = |form: &TestForm| if let TestForm::Second(column) = form { Some(*column) } else { None };
        let mut seconds = forms.iter().flatten().filter_map(second);
        let first = seconds.next();
        if seconds.all(|column| Some(column) == first) { forms } else { None }
    }

    /// The tests of tuples, which are bound, beside the bounds of the column by which they are sorted.
    fn running_tests(&mut self, tests: &[Literal], forms: Vec<TestForm>, others: &[NarrowColumn]) -> RunningTests {
        let mut second = None;
        let mut unlike = Vec::new();
        let mut convex = Vec::new();
        for (test, form) in tests.iter().zip(forms) {
            match form {
                TestForm::Answered => {}
                TestForm::Second(column) => second = others.iter().find(|other| other.column == column),
                TestForm::Unlike(column, term) => unlike.push((column, self.template(&term, None))),
                TestForm::Convex => convex.push(test.clone()),
            }
        }
        let second = second.map(|NarrowColumn { column, bounds, .. }| WindowTemplate {
            column: *column as u16,
            is_carried: false,
            limits: self.limits(bounds),
            narrowings: Box::default(),
        });
        RunningTests { second, unlike: unlike.into(), convex: self.checks(&convex) }
    }

    /// What a test is to running totals, if these know it.
    fn form(
        &mut self,
        atom: &Atom,
        number: usize,
        tests: &[Literal],
        by: &NarrowColumn,
        others: &[NarrowColumn],
    ) -> Option<TestForm> {
        let bounds = |column: &NarrowColumn| column.bounds.iter().any(|bound| bound.literal == number);
        if bounds(by) {
            return Some(TestForm::Answered);
        }
        if let Some(other) = others.iter().find(|other| bounds(other)) {
            return Some(TestForm::Second(other.column));
        }
        let Literal::Compare(Comparison { comparator, left, right, .. }) = &tests[number] else { return None };
        let column_of = |term: &Term| atom.args.iter().position(|arg| arg == term && matches!(arg, Term::Variable(_)));
        match comparator {
            Comparator::NotEqual => {
                let [column, term] = match [left, right].map(|side| self.all_bound(side)) {
                    [false, true] => [left, right],
                    [true, false] => [right, left],
                    _ => return None,
                };
                Some(TestForm::Unlike(column_of(column)? as u16, term.clone()))
            }
            Comparator::Is if !self.all_bound(left) && column_of(left).is_none() => {
                // What is computed and not compared may have no value for some of the tuples between two.
                let Term::Variable(name) = left else { return None };
                let mut reads = tests.iter().enumerate().filter(|(other, _)| *other != number);
                let is_read = reads.any(|(_, test)| {
                    let mut reads = false;
                    test.for_each_variable(&mut |other| reads |= other == name);
                    reads
                });
                is_read.then_some(TestForm::Convex)
            }
            _ => {
                let (_, narrowing) = by.narrowings.iter().find(|(literal, _)| *literal == number)?;
                narrowing.is_convex().then_some(TestForm::Convex)
            }
        }
    }
}
