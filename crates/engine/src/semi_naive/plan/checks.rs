//! Literals that read no relation and have one choice: comparisons, and elements that are known.

use super::PlanCompiler;
use super::op::SlotCheck;
use crate::term::Test;
use ludolog_logic::analysis::clause::{Elements, Literal};
use ludolog_syntax::ast::{Comparator, Comparison};

impl PlanCompiler<'_, '_, '_> {
    /// Compiles the tests of the tuples of an aggregate. The variables that they bind are local to them.
    pub(super) fn checks(&mut self, tests: &[Literal]) -> Box<[SlotCheck]> {
        let bound = self.bound.clone();
        let checks = tests.iter().map(|test| self.check(test)).collect();
        self.bound = bound;
        checks
    }

    /// Compiles a literal that reads no relation and has one choice.
    pub(super) fn check(&mut self, literal: &Literal) -> SlotCheck {
        match literal {
            Literal::Compare(comparison) => self.comparison(comparison),
            Literal::NotCompare(comparison) => self.test(comparison, true),
            Literal::Member { element, elements: Elements::Range(from, to), negated, span } => {
                let bounds = [from, to].map(|bound| self.template(bound, Some((Comparator::Is, *span))));
                // With a local variable, a negation says that the range is empty: not even its first bound is in it.
                let element = if self.all_bound(element) { self.template(element, None) } else { bounds[0].clone() };
                SlotCheck::Range { element, bounds, negated: *negated }
            }
            Literal::Member { element, elements: Elements::List(list), negated, .. } => {
                let list = self.template(list, None);
                let bound = self.bound.clone();
                let element = self.pattern(element);
                // The variables of a negation are local to it.
                self.bound = bound;
                SlotCheck::Member { element, list, negated: *negated }
            }
            Literal::Positive(_) | Literal::Negative(_) | Literal::Aggregate(_) => unreachable!("it reads a relation"),
        }
    }

    pub(super) fn comparison(&mut self, comparison: &Comparison) -> SlotCheck {
        let Comparison { comparator, left, right, span } = comparison;
        let (pattern, template) = match (self.all_bound(left), self.all_bound(right)) {
            (false, true) => (left, right),
            (true, false) => (right, left),
            _ => return self.test(comparison, false),
        };
        let template = self.template(template, Some((*comparator, *span)));
        let pattern = self.pattern(pattern);
        SlotCheck::Assign { pattern, template, integer: *comparator == Comparator::Is }
    }

    /// The test of a comparison whose sides are bound.
    pub(super) fn test(&mut self, comparison: &Comparison, negated: bool) -> SlotCheck {
        let &Comparison { comparator, ref left, ref right, span } = comparison;
        let [left, right] = [left, right].map(|side| self.template(side, Some((comparator, span))));
        SlotCheck::Test(Test { comparator, negated, left, right })
    }
}
