//! Why a fact holds: the rows that it was first derived from, down to given facts.
//!
//! A row is derived from rows that were there before it, so following first derivations ends.

use super::machine::NO_ROW;
use super::relation::RelationId;
use super::{SemiNaive, Value};
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Atom, Comparison, Name, Term};
use rustc_hash::FxHashMap;

/// One fact of a derivation.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub fact: Atom,
    pub reason: Reason,
}

/// What a fact rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// It is given.
    Given,
    /// A rule gives it.
    Rule {
        clause: Clause,
        /// The steps of its positive subgoals, in body order.
        premises: Vec<usize>,
        /// Its other subgoals (comparisons, negations), with the values filled in.
        checks: Vec<Literal>,
    },
}

impl SemiNaive {
    /// The derivation of a fact: steps that refer to each other by place, the fact itself first, each fact once. Empty
    /// when the fact does not hold, or the engine was not made by [`recording`](SemiNaive::recording).
    pub fn derivation(&mut self, fact: &Atom) -> Vec<Step> {
        let row = self.row_of(fact);
        let Some(relation) = self.relations.get(&fact.signature()) else { return Vec::new() };
        let (Some(number), Some(derivations)) = (self.relations[relation].find(&row), &self.derivations) else {
            return Vec::new();
        };
        let mut places: FxHashMap<(RelationId, u32), usize> = FxHashMap::default();
        let mut queue: Vec<(RelationId, u32)> = vec![(relation, number as u32)];
        places.insert(queue[0], 0);
        let mut steps = Vec::new();
        while steps.len() < queue.len() {
            let (relation, number) = queue[steps.len()];
            let fact = self.atom_of(relation, self.relations[relation].row(number as usize));
            let note = derivations.get(relation).and_then(|rows| rows.get(number as usize)?.as_ref());
            let reason = note.map_or(Reason::Given, |note| {
                let clause = self.rules[note.rule as usize].clause.clone();
                let mut values: FxHashMap<Name, Term> = FxHashMap::default();
                bind(&clause.head.args, &fact.args, &mut values);
                let mut premises = Vec::new();
                for (literal, &row) in clause.body.iter().zip(&note.rows) {
                    let (Literal::Positive(atom), true) = (literal, row != NO_ROW) else { continue };
                    let Some(source) = self.relations.get(&atom.signature()) else { continue };
                    let premise: Vec<Term> = self.terms(self.relations[source].row(row as usize));
                    bind(&atom.args, &premise, &mut values);
                    premises.push(*places.entry((source, row)).or_insert_with(|| {
                        queue.push((source, row));
                        queue.len() - 1
                    }));
                }
                let rest = clause.body.iter().filter(|literal| !matches!(literal, Literal::Positive(_)));
                let checks = rest.map(|literal| fill_in(literal, &values)).collect();
                Reason::Rule { clause, premises, checks }
            });
            steps.push(Step { fact, reason });
        }
        steps
    }

    fn terms(&self, row: &[Value]) -> Vec<Term> {
        row.iter().map(|&value| self.interner.term(value)).collect()
    }
}

/// Notes the values that variables of `patterns` have where they match ground `terms`.
fn bind(patterns: &[Term], terms: &[Term], values: &mut FxHashMap<Name, Term>) {
    for (pattern, term) in patterns.iter().zip(terms) {
        match (pattern, term) {
            (Term::Variable(name), _) => _ = values.insert(name.clone(), term.clone()),
            (Term::Compound(_, patterns), Term::Compound(_, terms)) => bind(patterns, terms, values),
            _ => {}
        }
    }
}

fn fill_in(literal: &Literal, values: &FxHashMap<Name, Term>) -> Literal {
    let atom = |atom: &Atom| Atom { args: atom.args.iter().map(|arg| value_of(arg, values)).collect(), ..atom.clone() };
    match literal {
        Literal::Positive(a) => Literal::Positive(atom(a)),
        Literal::Negative(a) => Literal::Negative(atom(a)),
        Literal::Compare(c) => Literal::Compare(Comparison {
            left: value_of(&c.left, values),
            right: value_of(&c.right, values),
            ..c.clone()
        }),
        Literal::Member { element, list, negated, span } => Literal::Member {
            element: value_of(element, values),
            list: value_of(list, values),
            negated: *negated,
            span: *span,
        },
    }
}

fn value_of(term: &Term, values: &FxHashMap<Name, Term>) -> Term {
    match term {
        Term::Variable(name) => values.get(name).cloned().unwrap_or_else(|| term.clone()),
        Term::Compound(name, args) => {
            Term::Compound(name.clone(), args.iter().map(|arg| value_of(arg, values)).collect())
        }
        _ => term.clone(),
    }
}
