//! Provenance: the rows from which a row was first derived, down to given facts.
//!
//! A row is derived from rows that existed before it, so following first derivations terminates.

use super::machine::NO_ROW;
use super::relation::RelationId;
use super::{SemiNaive, Value};
use crate::derivation::{Derivation, Inference, Support};
use ludolog_logic::analysis::clause::Literal;
use ludolog_logic::optimize::binding::terms_mut;
use ludolog_syntax::ast::{Atom, Comparison, Name, Term};
use rustc_hash::FxHashMap;

impl SemiNaive {
    /// Explains a fact; `None` if it does not hold, or if the engine does not [record](SemiNaive::load).
    pub(super) fn explain(&mut self, fact: &Atom) -> Option<Derivation> {
        let row = self.row_of(fact);
        let relation = self.relations.get(&fact.signature())?;
        let (number, derivations) = (self.relations[relation].find(&row)?, self.derivations.as_ref()?);
        let mut places: FxHashMap<(RelationId, u32), usize> = FxHashMap::default();
        let mut queue: Vec<(RelationId, u32)> = vec![(relation, number as u32)];
        places.insert(queue[0], 0);
        let mut inferences = Vec::new();
        while inferences.len() < queue.len() {
            let (relation, number) = queue[inferences.len()];
            let fact = self.atom_of(relation, self.relations[relation].row(number as usize));
            let note = derivations.get(relation).and_then(|rows| rows.get(number as usize)?.as_ref());
            let support = note.map_or(Support::Given, |note| {
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
                Support::Rule { clause: (*clause).clone(), premises, checks }
            });
            inferences.push(Inference { fact, support });
        }
        Some(Derivation { inferences })
    }

    fn terms(&self, row: &[Value]) -> Vec<Term> {
        row.iter().map(|&value| self.interner.term(value)).collect()
    }
}

/// Adds to `values` the bindings under which `patterns` match ground `terms`.
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
    let comparison =
        |c: &Comparison| Comparison { left: value_of(&c.left, values), right: value_of(&c.right, values), ..c.clone() };
    match literal {
        Literal::Positive(a) => Literal::Positive(atom(a)),
        Literal::Negative(a) => Literal::Negative(atom(a)),
        Literal::Compare(c) => Literal::Compare(comparison(c)),
        Literal::NotCompare(c) => Literal::NotCompare(comparison(c)),
        Literal::Member { .. } | Literal::Aggregate(_) => {
            let mut literal = literal.clone();
            terms_mut(&mut literal).for_each(|term| *term = value_of(term, values));
            literal
        }
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
