//! Refutations: the reasons why no instance of an atom holds.
//!
//! An atom without instances matches no given fact, and each rule whose head unifies with it fails: its conditions,
//! under the most general unifier and from left to right, have a longest prefix with a solution, and no solution of
//! that prefix satisfies the next condition. A refutation shows one solution and the instance of the condition that
//! fails. A failing positive condition is again an atom without instances, so refutations continue as deep as asked; an
//! atom that recurs, up to the names of its variables, is refuted once.
//!
//! Cost: one query for each condition of each rule, over the facts that the engine has derived.

mod unifier;

use crate::contract::Engine;
use crate::term::NoValue;
use indexmap::IndexSet;
use ludolog_logic::analysis::NamesBySize;
use ludolog_logic::analysis::body::{Body, bound_by};
use ludolog_logic::analysis::clause::{Aggregation, Clause, Elements, FunctionalChoice, Goal, Literal};
use ludolog_logic::analysis::well_founded::ThreeValued;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{AggregateFunction, Atom, Comparison, Join, Lattice, Name, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::VecDeque;
use unifier::Unifier;

/// Most symbols of an atom that is refuted further. From the goal down, rules may build ever larger terms.
const MAX_SYMBOLS: usize = 1000;

/// A refutation as a graph, in which cycles are possible. Conditions refer to denials by index; each denied atom occurs
/// once, the goal's first.
#[derive(Clone, Debug, PartialEq)]
pub struct Refutation {
    /// At least one denial.
    pub denials: Vec<Denial>,
}

/// An atom of which no instance holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Denial {
    /// The atom, perhaps with variables.
    pub atom: Atom,
    /// The reason.
    pub reason: Reason,
}

/// The reason why no instance of an atom holds. In all cases, no fact matches the atom, given or added by an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Neither facts nor rules nor transition rules define its predicate.
    Undefined {
        /// The defined predicate that is spelled nearly the same, if there is one.
        meant: Option<Predicate>,
    },
    /// These are the rules whose head unifies with the atom, in source order; each of them fails. Perhaps there are
    /// none.
    Rules(Vec<FailedRule>),
    /// The predicate has a lattice column, and another fact holds in place of the atom.
    Replaced(Replacement),
    /// A rule may choose the atom, and has chosen this fact instead.
    Unchosen(Atom),
    /// Not sought: rules may derive the atom, but it is deeper than asked; or it has more than 1000 symbols.
    NotSought,
}

/// The fact that holds in place of others that differ from it in the lattice column alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Replacement {
    /// The fact has a better value.
    Better(Atom),
    /// The value of the fact unites theirs.
    Union(Atom),
}

/// A rule that derives no instance of an atom.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedRule {
    /// The rule as written.
    pub clause: Clause,
    /// The named variables of the rule that the atom and the conditions in `held` bind, in the order of the rule.
    pub bindings: Vec<(Name, Term)>,
    /// Instances of the first conditions, which hold together or are undefined. No more conditions hold together.
    pub held: Vec<HeldCondition>,
    /// The next condition, of which no instance holds with those; where all hold, what the rule derives and another fact replaces.
    pub failed: Literal,
    /// The reason why the condition fails.
    pub cause: Cause,
}

/// An instance of a condition before the one that fails.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldCondition {
    /// The condition.
    pub literal: Literal,
    /// Whether it is undefined, neither true nor false.
    pub is_undefined: bool,
}

/// The reason why an instance of a condition does not hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// No instance of its atom holds: the index in [`Refutation::denials`].
    Denied(usize),
    /// This fact holds, and the condition negates it.
    Contradicted(Atom),
    /// All conditions hold, and another fact holds in place of what they derive.
    Replaced(Replacement),
    /// The comparison or the test of membership is false.
    False,
    /// The aggregate has this value instead, or none.
    OtherValue(Option<Term>),
    /// A side of the comparison has no value, or the sides cannot be compared.
    NoValue(NoValue),
}

/// The program and the engine that a refutation is made of.
pub(crate) struct Refuter<'a> {
    /// The engine, up to date with all facts, which runs a program with the same answers.
    pub engine: &'a mut dyn Engine,
    /// The predicates that the engine derives three-valued: conditions fail if no instance is true or undefined.
    pub three_valued: &'a ThreeValued,
    /// The predicates with lattice columns.
    pub lattices: &'a FxHashMap<Predicate, Lattice>,
    /// The predicates whose facts are chosen.
    pub choices: &'a FxHashMap<Predicate, FunctionalChoice>,
    /// The rules as written, by head.
    pub rules: FxHashMap<Predicate, Vec<&'a Clause>>,
    /// The predicates that have rules or facts, or may get them.
    pub defined: FxHashSet<Predicate>,
    pub budget: &'a Budget,
}

impl<'a> Refuter<'a> {
    /// Refutes `atom` and, `depth` levels deep, the conditions that fail; `None` if an instance of it holds.
    pub fn refute(&mut self, atom: &Atom, depth: usize) -> Result<Option<Refutation>, Stopped> {
        if self.solution(vec![Literal::Positive(atom.clone())].into())?.is_some() {
            return Ok(None);
        }
        let mut denials = Denials::default();
        denials.add(atom, 0);
        // The levels of the queue never decrease, so each atom is met at its least depth first.
        while let Some((at, level)) = denials.queue.pop_front() {
            let atom = denials.list[at].atom.clone();
            if symbols(&atom) <= MAX_SYMBOLS {
                denials.list[at].reason = self.reason(&atom, level, depth, &mut denials)?;
            }
        }
        Ok(Some(Refutation { denials: denials.list }))
    }

    /// The reason why no instance of an atom of this level holds.
    fn reason(&mut self, atom: &Atom, level: usize, depth: usize, denials: &mut Denials) -> Result<Reason, Stopped> {
        let predicate = atom.signature();
        if !self.defined.contains(&predicate) {
            return Ok(Reason::Undefined { meant: NamesBySize::of(&self.defined).meant(&predicate).cloned() });
        }
        if let Some(replacement) = self.replacement(atom)? {
            return Ok(Reason::Replaced(replacement));
        }
        if let Some(other) = self.chosen_instead(atom)? {
            return Ok(Reason::Unchosen(other));
        }
        let mut failed = Vec::new();
        for clause in self.rules_of(&predicate) {
            if let Some(unifier) = Unifier::of(atom, &clause)? {
                if level >= depth {
                    return Ok(Reason::NotSought);
                }
                failed.push(self.failed_rule(&clause, unifier, level, denials)?);
            }
        }
        Ok(Reason::Rules(failed))
    }

    /// The fact that agrees with an atom in all columns but the lattice column, and replaces it there.
    fn replacement(&mut self, atom: &Atom) -> Result<Option<Replacement>, Stopped> {
        let Some(lattice) = self.lattices.get(&atom.signature()) else { return Ok(None) };
        let value = &atom.args[lattice.column];
        if !atom.is_ground() {
            return Ok(None);
        }
        let name: Name = "_best".into();
        let mut best = atom.clone();
        best.args[lattice.column] = Term::Variable(name.clone());
        let values = self.solution(vec![Literal::Positive(best.clone())].into())?;
        let Some(found) = values.and_then(|values| values.get(&name).cloned()) else { return Ok(None) };
        let is_better = match &lattice.join {
            Join::Function(AggregateFunction::Maximum) => found > *value,
            Join::Function(AggregateFunction::Union) => is_subset(value, &found),
            Join::Function(_) => found < *value,
            Join::Order(order) => self.is_better(&found, value, &order.signature())?,
        };
        let is_union = matches!(lattice.join, Join::Function(AggregateFunction::Union));
        best.args[lattice.column] = found;
        let replacement = if is_union { Replacement::Union(best) } else { Replacement::Better(best) };
        Ok(Some(replacement).filter(|_| is_better))
    }

    /// Whether facts of an order lead from a value to a worse one.
    fn is_better(&mut self, value: &Term, worse: &Term, order: &Predicate) -> Result<bool, Stopped> {
        let facts = self.engine.facts(order, self.budget)?;
        let mut below: FxHashMap<&Term, Vec<&Term>> = FxHashMap::default();
        for fact in &facts {
            below.entry(&fact.args[0]).or_default().push(&fact.args[1]);
        }
        let mut reached: FxHashSet<&Term> = FxHashSet::default();
        let mut open = vec![value];
        while let Some(next) = open.pop().filter(|_| !reached.contains(worse)) {
            let new = below.get(next).into_iter().flatten().filter(|&&term| reached.insert(term));
            open.extend(new);
        }
        Ok(reached.contains(worse))
    }

    /// The fact that a rule has chosen and that an atom, which it could have chosen, does not agree with.
    fn chosen_instead(&mut self, atom: &Atom) -> Result<Option<Atom>, Stopped> {
        let Some(choice) = self.choices.get(&atom.signature()).filter(|_| atom.is_ground()) else { return Ok(None) };
        for dependency in &choice.dependencies {
            let mut other = atom.clone();
            for (column, arg) in other.args.iter_mut().enumerate() {
                if !dependency.keys.contains(&column) {
                    *arg = Term::variable(&format!("_{column}"));
                }
            }
            let values = self.solution(vec![Literal::Positive(other.clone())].into())?;
            if let Some(values) = values {
                other.args =
                    other.args.iter().map(|arg| arg.replace_variables(&mut |name| values.get(name).cloned())).collect();
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// The rules for the candidates of a rule that chooses, each with the choice as its last condition; `None` of any other rule.
    fn choosing(&self, clause: &Clause) -> Option<Vec<Clause>> {
        let [Literal::Positive(chosen)] = &clause.body[..] else { return None };
        let choice = self.choices.get(&chosen.signature())?;
        let candidates = self.rules.get(&choice.candidates).into_iter().flatten();
        let with_choice = candidates.map(|candidate| {
            let chosen = Literal::Positive(chosen.clone());
            let body = candidate.body.iter().cloned().chain([chosen]).collect();
            Clause { head: clause.head.clone(), body, span: clause.span }
        });
        Some(with_choice.collect())
    }

    /// The rules of a predicate; those of its candidates in place of the rule that leads from there.
    fn rules_of(&self, predicate: &Predicate) -> Vec<Cow<'a, Clause>> {
        let all = self.rules.get(predicate).into_iter().flatten().flat_map(|&clause| match self.choosing(clause) {
            Some(choosing) => choosing.into_iter().map(Cow::Owned).collect(),
            None => vec![Cow::Borrowed(clause)],
        });
        let mut all: Vec<Cow<Clause>> = all.collect();
        all.cold_sort_by_key(|clause| (clause.span.source.0, clause.span.start));
        all
    }

    /// Finds the first condition that fails.
    fn failed_rule(
        &mut self,
        clause: &Clause,
        unifier: Unifier,
        level: usize,
        denials: &mut Denials,
    ) -> Result<FailedRule, Stopped> {
        let (mut asked, conditions) = conditions(clause, &unifier)?;
        let mut example = Example { values: FxHashMap::default(), unifier };
        for (at, condition) in conditions.into_iter().enumerate() {
            asked.extend(condition);
            if let Some(values) = self.solution(asked.clone().into())? {
                example.values = values;
                continue;
            }
            let mut held = Vec::new();
            for literal in &clause.body[..at] {
                held.push(self.held(example.literal(literal)?)?);
            }
            let failed = example.literal(&clause.body[at])?;
            let bindings = example.bindings(clause)?;
            let cause = self.cause(&failed, level, denials)?;
            return Ok(FailedRule { clause: clause.clone(), bindings, held, failed, cause });
        }
        // The atom has variables, and what the rule derives for their values is replaced.
        let args = clause.head.args.iter().map(|arg| example.term(arg)).collect::<Result<_, _>>()?;
        let derived = Atom { args, ..clause.head.clone() };
        if let Some(replacement) = self.replacement(&derived)? {
            let mut held = Vec::new();
            for literal in &clause.body {
                held.push(self.held(example.literal(literal)?)?);
            }
            let bindings = example.bindings(clause)?;
            let cause = Cause::Replaced(replacement);
            return Ok(FailedRule {
                clause: clause.clone(),
                bindings,
                held,
                failed: Literal::Positive(derived),
                cause,
            });
        }
        let head = clause.head.signature();
        Err(Stopped::Unsupported(format!("the engine finds no fact of `{head}` that a rule derives from its facts")))
    }

    /// A condition of which an instance is true or undefined.
    fn held(&mut self, literal: Literal) -> Result<HeldCondition, Stopped> {
        let may_be_undefined = self.three_valued.may_be_undefined(&literal);
        let certain = self.three_valued.certain(&literal);
        let is_undefined = may_be_undefined && self.solution_of(vec![certain].into())?.is_none();
        Ok(HeldCondition { literal, is_undefined })
    }

    /// The reason why a condition fails.
    fn cause(&mut self, failed: &Literal, level: usize, denials: &mut Denials) -> Result<Cause, Stopped> {
        Ok(match failed {
            Literal::Positive(atom) => Cause::Denied(denials.add(atom, level + 1)),
            Literal::Negative(atom) => {
                // Not even undefined, the negation is contradicted by a true fact.
                let values = self.solution_of(vec![Literal::Positive(atom.clone())].into())?.unwrap_or_default();
                let args = atom.args.iter().map(|arg| arg.replace_variables(&mut |name| values.get(name).cloned()));
                Cause::Contradicted(Atom { args: args.collect(), ..atom.clone() })
            }
            Literal::Compare(comparison) => NoValue::of(comparison).map_or(Cause::False, Cause::NoValue),
            Literal::Aggregate(aggregation) => Cause::OtherValue(self.value(aggregation)?),
            Literal::NotCompare(_) | Literal::Member { .. } => Cause::False,
        })
    }

    /// The value of an aggregate of groups that are bound; `None` if it has none.
    fn value(&mut self, aggregation: &Aggregation) -> Result<Option<Term>, Stopped> {
        let value: Name = "value".into();
        let asked = Aggregation { result: Term::Variable(value.clone()), ..aggregation.clone() };
        let mut values = self.solution(vec![Literal::Aggregate(asked)].into())?.unwrap_or_default();
        Ok(values.remove(&value))
    }

    /// One solution of a conjunction, true or undefined.
    fn solution(&mut self, body: Body) -> Result<Option<FxHashMap<Name, Term>>, Stopped> {
        let three_valued = self.three_valued;
        self.solution_of(body.iter().map(|literal| three_valued.possible(literal)).collect())
    }

    /// One solution of a conjunction as the engine reads it.
    fn solution_of(&mut self, body: Body) -> Result<Option<FxHashMap<Name, Term>>, Stopped> {
        self.budget.check()?;
        let variables = body.bound();
        let goal = Goal { body, variables, span: Span::NONE };
        let answers = self.engine.solve(&goal, true, self.budget);
        match (answers.rows.into_iter().next(), answers.stopped) {
            (Some(row), _) => Ok(Some(goal.variables.into_iter().zip(row).collect())),
            (None, Some(stopped)) => Err(stopped),
            (None, None) => Ok(None),
        }
    }
}

/// The denied atoms so far.
#[derive(Default)]
struct Denials {
    list: Vec<Denial>,
    /// The index of each atom, its variables numbered in order of occurrence.
    index: FxHashMap<Atom, usize>,
    /// The atoms whose reason is to be sought, with their levels.
    queue: VecDeque<(usize, usize)>,
}

impl Denials {
    /// The index of an atom that is denied at this level.
    fn add(&mut self, atom: &Atom, level: usize) -> usize {
        *self.index.entry(numbered(atom)).or_insert_with(|| {
            self.list.push(Denial { atom: atom.clone(), reason: Reason::NotSought });
            self.queue.push_back((self.list.len() - 1, level));
            self.list.len() - 1
        })
    }
}

/// The literals to ask before all conditions of a rule under a unifier, and those for each condition.
///
/// Constants and variables replace the variables that they unify with. A compound does not: within a comparison it
/// would compute, which the value of a variable does not, and it may have variables that the condition needs bound.
/// Instead, the variable is matched with it (`member(f(Z), [V])`), beforehand if possible, else as soon as the variable
/// is bound.
fn conditions(clause: &Clause, unifier: &Unifier) -> Result<(Vec<Literal>, Vec<Vec<Literal>>), Stopped> {
    let mut values: FxHashMap<&Name, Term> = FxHashMap::default();
    for name in variables_of(clause) {
        values.insert(name, unifier.resolve(&Term::Variable(name.clone()))?);
    }
    let mut bound: FxHashSet<Name> = FxHashSet::default();
    let mut before = Vec::new();
    let mut conditions = Vec::new();
    for literal in &clause.body {
        let mut after = Vec::new();
        for name in bound_by(std::slice::from_ref(literal)) {
            if !bound.insert(name.clone()) {
                continue;
            }
            let Some(value @ Term::Compound(..)) = values.get(&name) else { continue };
            let variable = Term::Variable(name.clone());
            if value.is_ground() && !matches!(literal, Literal::Compare(_)) {
                before.push(matches(variable, value.clone()))
            } else {
                after.push(matches(value.clone(), variable))
            }
        }
        let mut condition = vec![map_literal(literal, &mut |term| {
            Ok(term.replace_variables(&mut |name| values.get(name).filter(|value| !is_compound(value)).cloned()))
        })?];
        condition.append(&mut after);
        conditions.push(condition);
    }
    Ok((before, conditions))
}

fn is_compound(term: &Term) -> bool {
    matches!(term, Term::Compound(..))
}

/// The condition that a pattern matches a term, which is bound.
pub(crate) fn matches(pattern: Term, term: Term) -> Literal {
    let list = Term::compound("cons", vec![term, Term::symbol("nil")]);
    Literal::Member { element: pattern, elements: Elements::List(list), negated: false, span: Span::NONE }
}

/// Whether a set, by its bits, is a part of another one.
fn is_subset(set: &Term, of: &Term) -> bool {
    matches!((set, of), (Term::Integer(set), Term::Integer(of)) if set != of && set & of == *set)
}

/// The variables of a rule, in the order in which they are written.
fn variables_of(clause: &Clause) -> IndexSet<&Name> {
    let mut variables = IndexSet::new();
    clause.head.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| _ = variables.insert(name)));
    for literal in &clause.body {
        literal.for_each_variable(&mut |name| _ = variables.insert(name));
    }
    variables
}

/// One solution of conditions, together with the unifier under which it was found.
struct Example {
    values: FxHashMap<Name, Term>,
    unifier: Unifier,
}

impl Example {
    fn term(&self, term: &Term) -> Result<Term, Stopped> {
        let term = self.unifier.resolve(&term.replace_variables(&mut |name| self.values.get(name).cloned()))?;
        Ok(term.replace_variables(&mut |name| self.values.get(name).cloned()))
    }

    fn literal(&self, literal: &Literal) -> Result<Literal, Stopped> {
        map_literal(literal, &mut |term| self.term(term))
    }

    /// The values of a rule's variables, as far as they have one, without those that nobody named.
    fn bindings(&self, clause: &Clause) -> Result<Vec<(Name, Term)>, Stopped> {
        let mut bindings = Vec::new();
        for name in variables_of(clause).into_iter().filter(|name| !name.starts_with('_')) {
            let value = self.term(&Term::Variable(name.clone()))?;
            if !matches!(value, Term::Variable(_)) {
                bindings.push((name.clone(), value));
            }
        }
        Ok(bindings)
    }
}

/// The number of constants, variables and functors of an atom.
fn symbols(atom: &Atom) -> usize {
    fn of(term: &Term) -> usize {
        match term {
            Term::Compound(_, args) => 1 + args.iter().map(of).sum::<usize>(),
            _ => 1,
        }
    }
    atom.args.iter().map(of).sum()
}

/// The atom with its variables numbered in order of occurrence: the same for atoms that differ in names only.
fn numbered(atom: &Atom) -> Atom {
    let mut names: FxHashMap<Name, usize> = FxHashMap::default();
    let mut number = |name: &Name| {
        let next = names.len();
        Some(Term::variable(&names.entry(name.clone()).or_insert(next).to_string()))
    };
    Atom { args: atom.args.iter().map(|arg| arg.replace_variables(&mut number)).collect(), ..atom.clone() }
}

/// The literal with each of its terms replaced.
fn map_literal(literal: &Literal, map: &mut impl FnMut(&Term) -> Result<Term, Stopped>) -> Result<Literal, Stopped> {
    let mut atom = |atom: &Atom| -> Result<Atom, Stopped> {
        Ok(Atom { args: atom.args.iter().map(&mut *map).collect::<Result<_, _>>()?, ..atom.clone() })
    };
    Ok(match literal {
        Literal::Positive(positive) => Literal::Positive(atom(positive)?),
        Literal::Negative(negative) => Literal::Negative(atom(negative)?),
        Literal::Compare(comparison) => Literal::Compare(map_comparison(comparison, map)?),
        Literal::NotCompare(comparison) => Literal::NotCompare(map_comparison(comparison, map)?),
        Literal::Aggregate(aggregation) => {
            let result = map(&aggregation.result)?;
            let mut aggregation = Aggregation { result, ..aggregation.clone() };
            for arg in aggregation.atom.args[..aggregation.bound].iter_mut().chain(&mut aggregation.parameters) {
                *arg = map(arg)?;
            }
            Literal::Aggregate(aggregation)
        }
        Literal::Member { element, elements, negated, span } => Literal::Member {
            element: map(element)?,
            elements: elements.map(&mut *map)?,
            negated: *negated,
            span: *span,
        },
    })
}

fn map_comparison(
    comparison: &Comparison,
    map: &mut impl FnMut(&Term) -> Result<Term, Stopped>,
) -> Result<Comparison, Stopped> {
    Ok(Comparison { left: map(&comparison.left)?, right: map(&comparison.right)?, ..comparison.clone() })
}
