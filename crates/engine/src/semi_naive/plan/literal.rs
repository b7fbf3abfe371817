//! The operations of one literal of a body.

use super::tuples::TuplesWithin;
use super::{AggregateRows, PlanCompiler, PlanOp, RowRange, TotalLookup};
use crate::aggregate::Aggregator;
use crate::semi_naive::closure::ClosureId;
use crate::semi_naive::heuristics::Heuristic;
use crate::semi_naive::names::RowSource;
use crate::semi_naive::relation::RelationId;
use crate::term::Slot;
use ludolog_logic::analysis::clause::{Aggregation, Elements, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Term};

impl PlanCompiler<'_, '_, '_> {
    /// Compiles the body literal at `place`, before those of `rest`, which binds `fresh` variables; `once` if none of
    /// them is needed after it.
    pub(super) fn literal(
        &mut self,
        place: usize,
        range: RowRange,
        rest: &[(usize, RowRange)],
        fresh: &[Slot],
        once: bool,
    ) {
        let body = self.body;
        match &body[place] {
            Literal::Positive(atom) => {
                let RowSource { relation, closure } = self.names.source(place);
                match (closure, fresh.is_empty() && range != RowRange::Delta) {
                    (None, true) => self.contains(atom, place, false, self.enumerated.get(&place).copied()),
                    (None, false) => self.enumeration(atom, (place, range), relation, rest, fresh, once),
                    (Some(closure), true) => self.closure_contains(atom, closure, false),
                    (Some(closure), false) => {
                        if !once && let Some(pairs) = self.sources(atom, closure) {
                            self.generator(PlanOp::Closure { pairs, once, back: self.back });
                        }
                        let pairs = self.pairs(atom, closure);
                        self.generator(PlanOp::Closure { pairs, once, back: self.back });
                    }
                }
            }
            Literal::Negative(atom) => self.negation(atom, place, fresh),
            Literal::Aggregate(aggregation) => self.aggregate(aggregation, place),
            Literal::Member { element, elements, negated: false, span } if !fresh.is_empty() => {
                let back = self.back;
                let op = match elements {
                    Elements::Range(from, to) => {
                        let bounds = [from, to].map(|bound| self.template(bound, Some((Comparator::Is, *span))));
                        PlanOp::Range { element: self.pattern(element), bounds, once, back }
                    }
                    Elements::List(list) => {
                        let list = self.template(list, None);
                        PlanOp::Member { element: self.pattern(element), list, once, back }
                    }
                };
                self.generator(op);
            }
            check => {
                let check = self.check(check);
                self.ops.push(PlanOp::Check { check, back: self.back });
            }
        }
        self.note_completeness();
    }

    /// Enumerates the rows of an atom, or of one of those of `rest` that bind the same variables.
    fn enumeration(
        &mut self,
        atom: &Atom,
        (place, range): (usize, RowRange),
        relation: RelationId,
        rest: &[(usize, RowRange)],
        fresh: &[Slot],
        once: bool,
    ) {
        let before = self.bound.clone();
        let mut rows = self.rows(atom, relation, range, place, &before);
        rows.once = once;
        rows.windows = self.windows(atom, &rows, rest, &before);
        // A recorded derivation names a row of each literal.
        if let Some((index, _)) = rows.lookup
            && !self.tables.relations.are_numbered()
            && self.has(Heuristic::Rivals)
        {
            rows.rivals = self.rivals((relation, index), fresh, &before, rest);
        }
        let op = self.ops.len();
        let rivals: Vec<usize> = rows.rivals.iter().map(|rival| rival.literal).collect();
        self.generator(PlanOp::Rows(rows));
        if !rivals.is_empty() {
            self.enumerated.extend((1..).zip(rivals).map(|(number, rival)| (rival, (op, number))));
            self.contains(atom, place, false, Some((op, 0)));
        }
    }

    fn negation(&mut self, atom: &Atom, place: usize, fresh: &[Slot]) {
        let RowSource { relation, closure } = self.names.source(place);
        match (closure, fresh.is_empty()) {
            (Some(closure), true) => self.closure_contains(atom, closure, true),
            (None, true) => self.contains(atom, place, true, None),
            (closure, false) => {
                let bound = self.bound.clone();
                let op = match closure {
                    Some(closure) => PlanOp::ClosureNone { pairs: self.pairs(atom, closure), back: self.back },
                    None => {
                        let rows = self.rows(atom, relation, RowRange::Full, place, &bound);
                        PlanOp::None { rows: Box::new(rows) }
                    }
                };
                // Variables bound by a negated atom are local to it.
                self.bound = bound;
                self.ops.push(op);
            }
        }
    }

    fn contains(&mut self, atom: &Atom, place: usize, negated: bool, unless: Option<(usize, u32)>) {
        let relation = self.names.source(place).relation;
        let row = self.templates(&atom.args);
        self.ops.push(PlanOp::Contains { relation, row, negated, literal: place, unless, back: self.back });
    }

    fn closure_contains(&mut self, atom: &Atom, closure: ClosureId, negated: bool) {
        let row = self.templates(&atom.args);
        self.ops.push(PlanOp::ClosureContains { closure, row, negated, back: self.back });
    }

    fn aggregate(&mut self, aggregation: &Aggregation, place: usize) {
        let relation = self.names.source(place).relation;
        if self.tables.relations[relation].any_totals().is_some() {
            return self.total(relation, aggregation);
        }
        let bound = self.bound.clone();
        let of = Aggregator::compile(aggregation, self.tables.interner);
        let within = self.tuples_within(aggregation, of.extreme(), relation, place);
        let TuplesWithin { rows, extreme, running } = within.unwrap_or_else(|| {
            let rows = self.rows(&aggregation.atom, relation, RowRange::Full, place, &bound);
            TuplesWithin { rows, extreme: None, running: None }
        });
        let slot = |term: &Term| match term {
            Term::Variable(name) => self.names.slot(name),
            _ => unreachable!("a tuple is of variables"),
        };
        let tuple = aggregation.tuple().iter().map(slot).collect();
        let tests = aggregation.tests().iter().map(|tests| self.checks(tests)).collect();
        // The variables of its tuples are local to it.
        self.bound = bound;
        let group = aggregation.outer().map(|term| self.template(term, None)).collect();
        let repeats = aggregation.tests.others > 0 && !of.may_repeat();
        let result = self.pattern(&aggregation.result);
        let first = aggregation.bound;
        let aggregate = AggregateRows { rows, of, extreme, running, group, tuple, first, repeats, tests, result };
        self.ops.push(PlanOp::Aggregate(Box::new(aggregate)));
    }

    /// Compiles an aggregate over tuples of which a relation has the totals.
    fn total(&mut self, relation: RelationId, aggregation: &Aggregation) {
        if self.tables.relations[relation].totals_of_rows().is_some() {
            self.totals.push(relation);
        }
        let group = self.templates(aggregation.group());
        let of = Aggregator::compile(aggregation, self.tables.interner);
        let result = self.pattern(&aggregation.result);
        self.ops.push(PlanOp::Total(Box::new(TotalLookup { relation, of, group, result, back: self.back })));
    }
}
