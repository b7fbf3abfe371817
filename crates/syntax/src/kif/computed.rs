//! Terms that compute: ranges, aggregates, operations.

use super::{KifForm, KifReader, KifResult};
use crate::aggregate;
use crate::ast::*;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::name;

impl KifReader<'_> {
    pub(super) fn range(&mut self, (element, from, to): (KifForm, KifForm, KifForm), span: Span) -> KifResult<Formula> {
        let place = self.span(&element);
        match self.term(element)? {
            element @ (Term::Variable(_) | Term::Integer(_)) => {
                let mut aggregates = Vec::new();
                let from = self.computed(from, &mut aggregates)?;
                let to = self.computed(to, &mut aggregates)?;
                Ok(aggregate::ranged(aggregates, Range { element, from, to, span }))
            }
            _ => Err(Diagnostic::error(Code::Syntax, "only a variable or an integer is in a range")
                .at(place, "neither of them")
                .help("compute it first: `(is ?y (+ ?x 1)) (in ?y (.. 1 9))`")),
        }
    }

    /// The function of `(count (: ?x) (p ?x))`; `None` for any other form.
    pub(super) fn aggregate_function(&self, form: &KifForm) -> Option<AggregateFunction> {
        let word = self.keyword(form)?;
        let named = |(_, name): &(AggregateFunction, &str)| name.eq_ignore_ascii_case(word);
        let (function, _) = AggregateFunction::ALL.into_iter().find(named)?;
        let template = form.clone().into_inner().nth(1)?;
        (self.keyword(&template) == Some(name::TEMPLATE)).then_some(function)
    }

    /// A term where aggregates may stand, which are added to `aggregates`.
    pub(super) fn computed(&mut self, form: KifForm, aggregates: &mut Vec<Aggregate>) -> KifResult<Term> {
        if let Some(function) = self.aggregate_function(&form) {
            let aggregate = self.aggregate(function, form)?;
            let value = aggregate.result.clone();
            aggregates.push(aggregate);
            return Ok(value);
        }
        let arity = form.clone().into_inner().count().saturating_sub(1);
        let computes = |word: &str| Operation::of(&word.to_ascii_lowercase(), arity).is_some();
        if !self.keyword(&form).is_some_and(computes) {
            return self.term(form);
        }
        let mut parts = form.into_inner();
        let functor = self.predicate(&parts.next().expect("a keyword"))?;
        let args = parts.map(|part| self.computed(part, aggregates)).collect::<KifResult<_>>()?;
        Ok(Term::Compound(functor, args))
    }

    /// The aggregate, whose result is a variable of its own.
    pub(super) fn aggregate(&mut self, function: AggregateFunction, form: KifForm) -> KifResult<Aggregate> {
        let span = self.span(&form);
        let whole = form.clone();
        let mut parts = form.into_inner().skip(1);
        let template = parts.next().into_iter().flat_map(|template| template.into_inner().skip(1));
        let template = template.map(|part| self.term(part)).collect::<KifResult<Vec<_>>>()?;
        let body = self.conditions(parts)?;
        if template.is_empty() || body.is_empty() {
            Err(self
                .error(&whole, "an aggregate needs a term and a condition", "one is missing")
                .help("write `(= ?n (count (: ?x) (p ?x)))`"))
        } else {
            Ok(Aggregate { result: self.values.variable(function), function, template, body, span })
        }
    }

    /// Element and bounds of `(in ?x (.. 1 9))`; `None` for any other form, as `(in ?x ?y)` of the program's own.
    pub(super) fn range_parts<'i>(&self, form: &KifForm<'i>) -> Option<(KifForm<'i>, KifForm<'i>, KifForm<'i>)> {
        let mut parts = form.clone().into_inner().skip(1);
        let (Some(element), Some(range), None) = (parts.next(), parts.next(), parts.next()) else { return None };
        let is_range = self.keyword(&range) == Some(name::RANGE);
        let mut bounds = range.into_inner().skip(1).filter(|_| is_range);
        match (bounds.next(), bounds.next(), bounds.next()) {
            (Some(from), Some(to), None) => Some((element, from, to)),
            _ => None,
        }
    }
}
