//! Decimals of tables, which are symbols unless their column is declared, in the place of numbers.

use super::{disjoint, shown};
use crate::analysis::clause::{Elements, Literal};
use crate::analysis::kinds::{ColumnKinds, Kinds, VariableKinds, of_value};
use ludolog_syntax::ast::{AggregateFunction, Comparator, Comparison, Operation, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};

/// What is told of a condition that computes or compares what may be a decimal.
pub(super) fn of_literal(literal: &Literal, kinds: &ColumnKinds, variables: &VariableKinds) -> Option<Diagnostic> {
    in_literal(literal, kinds, variables).map(|label| told(label, literal.span()))
}

fn told(label: String, place: Span) -> Diagnostic {
    Diagnostic::warning(Code::MixedNumbers, "a decimal of a table is a symbol here, and no number").at(place, label).help(
        "declare the columns of the table, as `:- type(price, symbol, float).`, with `symbol` where texts are meant; or compute with \
         `to_float(X)`",
    )
}

/// The reason why a literal treats what may be a decimal as a number; `None` if it does not.
fn in_literal(literal: &Literal, kinds: &ColumnKinds, variables: &VariableKinds) -> Option<String> {
    match literal {
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => in_comparison(comparison, variables),
        Literal::Positive(atom) | Literal::Negative(atom) => atom.args.iter().enumerate().find_map(|(column, arg)| {
            let of_column = kinds.column(atom, column);
            let before = of_value(arg, Comparator::Is, variables);
            never_equal(before, of_column)
                .then(|| format!("`{}` is {}, and the column has none", shown(arg), number(before)))
        }),
        Literal::Aggregate(aggregation) => {
            let is_of_numbers = aggregation.function != AggregateFunction::Count;
            let first = kinds.column(&aggregation.atom, aggregation.bound);
            (is_of_numbers && first.has_decimals()).then(|| taken_as_symbols(aggregation.function))
        }
        Literal::Member { element, elements: Elements::List(list), .. } => {
            let listed = disjoint::members(list);
            never_equal(listed, of_value(element, Comparator::Equal, variables))
                .then(|| format!("each member is {}, and `{}` is none", number(listed), shown(element)))
        }
        Literal::Member { element, elements: Elements::Range(from, to), .. } => {
            let is_decimal = |term: &&Term| never_equal(Kinds::INTEGER, of_value(term, Comparator::Is, variables));
            let decimal = [element, from, to].into_iter().find(is_decimal)?;
            Some(format!("a range has integers, and `{}` is none", shown(decimal)))
        }
    }
}

/// What is told of a lattice column of which values may be decimals.
pub(super) fn of_function(function: AggregateFunction, place: Span) -> Diagnostic {
    told(taken_as_symbols(function), place)
}

fn taken_as_symbols(function: AggregateFunction) -> String {
    format!("`{}` takes the values as symbols", function.name())
}

/// What numbers of one kind are called.
fn number(kind: Kinds) -> &'static str {
    if kind == Kinds::FLOAT { "a float" } else { "an integer" }
}

/// Whether these are numbers of one kind, and those decimals and no such numbers.
fn never_equal(numbers: Kinds, decimals: Kinds) -> bool {
    (numbers == Kinds::FLOAT || numbers == Kinds::INTEGER) && decimals.has_decimals() && !decimals.meets(numbers)
}

fn in_comparison(comparison: &Comparison, variables: &VariableKinds) -> Option<String> {
    let &Comparison { comparator, ref left, ref right, .. } = comparison;
    if comparator == Comparator::Matches {
        return None;
    }
    let computed = [left, right].into_iter().find_map(|side| in_operation(side, comparator, variables));
    computed.or_else(|| {
        let of = [left, right].map(|side| of_value(side, comparator, variables));
        match comparator {
            Comparator::Is => None,
            Comparator::Equal | Comparator::NotEqual => {
                let never = [(of[0], of[1]), (of[1], of[0])].into_iter().find(|&(a, b)| never_equal(a, b));
                never.map(|(numbers, _)| format!("{} and a symbol are never equal", number(numbers)))
            }
            _ => {
                let side = [left, right].into_iter().zip(of).find(|(_, kinds)| kinds.has_decimals());
                side.map(|(side, _)| format!("`{}` is compared by its characters, and with numbers never", shown(side)))
            }
        }
    })
}

/// The first operation of a side, from within, that computes a number of what may be a decimal.
fn in_operation(side: &Term, comparator: Comparator, variables: &VariableKinds) -> Option<String> {
    let Term::Compound(functor, args) = side else { return None };
    let operation = Operation::of(functor, args.len()).filter(|_| comparator.computes(functor, args.len()))?;
    if let Some(within) = args.iter().find_map(|arg| in_operation(arg, comparator, variables)) {
        return Some(within);
    }
    if operation == Operation::Float || operation.is_of_symbols() && operation != Operation::Number {
        return None;
    }
    let operand = args.iter().find(|arg| of_value(arg, comparator, variables).has_decimals())?;
    Some(format!("`{}` has no value of the symbol `{}`", shown(side), shown(operand)))
}
