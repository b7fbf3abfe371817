//! Derivations in terms of the rules as written.
//!
//! Analysis splits some predicates by their constants, and the engine derives the parts:
//!
//! ```text
//! goal(R, 100) :- robot(R) & ~goal(R, 0).     goal@_,100(R, 100) :- robot(R) & ~goal@_,0(R, 0).
//!                                             goal(X1, X2) :- goal@_,100(X1, X2).
//! ```
//!
//! A step from a part to its predicate is left out. All others name the predicate, and have the conditions of the rule that was split: a
//! negation of a part that is empty is missing where the engine runs it, and comparisons that tell parts apart are there besides.

use crate::derivation::{Check, Derivation, Inference, Support};
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_logic::analysis::split_of;
use ludolog_logic::optimize::statistics::matches;
use ludolog_syntax::ast::{Atom, Name, Term};

/// A derivation with each part of a split predicate as the predicate, by the rules that were split.
pub fn as_written(derivation: Derivation, split: &[Clause]) -> Derivation {
    if split.is_empty() {
        return derivation;
    }
    let steps = derivation.inferences;
    let stands_for: Vec<usize> = (0..steps.len()).map(|at| bridged(&steps[at]).unwrap_or(at)).collect();
    let kept: Vec<usize> = (0..steps.len()).filter(|&at| stands_for[at] == at).collect();
    // Those that stand for others are in the list themselves.
    let number = |at: usize| kept.binary_search(&stands_for[at]).unwrap_or_default();
    let inferences = kept.iter().map(|&at| {
        let fact = whole(&steps[at].fact);
        let support = match &steps[at].support {
            Support::Given => Support::Given,
            Support::Unfounded { instances } => Support::Unfounded {
                instances: instances.iter().map(|(clause, against)| (clause.clone(), number(*against))).collect(),
            },
            Support::Rule { clause, premises, checks } => {
                let rule = split.iter().find(|rule| is_split(rule, clause));
                let step = RuleStep { fact: &steps[at].fact, clause, premises, checks };
                let (clause, premises, checks) = match rule {
                    Some(rule) => step.of_rule(rule, &steps),
                    None => (clause.clone(), premises.clone(), checks.clone()),
                };
                Support::Rule { clause, premises: premises.into_iter().map(number).collect(), checks }
            }
        };
        Inference { fact, support }
    });
    Derivation { inferences: inferences.collect() }
}

/// The premise of a step that leads from a part to its predicate.
fn bridged(step: &Inference) -> Option<usize> {
    let Support::Rule { clause, premises, .. } = &step.support else { return None };
    let [Literal::Positive(part)] = &clause.body[..] else { return None };
    premises.first().copied().filter(|_| split_of(&part.predicate) == Some(&clause.head.predicate))
}

/// The atom of the predicate in place of one of its parts.
fn whole(atom: &Atom) -> Atom {
    let predicate = split_of(&atom.predicate).unwrap_or(&atom.predicate);
    Atom { predicate: predicate.clone(), ..atom.clone() }
}

/// Whether a rule of a part is split from this rule: it has all conditions but for negations of empty parts.
fn is_split(rule: &Clause, of_part: &Clause) -> bool {
    let has = |literal: &Literal| of_part.body.iter().any(|other| other.span() == literal.span());
    split_of(&of_part.head.predicate) == Some(&rule.head.predicate)
        && rule.span == of_part.span
        && positive(rule).count() == positive(of_part).count()
        && rule.body.iter().all(|literal| matches!(literal, Literal::Negative(_)) || has(literal))
}

fn positive(clause: &Clause) -> impl Iterator<Item = &Atom> {
    clause.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    })
}

/// A step by the rule of a part.
struct RuleStep<'s> {
    fact: &'s Atom,
    clause: &'s Clause,
    premises: &'s [usize],
    checks: &'s [Check],
}

impl RuleStep<'_> {
    /// The same step by the rule that was split: that rule, the premises in its order, and its other conditions.
    fn of_rule(&self, rule: &Clause, steps: &[Inference]) -> (Clause, Vec<usize>, Vec<Check>) {
        let mut values: Vec<(&Name, &Term)> = Vec::new();
        bind(&rule.head.args, &self.fact.args, &mut values);
        let mut premises = Vec::new();
        for atom in positive(rule) {
            let place = positive(self.clause).position(|other| other.span == atom.span);
            let Some(&premise) = place.and_then(|place| self.premises.get(place)) else { continue };
            bind(&atom.args, &steps[premise].fact.args, &mut values);
            premises.push(premise);
        }
        // Behind them stand those of negations.
        premises.extend(self.premises.iter().skip(positive(self.clause).count()));
        for literal in &rule.body {
            if let (Literal::Compare(pattern), Some(Literal::Compare(value))) = (literal, self.checked(literal)) {
                bind([&pattern.left, &pattern.right], [&value.left, &value.right], &mut values);
            }
        }
        let checks = rule.body.iter().filter_map(|literal| self.check(literal, &values));
        (rule.clone(), premises, checks.collect())
    }

    /// The condition of the step that comes from a condition of the rule.
    fn checked(&self, literal: &Literal) -> Option<&Literal> {
        self.checks.iter().map(|check| &check.literal).find(|other| other.span() == literal.span())
    }

    /// The condition as a check; `None` if it is a premise.
    fn check(&self, literal: &Literal, values: &[(&Name, &Term)]) -> Option<Check> {
        let own = self.checks.iter().find(|check| check.literal.span() == literal.span());
        match literal {
            Literal::Positive(_) => None,
            Literal::Negative(atom) => {
                let is_premise = own.is_none() && self.clause.body.iter().any(|other| other.span() == atom.span);
                let mut value =
                    |name: &Name| values.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).clone());
                let args = atom.args.iter().map(|arg| arg.replace_variables(&mut value)).collect();
                let literal = Literal::Negative(Atom { args, ..atom.clone() });
                (!is_premise).then_some(Check { literal, tuples: None })
            }
            _ => own.cloned(),
        }
    }
}

/// Adds the values under which patterns match ground terms.
fn bind<'t>(
    patterns: impl IntoIterator<Item = &'t Term>,
    terms: impl IntoIterator<Item = &'t Term>,
    values: &mut Vec<(&'t Name, &'t Term)>,
) {
    patterns.into_iter().zip(terms).for_each(|(pattern, term)| _ = matches(pattern, term, values));
}
