//! Sums and averages that take equal values once, though they are of different things: `sum { W : edge(X, Y, W) }`.

use super::shown;
use crate::analysis::clause::{Aggregation, Literal};
use ludolog_syntax::ast::{AggregateFunction, Formula, Name, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use rustc_hash::FxHashSet;

/// What is told of a sum or an average of one term, where a condition has a variable besides that stands for what the values are of.
pub(super) fn of_literal(literal: &Literal) -> Option<Diagnostic> {
    let Literal::Aggregate(aggregation) = literal else { return None };
    let function = aggregation.function;
    let [term] = &aggregation.written.0.template[..] else { return None };
    if !matches!(function, AggregateFunction::Sum | AggregateFunction::Average) {
        return None;
    }
    let untold = untold(aggregation, term)?;
    let term = shown(term);
    let is_anonymous = untold.starts_with('_');
    let untold = if is_anonymous { "_".to_owned() } else { shown(&Term::Variable(untold.clone())) };
    let told = if is_anonymous { "Y" } else { &untold };
    let name = function.name();
    let warning = Diagnostic::warning(Code::EqualValues, format!("`{name}` takes equal values of `{term}` once"));
    Some(warning.at(literal.span(), format!("whatever `{untold}` they are of")).help(format!(
        "tell them apart in the tuple, as in `{name} {{ {term}, {told} : … }}`; if each value is meant once, say so in a comment: \
         `ludolog: allow equal-values`"
    )))
}

/// The first variable of a condition that neither stands outside of the braces nor in the term.
fn untold<'a>(aggregation: &'a Aggregation, term: &'a Term) -> Option<&'a Name> {
    let (written, outside) = &*aggregation.written;
    let mut known: FxHashSet<&Name> = outside.iter().collect();
    term.for_each_variable(&mut |name| _ = known.insert(name));
    let mut untold = None;
    for condition in written.body.iter().filter(|condition| matches!(condition, Formula::Atom(_))) {
        condition.for_each_variable(&mut |name: &'a Name| {
            if !known.contains(name) {
                untold.get_or_insert(name);
            }
        });
    }
    untold
}
