//! Why a fact is undefined: the cycle through negation that it depends on.
//!
//! An undefined fact has a rule instance without a false literal, and with an undefined one. Following undefined literals leads to
//! a cycle with a negation in the end: without one, what they lead to would be stratified, and so decided. The search goes breadth
//! first, one query for each rule of each fact, and prefers short ways.

use crate::contract::Engine;
use crate::refutation::matches;
use indexmap::IndexSet;
use ludolog_logic::analysis::body::Body;
use ludolog_logic::analysis::clause::{Clause, Goal, Literal};
use ludolog_logic::analysis::well_founded::ThreeValued;
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::Span;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Most facts that are looked at.
const MOST_FACTS: usize = 2000;

/// Undefined facts that depend on each other.
#[derive(Clone, Debug, PartialEq)]
pub struct UndefinedCycle {
    /// The asked fact first; each needs the next one, or its negation.
    pub steps: Vec<UndefinedStep>,
    /// The number of the step whose fact the last one needs: a negation stands between them.
    pub back_to: usize,
}

/// One undefined fact, and one reason why it is.
#[derive(Clone, Debug, PartialEq)]
pub struct UndefinedStep {
    /// The fact.
    pub atom: Atom,
    /// A rule as written, one of whose instances for the fact has no false literal.
    pub clause: Clause,
    /// An undefined literal of that instance.
    pub needs: Literal,
}

/// The program and the engine of a search.
pub(crate) struct CycleSearch<'a> {
    /// The engine, with all facts derived.
    pub engine: &'a mut dyn Engine,
    /// The predicates that the engine derives three-valued.
    pub three_valued: &'a ThreeValued,
    /// The rules as written, by head.
    pub rules: FxHashMap<Predicate, Vec<&'a Clause>>,
    pub budget: &'a Budget,
}

/// That a fact needs another: their numbers, and how.
struct Need {
    from: usize,
    to: usize,
    step: UndefinedStep,
}

impl CycleSearch<'_> {
    /// The shortest way found from an undefined instance of an atom into a cycle; `None` if it has no such instance, or if the cycle is
    /// further away than is looked.
    pub fn cycle(&mut self, atom: &Atom) -> Result<Option<UndefinedCycle>, Stopped> {
        let Some(start) = self.undefined(atom)?.into_iter().next() else { return Ok(None) };
        let mut facts: IndexSet<Atom> = IndexSet::from([start]);
        let mut needs: Vec<Need> = Vec::new();
        let mut next = 0;
        while next < facts.len() && facts.len() < MOST_FACTS {
            for step in self.steps(&facts[next].clone())? {
                let Some(atom) = step.needs.atom() else { continue };
                let (to, _) = facts.insert_full(atom.clone());
                needs.push(Need { from: next, to, step });
            }
            next += 1;
        }
        Ok(shortest(facts.len(), &needs))
    }

    /// The undefined literals of the rule instances for a fact that have no false literal.
    fn steps(&mut self, fact: &Atom) -> Result<Vec<UndefinedStep>, Stopped> {
        let mut steps = Vec::new();
        for clause in self.rules.get(&fact.signature()).cloned().unwrap_or_default() {
            // The arguments are bound by what they equal.
            let equal = |(left, right): (&Term, &Term)| {
                let comparison = Comparison {
                    comparator: Comparator::Equal,
                    left: left.clone(),
                    right: right.clone(),
                    span: Span::NONE,
                };
                match left {
                    Term::Variable(_) => Literal::Compare(comparison),
                    _ => matches(left.clone(), right.clone()),
                }
            };
            let head = clause.head.args.iter().zip(&fact.args).map(equal);
            let body = clause.body.iter().map(|literal| self.three_valued.possible(literal));
            let body: Body = head.chain(body).collect();
            for values in self.solutions(body)? {
                for literal in clause.body.iter().filter(|literal| self.three_valued.may_be_undefined(literal)) {
                    let Some(atom) = literal.atom() else { continue };
                    let args = atom.args.iter().map(|arg| arg.replace_variables(&mut |name| values.get(name).cloned()));
                    let atom = Atom { args: args.collect(), ..atom.clone() };
                    for atom in self.undefined(&atom)? {
                        let needs = match literal {
                            Literal::Negative(_) => Literal::Negative(atom),
                            _ => Literal::Positive(atom),
                        };
                        steps.push(UndefinedStep { atom: fact.clone(), clause: clause.clone(), needs });
                    }
                }
            }
        }
        Ok(steps)
    }

    /// The undefined instances of an atom.
    fn undefined(&mut self, atom: &Atom) -> Result<Vec<Atom>, Stopped> {
        let mut found = Vec::new();
        let literal = Literal::Positive(atom.clone());
        for values in self.solutions([self.three_valued.possible(&literal)].into_iter().collect())? {
            let args = atom.args.iter().map(|arg| arg.replace_variables(&mut |name| values.get(name).cloned()));
            let instance = Atom { args: args.collect(), ..atom.clone() };
            if self.solutions([Literal::Positive(instance.clone())].into_iter().collect())?.is_empty() {
                found.push(instance);
            }
        }
        Ok(found)
    }

    fn solutions(&mut self, body: Body) -> Result<Vec<FxHashMap<Name, Term>>, Stopped> {
        self.budget.check()?;
        let goal = Goal { variables: body.bound(), body, span: Span::NONE };
        let answers = self.engine.solve(&goal, false, self.budget);
        match answers.stopped {
            Some(stopped) => Err(stopped),
            None => Ok(answers.rows.into_iter().map(|row| goal.variables.iter().cloned().zip(row).collect()).collect()),
        }
    }
}

/// The shortest way from the first fact into a cycle with a negation.
fn shortest(facts: usize, needs: &[Need]) -> Option<UndefinedCycle> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    (0..facts).for_each(|_| _ = graph.add_node(()));
    needs.iter().for_each(|need| _ = graph.add_edge((need.from as u32).into(), (need.to as u32).into(), ()));
    let mut component = vec![0; facts];
    for (number, nodes) in kosaraju_scc(&graph).into_iter().enumerate() {
        nodes.into_iter().for_each(|node| component[node.index()] = number);
    }
    let closes =
        |need: &&Need| matches!(need.step.needs, Literal::Negative(_)) && component[need.from] == component[need.to];
    let ways = needs.iter().filter(closes).filter_map(|need| {
        let (to, back) = (way(facts, needs, 0, need.from)?, way(facts, needs, need.to, need.from)?);
        let steps = to.iter().chain([&need]).chain(&back).map(|need| need.step.clone()).collect();
        Some(UndefinedCycle { steps, back_to: to.len() })
    });
    ways.take(MOST_WAYS).min_by_key(|cycle| cycle.steps.len())
}

/// Most negations through which a cycle is sought.
const MOST_WAYS: usize = 50;

/// The shortest way between two facts.
fn way(facts: usize, needs: &[Need], from: usize, to: usize) -> Option<Vec<&Need>> {
    let mut outgoing: Vec<Vec<&Need>> = vec![Vec::new(); facts];
    needs.iter().for_each(|need| outgoing[need.from].push(need));
    let mut reached: Vec<Option<&Need>> = vec![None; facts];
    let mut queue = VecDeque::from([from]);
    while let Some(fact) = queue.pop_front().filter(|&fact| fact != to) {
        for &need in &outgoing[fact] {
            if need.to != from && reached[need.to].is_none() {
                reached[need.to] = Some(need);
                queue.push_back(need.to);
            }
        }
    }
    let mut way = Vec::new();
    let mut fact = to;
    while fact != from {
        let need = reached[fact]?;
        way.push(need);
        fact = need.from;
    }
    way.reverse();
    Some(way)
}
