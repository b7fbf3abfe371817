//! Rules that choose, by definition: candidates are solutions of the other conditions, and one is chosen if no two that are
//! chosen have different values for the same keys.
//!
//! Rules choose when nothing else follows any more, and only if none that they depend on can still choose.

use super::{FactSet, Oracle, Scope, Substitution, instance, needed_by};
use ludolog::syntax::ast::{Atom, Formula, Name, Predicate, Rule, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a rule has a choice among its conditions.
pub fn chooses(rule: &Rule) -> bool {
    rule.body.iter().any(|condition| as_choice(condition).is_some())
}

fn as_choice(condition: &Formula) -> Option<&Atom> {
    match condition {
        Formula::Atom(atom) if atom.as_choice().is_some() => Some(atom),
        _ => None,
    }
}

/// A rule that chooses.
pub struct ChoosingRule {
    head: Atom,
    choices: Vec<Atom>,
    /// The other conditions.
    conditions: Vec<Formula>,
    scope: Scope,
    /// The variables of a candidate, in the order by which candidates are compared.
    variables: Vec<Name>,
    /// All that the head depends on.
    needed: BTreeSet<Predicate>,
}

impl ChoosingRule {
    /// One of all rules of a program.
    pub fn new(rule: Rule, all: &[Rule]) -> Self {
        let scope = Scope::new(&[&rule.head], &rule.body);
        let needed = needed_by(&rule.head.signature(), all);
        let choices: Vec<Atom> = rule.body.iter().filter_map(as_choice).cloned().collect();
        let mut variables: Vec<Name> = Vec::new();
        for term in choices.iter().flat_map(|choice| &choice.args).chain(&rule.head.args) {
            term.for_each_variable(&mut |name| {
                if !variables.contains(name) {
                    variables.push(name.clone());
                }
            });
        }
        let conditions = rule.body.iter().filter(|condition| as_choice(condition).is_none()).cloned().collect();
        ChoosingRule { head: rule.head, choices, conditions, scope, variables, needed }
    }

    /// Whether another rule's choices have a part in the candidates of this one, and not the other way round.
    fn waits_for(&self, other: &ChoosingRule) -> bool {
        self.needed.contains(&other.head.signature()) && !other.needed.contains(&self.head.signature())
    }

    /// Whether two candidates can both be chosen.
    fn agree(&self, a: &[Term], b: &[Term]) -> bool {
        let value = |row: &[Term], term: &Term| match term {
            Term::Variable(name) => self.variables.iter().position(|other| other == name).map(|at| row[at].clone()),
            _ => None,
        };
        let equal = |terms: &[Term]| terms.iter().all(|term| value(a, term) == value(b, term));
        self.choices.iter().filter_map(Atom::as_choice).all(|(keys, values)| !equal(keys) || equal(values))
    }
}

/// The candidates that were chosen, by the number of the rule.
pub type Chosen = BTreeMap<usize, BTreeSet<Vec<Term>>>;

impl Oracle {
    /// Lets rules choose once; whether one has.
    pub(super) fn choose(&self, chosen: &mut Chosen, model: &mut FactSet, denied: &FactSet) -> bool {
        let open: Vec<(usize, Vec<Vec<Term>>)> = (0..self.choosing.len())
            .map(|number| (number, self.candidates(number, chosen, model, denied)))
            .filter(|(_, candidates)| !candidates.is_empty())
            .collect();
        let rule = |number: usize| &self.choosing[number];
        let waits = |number: usize| open.iter().any(|(other, _)| rule(number).waits_for(rule(*other)));
        for (number, candidates) in open.iter().filter(|(number, _)| !waits(*number)) {
            for candidate in candidates {
                let known = chosen.entry(*number).or_default();
                if known.iter().all(|other| rule(*number).agree(candidate, other)) {
                    known.insert(candidate.clone());
                    let names = rule(*number).variables.iter().cloned();
                    let binding: Substitution = names.zip(candidate.iter().cloned()).collect();
                    let fact = instance(&rule(*number).head, &binding);
                    self.derive_into(model, denied, &fact.signature(), fact.args);
                }
            }
        }
        !open.is_empty()
    }

    /// The candidates of a rule that could be chosen besides those that are, in order.
    fn candidates(&self, number: usize, chosen: &Chosen, model: &FactSet, denied: &FactSet) -> Vec<Vec<Term>> {
        let rule = &self.choosing[number];
        let known = chosen.get(&number);
        let candidate =
            |solution: &Substitution| rule.variables.iter().map(|name| solution[name].clone()).collect::<Vec<Term>>();
        let solutions = self.solve(&rule.scope, &rule.conditions, model, denied);
        let all: BTreeSet<Vec<Term>> = solutions.iter().map(candidate).collect();
        let is_open = |candidate: &Vec<Term>| {
            known.is_none_or(|known| {
                !known.contains(candidate) && known.iter().all(|other| rule.agree(candidate, other))
            })
        };
        all.into_iter().filter(is_open).collect()
    }
}
