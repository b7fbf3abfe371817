//! Comparators, and the files that define predicates by their names.

use crate::ast::*;
use crate::name;

/// The comparators that a file defines as predicates of its own.
#[derive(Default)]
pub struct OwnComparators(Vec<Comparator>);

impl OwnComparators {
    /// Notes a comparator that a head defines.
    pub fn note(&mut self, head: &Atom, quoted: bool) {
        if let Some(comparator) = head
            .predicate
            .written()
            .and_then(comparator)
            .filter(|c| !quoted && head.args.len() == 2 && !self.0.contains(c))
        {
            self.0.push(comparator);
        }
    }

    /// Turns the comparisons by these comparators into ordinary atoms.
    pub fn make_predicates(&self, program: &mut Program) {
        if self.0.is_empty() {
            return;
        }
        for item in &mut program.items {
            let body = match &mut item.statement {
                Statement::Rule(rule) => &mut rule.body,
                Statement::Transition(transition) => &mut transition.conditions,
                Statement::Query(query) | Statement::Constraint(query) => &mut query.body,
                Statement::Include(_)
                | Statement::Use(_)
                | Statement::Input(_)
                | Statement::Output(_)
                | Statement::Type(_)
                | Statement::Define(_) => continue,
            };
            body.iter_mut().for_each(|formula| self.make_atoms(formula));
        }
    }

    fn make_atoms(&self, formula: &mut Formula) {
        match formula {
            Formula::Atom(_) | Formula::Range(_) => {}
            Formula::Aggregate(aggregate) => aggregate.body.iter_mut().for_each(|formula| self.make_atoms(formula)),
            Formula::Not(inner) => self.make_atoms(inner),
            Formula::And(list) | Formula::Or(list) => list.iter_mut().for_each(|formula| self.make_atoms(formula)),
            Formula::Compare(comparison) => {
                if self.0.contains(&comparison.comparator) {
                    let args = vec![comparison.left.clone(), comparison.right.clone()];
                    let predicate = spelling(comparison.comparator).into();
                    *formula = Formula::Atom(Atom { predicate, args, span: comparison.span });
                }
            }
        }
    }
}

/// The comparator that a bare word in front of two terms stands for.
pub fn comparator(word: &str) -> Option<Comparator> {
    [
        Comparator::Is,
        Comparator::Equal,
        Comparator::NotEqual,
        Comparator::SameValue,
        Comparator::OtherValue,
        Comparator::Less,
        Comparator::LessOrEqual,
        Comparator::Greater,
        Comparator::GreaterOrEqual,
    ]
    .into_iter()
    .find(|comparator| spelling(*comparator) == word)
}

/// The spelling of a comparator in `.kif`.
pub fn spelling(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Is => "is",
        Comparator::Equal => "=",
        Comparator::NotEqual => "distinct",
        Comparator::SameValue => "=:=",
        Comparator::OtherValue => "=\\=",
        Comparator::Less => "<",
        Comparator::LessOrEqual => "<=",
        Comparator::Greater => ">",
        Comparator::GreaterOrEqual => ">=",
        Comparator::Matches => name::MATCHES,
    }
}
