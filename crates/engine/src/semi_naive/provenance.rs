//! Provenance: the rows from which a row was first derived, down to given facts.
//!
//! A row is derived from rows that existed before it, so following first derivations terminates.

use super::machine::{FirstDerivation, NO_ROW};
use super::relation::RelationId;
use super::{SemiNaive, Value};
use crate::contract::Engine;
use crate::derivation::{AggregatedTuples, Check, Derivation, Inference, Support};
use ludolog_logic::analysis::body::Body;
use ludolog_logic::analysis::clause::{Aggregation, Goal, Literal};
use ludolog_logic::analysis::well_founded::{self, ThreeValued};
use ludolog_logic::optimize::binding::terms_mut;
use ludolog_syntax::ast::{Atom, Comparison, Name, Term};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A fact to be explained.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum ProvenanceStep {
    /// A row.
    Row(RelationId, u32),
    /// A false fact of a predicate with a negative cycle.
    False(Atom),
}

/// The facts to be explained, each once, by number.
#[derive(Default)]
pub(super) struct Steps {
    numbers: FxHashMap<ProvenanceStep, usize>,
    queue: Vec<ProvenanceStep>,
}

impl Steps {
    /// The number of a fact.
    pub(super) fn number(&mut self, step: ProvenanceStep) -> usize {
        *self.numbers.entry(step).or_insert_with_key(|step| {
            self.queue.push(step.clone());
            self.queue.len() - 1
        })
    }

    /// Makes the negation of a ground fact that has reasons to be false a premise; whether it is such.
    pub(super) fn explain_negation(
        &mut self,
        literal: &Literal,
        three_valued: &ThreeValued,
        premises: &mut Vec<usize>,
    ) -> bool {
        match literal {
            Literal::Negative(atom) if atom.is_ground() && three_valued.component_of(&atom.signature()).is_some() => {
                premises.push(self.number(ProvenanceStep::False(atom.clone())));
                true
            }
            _ => false,
        }
    }
}

impl SemiNaive {
    /// Explains a fact; `None` if it does not hold, or if the engine does not [record](SemiNaive::load).
    pub(super) fn explain(&mut self, fact: &Atom) -> Option<Derivation> {
        let row = self.row_of(fact);
        let relation = self.relations.get(&fact.signature())?;
        let number = self.relations[relation].find(&row)?;
        let derivations = self.derivations.as_ref()?;
        derivations.get(relation)?;
        let three_valued = self.three_valued.clone();
        let mut steps = Steps::default();
        steps.number(ProvenanceStep::Row(relation, number as u32));
        let mut inferences = Vec::new();
        while let Some(step) = steps.queue.get(inferences.len()).cloned() {
            inferences.push(match step {
                ProvenanceStep::Row(relation, number) => {
                    let fact = self.atom_of(relation, self.relations[relation].row(number as usize));
                    let support = match three_valued.component_of(&fact.signature()) {
                        Some(component) => self.support_in(component, &three_valued, &fact, &mut steps),
                        None => self.noted_support(relation, number, &fact, &three_valued, &mut steps),
                    };
                    Inference { fact, support }
                }
                ProvenanceStep::False(fact) => {
                    let component = three_valued.component_of(&fact.signature())?;
                    let instances = self.unfounded(component, &three_valued, &fact, &mut steps);
                    Inference { fact, support: Support::Unfounded { instances } }
                }
            });
        }
        Some(Derivation { inferences })
    }

    /// The rule that first derived a row, as noted.
    fn noted_support(
        &mut self,
        relation: RelationId,
        number: u32,
        fact: &Atom,
        three_valued: &ThreeValued,
        steps: &mut Steps,
    ) -> Support {
        let derivations = self.derivations.as_ref().and_then(|all| all.get(relation));
        let Some(note) = derivations.and_then(|rows| rows.get(number as usize)?.as_ref()) else {
            return Support::Given;
        };
        if let Some((relation, number)) = self.candidate_of(note) {
            let candidate = self.atom_of(relation, self.relations[relation].row(number as usize));
            return self.noted_support(relation, number, &candidate, three_valued, steps);
        }
        let mut clause = (*self.rules[note.rule as usize].clause).clone();
        let mut values: FxHashMap<Name, Term> = FxHashMap::default();
        bind(&clause.head.args, &fact.args, &mut values);
        let mut premises = Vec::new();
        for (literal, &row) in clause.body.iter().zip(&note.rows) {
            let (Literal::Positive(atom), true) = (literal, row != NO_ROW) else { continue };
            let Some(source) = self.relations.get(&atom.signature()) else { continue };
            let premise: Vec<Term> = self.terms(self.relations[source].row(row as usize));
            bind(&atom.args, &premise, &mut values);
            premises.push(steps.number(ProvenanceStep::Row(source, row)));
        }
        let body: Vec<Literal> = clause.body.iter().map(|literal| fill_in(literal, &values)).collect();
        if body.iter().any(is_open) {
            values.extend(self.solution(body).unwrap_or_default());
        }
        clause.body.change(|literal| *literal = well_founded::written(literal));
        let rest = clause.body.iter().filter(|literal| !matches!(literal, Literal::Positive(_)));
        let mut checks: Vec<Literal> = rest.map(|literal| fill_in(literal, &values)).collect();
        checks.retain(|check| !steps.explain_negation(check, three_valued, &mut premises));
        let checks = checks.into_iter().map(|check| self.check(check)).collect();
        Support::Rule { clause, premises, checks }
    }

    /// The candidate that a row was derived from which a rule has chosen; `None` of any other row.
    fn candidate_of(&self, note: &FirstDerivation) -> Option<(RelationId, u32)> {
        let [Literal::Positive(chosen)] = &self.rules[note.rule as usize].clause.body[..] else { return None };
        let choice = self.choices.get(&chosen.signature())?;
        let notes = self.derivations.as_ref()?.get(self.relations.get(&chosen.signature())?)?;
        let chosen = notes.get(note.rows[0] as usize)?.as_ref()?;
        Some((self.relations.get(&choice.candidates)?, chosen.rows[0]))
    }

    /// A subgoal of a derivation; of an aggregate, with its tuples.
    pub(super) fn check(&mut self, literal: Literal) -> Check {
        let tuples = match &literal {
            Literal::Aggregate(aggregation) => Some(self.aggregated(aggregation)),
            _ => None,
        };
        Check { literal, tuples }
    }

    /// The tuples of an aggregate whose group is known.
    fn aggregated(&mut self, aggregation: &Aggregation) -> AggregatedTuples {
        let mut alternatives = aggregation.tests();
        if alternatives.is_empty() {
            alternatives.push(Vec::new());
        }
        let mut variables = Vec::new();
        aggregation.tuple().iter().for_each(|term| term.for_each_variable(&mut |name| variables.push(name.clone())));
        let mut all = BTreeSet::new();
        for tests in alternatives {
            let mut body = vec![Literal::Positive(aggregation.atom.clone())];
            body.extend(tests);
            let goal = Goal { body: Body::new(body), variables: variables.clone(), span: Span::NONE };
            all.extend(self.solve(&goal, false, &Budget::unlimited()).rows);
        }
        AggregatedTuples::of(all)
    }

    fn terms(&self, row: &[Value]) -> Vec<Term> {
        row.iter().map(|&value| self.interner.term(value)).collect()
    }
}

/// Whether a literal binds a variable that no fact and no other literal has bound yet.
fn is_open(literal: &Literal) -> bool {
    match literal {
        Literal::Compare(comparison) => !(comparison.left.is_ground() && comparison.right.is_ground()),
        Literal::Aggregate(aggregation) => !aggregation.result.is_ground(),
        Literal::Member { element, negated, .. } => !negated && !element.is_ground(),
        _ => false,
    }
}

/// Adds to `values` the bindings under which `patterns` match ground `terms`.
pub(super) fn bind(patterns: &[Term], terms: &[Term], values: &mut FxHashMap<Name, Term>) {
    for (pattern, term) in patterns.iter().zip(terms) {
        match (pattern, term) {
            (Term::Variable(name), _) => _ = values.insert(name.clone(), term.clone()),
            (Term::Compound(_, patterns), Term::Compound(_, terms)) => bind(patterns, terms, values),
            _ => {}
        }
    }
}

pub(super) fn fill_in(literal: &Literal, values: &FxHashMap<Name, Term>) -> Literal {
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

pub(super) fn value_of(term: &Term, values: &FxHashMap<Name, Term>) -> Term {
    match term {
        Term::Variable(name) => values.get(name).cloned().unwrap_or_else(|| term.clone()),
        Term::Compound(name, args) => {
            Term::Compound(name.clone(), args.iter().map(|arg| value_of(arg, values)).collect())
        }
        _ => term.clone(),
    }
}
