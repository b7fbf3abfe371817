//! Programs that analysis has lowered, as texts: each literal says what it means in the language.

use super::{Oracle, Scope, insert};
use ludolog::analysis::clause::{Elements, Goal, Literal, StratifiedProgram};
use ludolog::engine::{Answers, Budget, Engine, Refused, Retract, Stopped, Work};
use ludolog::syntax::ast::{Aggregate, Atom, Formula, Predicate, Range, Rule, Term, Transition};
use std::collections::BTreeSet;

impl Oracle {
    /// A lowered program.
    pub fn new(program: &StratifiedProgram) -> Self {
        let program = &program.program;
        let rule = |head: &Atom, body: &[Literal]| {
            let lattice = program.lattices.get(&head.signature()).cloned();
            let mut body = conditions(body);
            for dependency in program.choices.get(&head.signature()).iter().flat_map(|choice| &choice.dependencies) {
                let terms = |columns: &[usize]| columns.iter().map(|&column| head.args[column].clone()).collect();
                let choice = Atom::choice(terms(&dependency.keys), terms(&dependency.values), head.span);
                body.push(Formula::Atom(choice));
            }
            Rule { head: head.clone(), body, lattice }
        };
        let facts = program.facts.iter().map(|fact| rule(fact, &[]));
        let rules = program.rules.iter().map(|clause| rule(&clause.head, &clause.body));
        let transitions = program
            .transitions
            .iter()
            .map(|rule| Transition { conditions: conditions(&rule.conditions), effects: rule.effects.clone() });
        Self::of_rules(facts.chain(rules).collect(), transitions.collect())
    }
}

fn conditions(body: &[Literal]) -> Vec<Formula> {
    body.iter().map(condition).collect()
}

fn condition(literal: &Literal) -> Formula {
    let not = |condition| Formula::Not(Box::new(condition));
    match literal {
        Literal::Positive(atom) => Formula::Atom(atom.clone()),
        Literal::Negative(atom) => not(Formula::Atom(atom.clone())),
        Literal::Compare(comparison) => Formula::Compare(comparison.clone()),
        Literal::NotCompare(comparison) => not(Formula::Compare(comparison.clone())),
        Literal::Member { element, elements, negated, span } => {
            let element = element.clone();
            let span = *span;
            let condition = match elements {
                Elements::List(list) => Formula::Atom(Atom::new("member", vec![element, list.clone()])),
                Elements::Range(from, to) => {
                    Formula::Range(Range { element, from: from.clone(), to: to.clone(), span })
                }
            };
            if *negated { not(condition) } else { condition }
        }
        Literal::Aggregate(aggregation) => {
            let alternatives = aggregation.tests();
            let tests = alternatives.iter().map(|tests| Formula::And(conditions(tests))).collect();
            let tests = if alternatives.is_empty() { None } else { Some(Formula::Or(tests)) };
            Formula::Aggregate(Aggregate {
                result: aggregation.result.clone(),
                function: aggregation.function,
                template: aggregation.tuple().to_vec(),
                body: std::iter::once(Formula::Atom(aggregation.atom.clone())).chain(tests).collect(),
                span: aggregation.atom.span,
            })
        }
    }
}

impl Engine for Oracle {
    fn insert(&mut self, atom: &Atom) -> Result<bool, Refused> {
        if atom.is_ground() { Ok(insert(&mut self.given, atom)) } else { Err(Refused::NotGround(atom.clone())) }
    }

    fn update(&mut self, _budget: &Budget) -> Result<(), Stopped> {
        self.derive();
        Ok(())
    }

    fn solve(&mut self, goal: &Goal, first: bool, _budget: &Budget) -> Answers {
        let body = conditions(&goal.body);
        let solutions = Oracle::solve(self, &Scope::new(&[], &body), &body, &self.model, &self.model);
        let answers: BTreeSet<Vec<Term>> = solutions
            .iter()
            .map(|solution| goal.variables.iter().map(|name| solution[name].clone()).collect())
            .collect();
        let wanted = if first { 1 } else { usize::MAX };
        Answers { rows: answers.into_iter().take(wanted).collect(), stopped: None }
    }

    fn fire(&mut self, event: &Atom, _budget: &Budget) -> Result<(), Stopped> {
        let [deletions, additions] = self.effects(event);
        deletions.iter().for_each(|fact| _ = self.retract(fact));
        additions.iter().for_each(|fact| _ = insert(&mut self.given, fact));
        Ok(())
    }

    fn facts(&mut self, predicate: &Predicate, _budget: &Budget) -> Result<Vec<Atom>, Stopped> {
        let facts = self.model.get(predicate).into_iter().flatten();
        Ok(facts.map(|args| Atom::new(&predicate.name, args.clone())).collect())
    }

    fn predicates(&self) -> Vec<Predicate> {
        let heads = self.rules.iter().map(|(rule, _)| rule.head.signature());
        let given = self.given.iter().filter(|(_, facts)| !facts.is_empty()).map(|(predicate, _)| predicate.clone());
        let all: BTreeSet<Predicate> = heads.chain(given).collect();
        all.into_iter().filter(|predicate| !predicate.is_auxiliary()).collect()
    }

    fn work(&self) -> Work {
        Work::default()
    }

    fn as_retract(&mut self) -> Option<&mut dyn Retract> {
        Some(self)
    }
}

impl Retract for Oracle {
    fn retract(&mut self, atom: &Atom) -> Result<bool, Refused> {
        Ok(self.given.get_mut(&atom.signature()).is_some_and(|facts| facts.remove(&atom.args)))
    }

    fn replace(&mut self, predicate: &Predicate, facts: &[Atom]) -> Result<(), Refused> {
        self.given.remove(predicate);
        facts.iter().for_each(|fact| _ = insert(&mut self.given, fact));
        Ok(())
    }
}
