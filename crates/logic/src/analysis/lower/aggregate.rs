//! Aggregates: their tuples become the facts of an auxiliary predicate.
//!
//! `N = max { X : e(X) & X < Y }` reads the tuples of
//!
//! ```text
//! max@1(X) :- e(X).
//! ```
//!
//! and keeps those with `X < Y` for each `Y` that is bound outside. So the tuples depend on what stands in the braces
//! alone, and `Y` may come from a predicate that depends on the aggregate. A condition that reads a relation and cannot
//! do without a variable from outside, as `~q(X, Y)`, cannot wait: one from outside that binds `Y` is then added to the
//! rule.

use super::{Lowering, Normal, OuterVariables};
use crate::analysis::body::Body;
use crate::analysis::clause::{Aggregation, Clause, Literal, TupleTests};
use crate::analysis::formula;
use crate::analysis::safety::OrderedStatement;
use crate::optimize::binding::terms_mut;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{
    Aggregate, Atom, Comparator, Comparison, Formula, LoweredSubject, Name, PredicateName, Term,
};
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The tuples of an aggregate in the making.
struct TupleRules<'a> {
    /// The auxiliary predicate.
    predicate: PredicateName,
    /// The statement that the aggregate stands in.
    outside: &'a OuterVariables<'a>,
    /// The variables of the aggregate that stand outside of it too.
    shared: Vec<Name>,
    /// The terms of a tuple. None of them computes.
    tuple: Vec<Term>,
    span: Span,
}

/// The rules of the tuples, and what is tested for a group.
struct Parted {
    /// The shared variables that every rule binds.
    group: Vec<Name>,
    /// The shared variables that tests read.
    parameters: Vec<Name>,
    /// The arguments of the heads, and the bodies.
    rules: Vec<(Vec<Term>, Body)>,
    tests: TupleTests,
}

impl Lowering<'_> {
    /// The comparison by which a term is the value of an aggregate. A term that computes, as in `count { X : p(X) } = N
    /// + 1`, is compared with the value.
    pub(super) fn value(
        &mut self,
        aggregate: &Aggregate,
        outside: &OuterVariables,
        span: Span,
    ) -> Result<Normal, Stopped> {
        let mut aggregation = self.aggregate(aggregate, outside, span)?;
        let Term::Compound(functor, args) = &aggregate.result else {
            return Ok(Normal::Literal(Literal::Aggregate(aggregation)));
        };
        if !Comparator::Equal.computes(functor, args.len()) {
            return Ok(Normal::Literal(Literal::Aggregate(aggregation)));
        }
        let value = outside.fresh(format!("{}_0", aggregation.atom.predicate));
        aggregation.result = value.clone();
        let comparator = Comparator::Equal;
        let right = aggregate.result.clone();
        let comparison = Comparison { comparator, left: value, right, span: aggregate.span };
        let literals = [Literal::Aggregate(aggregation), Literal::Compare(comparison)];
        Ok(Normal::All(literals.map(Normal::Literal).into()))
    }

    /// Makes the tuples of an aggregate an auxiliary predicate: of its variables that stand outside of it too, of the
    /// terms of a tuple, computed as `is` does, and of what its tests read.
    fn aggregate(
        &mut self,
        aggregate: &Aggregate,
        outside: &OuterVariables,
        span: Span,
    ) -> Result<Aggregation, Stopped> {
        let mut shared: Vec<Name> = Vec::new();
        aggregate.for_each_inner_variable(&mut |name| {
            if outside.names.contains(name) && !shared.contains(name) {
                shared.push(name.clone());
            }
        });
        let predicate = self.auxiliary_name(LoweredSubject::Aggregate(aggregate.function));
        let mut tuples = TupleRules { predicate, outside, shared, tuple: Vec::new(), span: aggregate.span };
        let body = tuples.compute_terms(aggregate);
        let Parted { group, parameters, rules, tests } = self.parted(aggregate, &tuples, body, span)?;
        let rules = rules.into_iter().map(|(args, body)| Clause { head: tuples.atom(args), body, span });
        self.program.rules.extend(rules);
        let columns = (0..tests.tuple + tests.others).map(|number| tuples.column(number));
        let args = group.iter().cloned().map(Term::Variable).chain(columns).collect();
        Ok(Aggregation {
            result: aggregate.result.clone(),
            function: aggregate.function,
            atom: tuples.atom(args),
            bound: group.len(),
            parameters: parameters.iter().cloned().map(Term::Variable).collect(),
            tests: Arc::new(tests),
            written: Arc::new((aggregate.clone(), [group, parameters].concat())),
        })
    }

    /// The rules of the tuples and the tests. As long as these lack a variable, a condition from outside that binds it
    /// is added.
    fn parted(
        &mut self,
        aggregate: &Aggregate,
        tuples: &TupleRules,
        mut body: Vec<Formula>,
        span: Span,
    ) -> Result<Parted, Stopped> {
        let outside = tuples.outside;
        let args: Vec<Term> =
            tuples.shared.iter().cloned().map(Term::Variable).chain(tuples.tuple.iter().cloned()).collect();
        let head = tuples.atom(args.clone());
        let mut binders: Vec<&Formula> = outside.body.iter().filter(|formula| may_bind(formula)).collect();
        // What does not depend on the aggregate comes first.
        let reads_head = |atom: &Atom| outside.heads.contains(&atom.signature());
        binders.cold_sort_by_key(|formula| matches!(formula, Formula::Atom(atom) if reads_head(atom)));
        loop {
            self.budget.check()?;
            let rules = self.program.rules.len();
            let mut statement = OrderedStatement::new(&[&head], &body, self.syntax);
            let bodies =
                self.bodies(LoweredSubject::Aggregate(aggregate.function), &[&head], &body, span, &mut statement)?;
            let bodies: Vec<Body> = bodies.into_iter().map(|body| statement.arrange(&[&head], body)).collect();
            if let Some(parted) = tuples.part(&bodies).or_else(|| tuples.part(&tuples.with_equal_tested(&bodies))) {
                return Ok(parted);
            }
            let missing: Vec<&Name> = statement.unbound().filter(|name| outside.names.contains(name)).collect();
            let binder = binders.iter().position(|formula| {
                let mut binds = false;
                formula.for_each_variable(&mut |name| binds |= missing.contains(&name));
                binds
            });
            let Some(binder) = binder else {
                self.found.extend(statement.into_diagnostics(span));
                let tests = TupleTests { tuple: tuples.tuple.len(), ..TupleTests::default() };
                let rules = bodies.into_iter().map(|body| (args.clone(), body)).collect();
                return Ok(Parted { group: tuples.shared.clone(), parameters: Vec::new(), rules, tests });
            };
            self.program.rules.truncate(rules);
            body.push(binders.remove(binder).clone());
        }
    }
}

/// Whether a condition may bind a variable.
fn may_bind(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(_) | Formula::Range(_) => true,
        Formula::Compare(comparison) => matches!(comparison.comparator, Comparator::Is | Comparator::Equal),
        Formula::And(parts) | Formula::Or(parts) => !formula::have_aggregate(parts) && parts.iter().any(may_bind),
        Formula::Not(_) | Formula::Aggregate(_) => false,
    }
}

impl TupleRules<'_> {
    /// Takes the terms of a tuple. Those that compute become variables, which conditions set that are added to the
    /// body.
    fn compute_terms(&mut self, aggregate: &Aggregate) -> Vec<Formula> {
        let mut body = aggregate.body.clone();
        for (number, term) in aggregate.template.iter().enumerate() {
            let computes =
                matches!(term, Term::Compound(functor, args) if Comparator::Is.computes(functor, args.len()));
            let value = if computes { self.column(number) } else { term.clone() };
            if computes {
                let comparator = Comparator::Is;
                let left = value.clone();
                let right = term.clone();
                body.push(Formula::Compare(Comparison { comparator, left, right, span: aggregate.span }));
            }
            self.tuple.push(value);
        }
        body
    }

    /// The variable of a column behind the group.
    fn column(&self, number: usize) -> Term {
        self.outside.fresh(format!("{}_{}", self.predicate, number + 1))
    }

    fn atom(&self, args: Vec<Term>) -> Atom {
        Atom { predicate: self.predicate.clone(), args, span: self.span }
    }

    /// The same bodies, in which `T = S` tests where it alone binds a variable `S` from outside that other bodies only compare with, as in
    /// `T > S | T = S & J < I`.
    fn with_equal_tested(&self, bodies: &[Body]) -> Vec<Body> {
        let binds = |body: &Body, name: &Name| body.bound().contains(name);
        let is_open = |name: &&Name| !bodies.iter().all(|body| binds(body, name));
        let open: Vec<&Name> = self.shared.iter().filter(is_open).collect();
        let is_open = |term: &Term| matches!(term, Term::Variable(name) if open.contains(&name));
        let mut bodies = bodies.to_vec();
        for body in &mut bodies {
            body.change(|literal| {
                let Literal::Compare(comparison) = literal else { return };
                let Comparison { comparator, left, right, .. } = comparison;
                let are_variables = matches!((&*left, &*right), (Term::Variable(_), Term::Variable(_)));
                if *comparator == Comparator::Equal && are_variables && is_open(left) != is_open(right) {
                    *comparator = Comparator::NotEqual;
                    *literal = Literal::NotCompare(comparison.clone());
                }
            });
        }
        bodies
    }

    /// Parts bodies from comparisons with variables from outside that nothing within binds; `None` if a body lacks
    /// anything else, or binds another part of the shared variables than the others.
    fn part(&self, bodies: &[Body]) -> Option<Parted> {
        let bound: Vec<FxHashSet<Name>> = bodies.iter().map(|body| body.bound().into_iter().collect()).collect();
        let binding = |name: &Name| bound.iter().filter(|bound| bound.contains(name)).count();
        let (group, open): (Vec<&Name>, Vec<&Name>) =
            self.shared.iter().partition(|name| binding(name) == bodies.len());
        let mut is_bound = open.iter().all(|name| binding(name) == 0);
        self.tuple
            .iter()
            .for_each(|term| term.for_each_variable(&mut |name| is_bound &= binding(name) == bodies.len()));
        if !is_bound {
            return None;
        }
        let tests: Option<Vec<Vec<Literal>>> =
            bodies.iter().zip(&bound).map(|(body, bound)| self.tests(body, bound)).collect();
        let tests = tests?;
        let mut naming =
            Naming { tuples: self, parameters: Vec::new(), columns: Vec::new(), names: FxHashMap::default() };
        let alternatives = tests.iter().zip(&bound).map(|(tests, bound)| naming.alternative(tests, bound));
        let mut alternatives: Vec<Vec<Literal>> = alternatives.collect();
        // Where bodies have tests of their own, a column tells them apart.
        let differ = alternatives.iter().any(|tests| *tests != alternatives[0]);
        if differ {
            alternatives.iter_mut().zip(0..).for_each(|(tests, number)| tests.insert(0, naming.is_of_body(number)));
        } else {
            alternatives.truncate(1);
            alternatives.retain(|tests| !tests.is_empty());
        }
        let rules = bodies.iter().zip(&bound).zip(0..).map(|((body, bound), number)| {
            let group = group.iter().map(|name| Term::Variable((*name).clone()));
            // TupleTests read what their own body binds.
            let value =
                |name: &Name| if bound.contains(name) { Term::Variable(name.clone()) } else { Term::Integer(0) };
            let others = naming.columns.iter().map(value).chain(differ.then_some(Term::Integer(number)));
            let literals = body[..body.len() - body.unsafe_literals().len()].to_vec();
            (group.chain(self.tuple.iter().cloned()).chain(others).collect(), Body::new(literals))
        });
        let rules = rules.collect();
        let others = naming.columns.len() + usize::from(differ);
        Some(Parted {
            group: group.into_iter().cloned().collect(),
            parameters: naming.parameters,
            rules,
            tests: TupleTests { tuple: self.tuple.len(), others, alternatives },
        })
    }

    /// The literals of a body that nothing in it makes safe, in an order in which they are if the shared variables are
    /// bound as well; `None` if there is no such order, or one of them reads a relation or has several solutions.
    fn tests(&self, body: &Body, bound: &FxHashSet<Name>) -> Option<Vec<Literal>> {
        let known = |name: &Name| bound.contains(name) || self.shared.contains(name);
        let mut read: Vec<Name> = Vec::new();
        for literal in body.unsafe_literals() {
            let mut all_known = true;
            literal.for_each_variable(&mut |name| {
                all_known &= known(name);
                if known(name) {
                    read.push(name.clone());
                }
            });
            match literal {
                Literal::Compare(_) | Literal::NotCompare(_) => {}
                Literal::Member { .. } if all_known => {}
                _ => return None,
            }
        }
        let known = self.atom(read.into_iter().map(Term::Variable).collect());
        let known = std::iter::once(Literal::Positive(known));
        let ordered: Body = known.chain(body.unsafe_literals().iter().cloned()).collect();
        ordered.is_safe().then(|| ordered[1..].to_vec())
    }
}

/// The names of tests, which mean the same wherever the aggregate stands.
struct Naming<'a> {
    tuples: &'a TupleRules<'a>,
    /// The shared variables that they read.
    parameters: Vec<Name>,
    /// The variables of the rules that they read and that are no terms of the tuple, in the order of their columns.
    columns: Vec<Name>,
    /// Variables that tests set.
    names: FxHashMap<Name, Term>,
}

impl Naming<'_> {
    /// The tests of a body that binds these variables.
    fn alternative(&mut self, tests: &[Literal], bound: &FxHashSet<Name>) -> Vec<Literal> {
        let mut tests = tests.to_vec();
        for literal in &mut tests {
            terms_mut(literal).for_each(|term| *term = term.replace_variables(&mut |name| self.value(name, bound)));
        }
        tests
    }

    fn value(&mut self, name: &Name, bound: &FxHashSet<Name>) -> Option<Term> {
        let place = |names: &mut Vec<Name>| {
            names.iter().position(|other| other == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            })
        };
        let TupleRules { predicate, outside, shared, tuple, .. } = self.tuples;
        if shared.contains(name) {
            place(&mut self.parameters);
            return None;
        }
        if bound.contains(name) {
            let in_tuple = tuple.iter().position(|term| matches!(term, Term::Variable(other) if other == name));
            return Some(self.tuples.column(in_tuple.unwrap_or_else(|| tuple.len() + place(&mut self.columns))));
        }
        let number = self.names.len() + 1;
        let fresh = || outside.fresh(format!("{predicate}__{number}"));
        let value = self.names.entry(name.clone()).or_insert_with(fresh);
        Some(value.clone())
    }

    /// The test that a tuple is of the body of this number.
    fn is_of_body(&self, number: i64) -> Literal {
        let left = self.tuples.column(self.tuples.tuple.len() + self.columns.len());
        let comparator = Comparator::Equal;
        let right = Term::Integer(number);
        Literal::Compare(Comparison { comparator, left, right, span: self.tuples.span })
    }
}
