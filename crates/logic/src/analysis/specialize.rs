//! Splitting predicates by constant arguments, so that what is stratified by ground atom becomes so by predicate.
//!
//! In `goal(robot, 100) :- ~goal(robot, 0).` the predicate depends on its own negation, the ground atoms do not. Split
//! by the constants at its second argument, `goal` becomes `goal@_,100`, `goal@_,0`, … and `goal@_,*` for all other
//! values:
//!
//! ```text
//! goal@_,100(robot, 100) :- ~goal@_,0(robot, 0).
//! goal(X1, X2) :- goal@_,100(X1, X2).
//! ```
//!
//! A variable at a split position is expanded over the constants and "all others" (`X != 100 & X != 0`), which covers
//! all its values, so every choice of positions keeps the meaning. Rules that need a part without rules are dropped.
//! Single positions are tried first, then pairs, then all at once, with the constants of the rules before those of the facts; the first choice
//! that stratifies is taken. So it is with aggregates, as of rounds: `rank(2, X, S) :- page(X) & S = sum { V, Y : rank(1, Y, V) & link(Y, X) }`, whose tuples read the part of round 1 alone.

use super::clause::{CheckedProgram, Clause, Literal, StratifiedProgram};
use super::formula::fresh_variable;
use super::graph::DependencyGraph;
use crate::optimize::binding::terms_mut;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{ArgumentClass, Atom, Comparator, Comparison, Name, Predicate, PredicateName, Purpose, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Most clauses that a component may become.
const MAX_CLAUSES: usize = 20_000;
/// Most positions of which pairs are tried.
const MAX_PAIRED: usize = 12;

/// An argument position of a predicate.
type ArgumentPosition = (Predicate, usize);

/// The constants at argument positions.
type ConstantsByPosition = FxHashMap<ArgumentPosition, FxHashSet<Term>>;

/// A component that is not stratified as it is; transitions change none of its predicates.
pub(super) struct SplitComponent<'a> {
    /// The predicates.
    pub component: &'a FxHashSet<Predicate>,
    /// Their facts, in source order.
    pub facts: Vec<&'a Atom>,
    /// Their rules, in source order.
    pub rules: Vec<&'a Clause>,
}

/// The rules and facts of the component with its predicates split, if some choice of positions stratifies it.
pub(super) fn specialize(part: &SplitComponent, budget: &Budget) -> Result<Option<CheckedProgram>, Stopped> {
    let tuples = tuples(part);
    let rules = constants(part, &tuples, &[]);
    let mut tried: FxHashSet<(Vec<ArgumentPosition>, Vec<Term>)> = FxHashSet::default();
    // Facts have many constants, and most tell no parts apart.
    for constants in [rules, constants(part, &tuples, &part.facts)] {
        for choice in choices(&constants) {
            let told: FxHashSet<Term> =
                choice.iter().flat_map(|position| constants[position].iter().cloned()).collect();
            let mut told: Vec<Term> = told.into_iter().collect();
            told.cold_sort();
            if !tried.insert((choice.clone(), told.clone())) {
                continue;
            }
            let positions = choice.into_iter().collect();
            let split = ComponentSplit { component: part.component, tuples: &tuples, positions, constants: told };
            if let Some(split) = split.apply(part, budget)? {
                return Ok(Some(split));
            }
        }
    }
    Ok(None)
}

/// The choices of positions to split at, in the order in which they are tried.
fn choices(constants: &ConstantsByPosition) -> Vec<Vec<ArgumentPosition>> {
    let mut positions: Vec<ArgumentPosition> = constants.keys().cloned().collect();
    positions.cold_sort();
    let mut choices: Vec<Vec<ArgumentPosition>> = positions.iter().map(|position| vec![position.clone()]).collect();
    let paired = if positions.len() <= MAX_PAIRED { positions.len() } else { 0 };
    for i in 0..paired {
        choices.extend((0..i).map(|j| vec![positions[j].clone(), positions[i].clone()]));
    }
    choices.push(positions);
    choices
}

/// The predicates of the tuples of aggregates. An aggregate is over all of them at once, so that they are not split.
fn tuples(part: &SplitComponent) -> FxHashSet<Predicate> {
    let tuples = part.rules.iter().flat_map(|rule| rule.body.iter()).filter_map(|literal| match literal {
        Literal::Aggregate(aggregation) => Some(aggregation.atom.signature()),
        _ => None,
    });
    tuples.filter(|tuples| part.component.contains(tuples)).collect()
}

/// The constants at each argument position of the predicates that are split, in the rules of the component and in these facts.
fn constants(part: &SplitComponent, tuples: &FxHashSet<Predicate>, facts: &[&Atom]) -> ConstantsByPosition {
    let mut constants = ConstantsByPosition::default();
    let mut add = |atom: &Atom| {
        let predicate = atom.signature();
        if part.component.contains(&predicate) && !tuples.contains(&predicate) {
            for (i, arg) in atom.args.iter().enumerate().filter(|(_, arg)| is_constant(arg)) {
                constants.entry((predicate.clone(), i)).or_default().insert(arg.clone());
            }
        }
    };
    facts.iter().copied().for_each(&mut add);
    for rule in &part.rules {
        add(&rule.head);
        for literal in &rule.body {
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                add(atom);
            }
        }
    }
    constants
}

fn is_constant(term: &Term) -> bool {
    matches!(term, Term::Symbol(_) | Term::Integer(_) | Term::Float(_))
}

/// One way to split a component.
struct ComponentSplit<'a> {
    component: &'a FxHashSet<Predicate>,
    /// Those of its predicates that are not split.
    tuples: &'a FxHashSet<Predicate>,
    positions: FxHashSet<ArgumentPosition>,
    /// All constants that are told apart, at every split position.
    constants: Vec<Term>,
}

/// The constant that each variable at a split position stands for, or none of them.
type SplitCase = FxHashMap<Name, Option<Term>>;

impl ComponentSplit<'_> {
    /// The component split, unless that is too large or does not stratify it.
    fn apply(&self, whole: &SplitComponent, budget: &Budget) -> Result<Option<CheckedProgram>, Stopped> {
        let mut facts = Vec::new();
        let mut rules: Vec<Clause> = Vec::new();
        // Each part with the predicate that it is part of.
        let mut parts = BTreeSet::new();
        for rule in &whole.rules {
            budget.check()?;
            let variables = self.split_variables(rule);
            let ways = variables.iter().fold(1usize, |n, _| n.saturating_mul(self.constants.len() + 1));
            if ways.saturating_add(rules.len()) > MAX_CLAUSES {
                return Ok(None);
            }
            for case in self.cases(&variables) {
                let split = self.split_rule(rule, &case);
                parts.insert((split.head.signature(), rule.head.signature()));
                rules.push(split);
            }
        }
        for fact in &whole.facts {
            facts.push(self.rename(fact, &SplitCase::default()));
            parts.extend(facts.last().map(|part| (part.signature(), fact.signature())));
        }
        let mut part = CheckedProgram { facts, rules, ..CheckedProgram::default() };
        prune(&mut part);
        let graph = DependencyGraph::new(&part);
        if !graph.components().iter().all(|component| component.is_stratified(&graph)) {
            return Ok(None);
        }
        let defined = part.defined();
        parts.retain(|(part, predicate)| part != predicate);
        let mut bridged: FxHashSet<Predicate> = FxHashSet::default();
        bridged.extend(parts.iter().filter(|(part, _)| defined.contains(part)).map(|(_, predicate)| predicate.clone()));
        // A predicate without facts stays known by the rule from one of its parts.
        parts.retain(|(part, predicate)| defined.contains(part) || bridged.insert(predicate.clone()));
        let mut places: FxHashMap<Predicate, Span> = FxHashMap::default();
        for rule in &whole.rules {
            places.entry(rule.head.signature()).or_insert(rule.span);
        }
        part.rules.extend(parts.iter().map(|(part, predicate)| {
            let span = places.get(predicate).copied().unwrap_or(Span::NONE);
            bridge(part, predicate, span)
        }));
        Ok(Some(part))
    }

    /// The variables at split positions, without those local to a negative literal.
    fn split_variables(&self, rule: &Clause) -> Vec<Name> {
        let mut variables = Vec::new();
        let mut add = |atom: &Atom, bound: &dyn Fn(&Name) -> bool| {
            for (i, arg) in atom.args.iter().enumerate() {
                if let Term::Variable(name) = arg
                    && self.positions.contains(&(atom.signature(), i))
                    && bound(name)
                    && !variables.contains(name)
                {
                    variables.push(name.clone());
                }
            }
        };
        let bound: FxHashSet<Name> = rule.body.bound().into_iter().collect();
        add(&rule.head, &|_| true);
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) => add(atom, &|_| true),
                Literal::Negative(atom) => add(atom, &|name| bound.contains(name)),
                Literal::Compare(_) | Literal::NotCompare(_) | Literal::Member { .. } | Literal::Aggregate(_) => {}
            }
        }
        variables
    }

    /// Every way to choose a constant or "none of them" for each variable.
    fn cases(&self, variables: &[Name]) -> Vec<SplitCase> {
        let mut cases = vec![SplitCase::default()];
        for name in variables {
            let choices: Vec<Option<Term>> = self.constants.iter().cloned().map(Some).chain([None]).collect();
            let longer = cases.iter().flat_map(|case| {
                choices.iter().map(move |choice| {
                    let mut case = case.clone();
                    case.insert(name.clone(), choice.clone());
                    case
                })
            });
            cases = longer.collect();
        }
        cases
    }

    fn split_rule(&self, rule: &Clause, case: &SplitCase) -> Clause {
        let value = |term: &Term| substitute(term, case);
        let compared = |comparison: &Comparison| Comparison {
            left: value(&comparison.left),
            right: value(&comparison.right),
            ..comparison.clone()
        };
        let mut body = Vec::new();
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) => body.push(Literal::Positive(self.rename(atom, case))),
                Literal::Negative(atom) => self.split_negative(atom, case, rule, &mut body),
                Literal::Compare(comparison) => body.push(Literal::Compare(compared(comparison))),
                Literal::NotCompare(comparison) => body.push(Literal::NotCompare(compared(comparison))),
                Literal::Member { .. } | Literal::Aggregate(_) => {
                    let mut literal = literal.clone();
                    terms_mut(&mut literal).for_each(|term| *term = value(term));
                    body.push(literal);
                }
            }
        }
        let mut others: Vec<&Name> = case.iter().filter(|(_, choice)| choice.is_none()).map(|(name, _)| name).collect();
        others.cold_sort();
        for name in others {
            body.extend(self.constants.iter().map(|constant| {
                Literal::Compare(Comparison {
                    comparator: Comparator::NotEqual,
                    left: Term::Variable(name.clone()),
                    right: constant.clone(),
                    span: Span::NONE,
                })
            }));
        }
        Clause { head: self.rename(&rule.head, case), body: body.into(), span: rule.span }
    }

    /// "No such": with a local variable at a split position, none in any of the parts.
    fn split_negative(&self, atom: &Atom, case: &SplitCase, rule: &Clause, body: &mut Vec<Literal>) {
        let predicate = atom.signature();
        let mut locals = Vec::new();
        for (i, arg) in atom.args.iter().enumerate() {
            if let Term::Variable(name) = arg
                && self.positions.contains(&(predicate.clone(), i))
                && !case.contains_key(name)
            {
                locals.push(name.clone());
            }
        }
        let copies = self.cases(&locals);
        let bound: FxHashSet<Name> = rule.body.bound().into_iter().collect();
        for local_case in &copies {
            let both: SplitCase =
                case.iter().chain(local_case).map(|(name, choice)| (name.clone(), choice.clone())).collect();
            let mut part = self.rename(atom, &both);
            // A variable that is local to one negation stands in no other.
            let apart = |name: &Name| {
                let renamed = || fresh_variable(format!("{name}@{}", body.len()), |name| stands_in(rule, name));
                (copies.len() > 1 && !bound.contains(name)).then(renamed)
            };
            part.args.iter_mut().for_each(|arg| *arg = arg.replace_variables(&mut |name| apart(name)));
            body.push(Literal::Negative(part));
        }
    }

    /// The atom under a case, its predicate replaced by the part that the atom belongs to.
    fn rename(&self, atom: &Atom, case: &SplitCase) -> Atom {
        let args: Vec<Term> = atom.args.iter().map(|arg| substitute(arg, case)).collect();
        let predicate = atom.signature();
        if !self.component.contains(&predicate) || self.tuples.contains(&predicate) {
            return Atom { args, ..atom.clone() };
        }
        let class = |(i, arg): (usize, &Term)| {
            if !self.positions.contains(&(predicate.clone(), i)) {
                ArgumentClass::Any
            } else if self.constants.contains(arg) {
                ArgumentClass::Constant(arg.clone())
            } else {
                ArgumentClass::Other
            }
        };
        let classes = args.iter().enumerate().map(class).collect();
        Atom { predicate: Purpose::Class { of: predicate.name, classes }.into(), args, span: atom.span }
    }
}

/// The predicates that were split, and their parts: those that a rule leads from back to the predicate.
pub fn split_predicates(program: &CheckedProgram) -> FxHashSet<Predicate> {
    let mut split = FxHashSet::default();
    for rule in &program.rules {
        if let Some(part) = bridged(rule) {
            split.extend([rule.head.signature(), part.signature()]);
        }
    }
    split
}

/// The part of a split predicate that a rule leads from back to the predicate; `None` of any other rule.
fn bridged(rule: &Clause) -> Option<&Atom> {
    let [Literal::Positive(part)] = &rule.body[..] else { return None };
    (split_of(&part.predicate) == Some(&rule.head.predicate) && part.args == rule.head.args).then_some(part)
}

/// The predicate that a part is one of; `None` if the name is of no part.
pub fn split_of(part: &PredicateName) -> Option<&PredicateName> {
    match part.purpose() {
        Some(Purpose::Class { of, .. }) => Some(of),
        _ => None,
    }
}

impl StratifiedProgram {
    /// The rules by the predicate of their head; of split predicates, those that they were split from.
    pub fn rules_as_written(&self) -> FxHashMap<Predicate, Vec<&Clause>> {
        let mut by_head: FxHashMap<Predicate, Vec<&Clause>> = FxHashMap::default();
        for rule in self.program.rules.iter().filter(|rule| !is_made(rule)).chain(&self.split) {
            by_head.entry(rule.head.signature()).or_default().push(rule);
        }
        by_head
    }
}

/// The program as it was before its predicates were split.
pub(super) fn unsplit(stratified: &StratifiedProgram) -> CheckedProgram {
    let mut program = stratified.program.clone();
    program.rules.retain(|rule| !is_made(rule));
    program.rules.extend(stratified.split.iter().cloned());
    for fact in &mut program.facts {
        if let Some(of) = split_of(&fact.predicate) {
            fact.predicate = of.clone();
        }
    }
    program
}

/// Whether a rule is of a part, or leads from one back to its predicate.
fn is_made(rule: &Clause) -> bool {
    split_of(&rule.head.predicate).is_some() || bridged(rule).is_some()
}

/// Whether a variable occurs in a rule.
fn stands_in(rule: &Clause, variable: &str) -> bool {
    let mut found = false;
    let mut visit = |name: &Name| found |= **name == *variable;
    rule.head.args.iter().for_each(|arg| arg.for_each_variable(&mut visit));
    rule.body.iter().for_each(|literal| literal.for_each_variable(&mut visit));
    found
}

/// From a part back to the whole predicate.
fn bridge(part: &Predicate, predicate: &Predicate, span: Span) -> Clause {
    let args: Vec<Term> = (1..=predicate.arity).map(|i| Term::variable(&format!("x{i}"))).collect();
    let atom = |predicate: &Predicate| Atom { predicate: predicate.name.clone(), args: args.clone(), span };
    Clause { head: atom(predicate), body: vec![Literal::Positive(atom(part))].into(), span }
}

fn substitute(term: &Term, case: &SplitCase) -> Term {
    match term {
        Term::Variable(name) => case.get(name).cloned().flatten().unwrap_or_else(|| term.clone()),
        Term::Compound(functor, args) => {
            Term::Compound(functor.clone(), args.iter().map(|arg| substitute(arg, case)).collect())
        }
        Term::Symbol(_) | Term::Integer(_) | Term::Float(_) => term.clone(),
    }
}

/// Drops rules that need, and negations that deny, a part without rules and facts, until there is none.
fn prune(part: &mut CheckedProgram) {
    loop {
        let defined = part.defined();
        let empty = |atom: &Atom| split_of(&atom.predicate).is_some() && !defined.contains(&atom.signature());
        let before = part.rules.len();
        part.rules.retain(|rule| !rule.body.iter().any(|literal| matches!(literal, Literal::Positive(a) if empty(a))));
        for rule in &mut part.rules {
            rule.body.retain(|literal| !matches!(literal, Literal::Negative(a) if empty(a)));
        }
        if part.rules.len() == before {
            return;
        }
    }
}
