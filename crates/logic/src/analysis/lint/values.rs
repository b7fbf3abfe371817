//! Computations and comparisons of terms that they are not of: arithmetic of symbols, division by zero, an order of a symbol and a number.

use crate::analysis::clause::Literal;
use crate::analysis::kinds::{Kinds, VariableKinds, of_value};
use ludolog_syntax::ast::{Comparator, Comparison, Operation, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use ludolog_syntax::{Syntax, print_term};

/// What is told of a comparison that never holds since one of its sides has no value, or no order relates the two.
pub(super) fn of_literal(literal: &Literal, variables: &VariableKinds) -> Option<Diagnostic> {
    match literal {
        Literal::Compare(comparison) => of_comparison(comparison, variables),
        _ => None,
    }
}

fn of_comparison(comparison: &Comparison, variables: &VariableKinds) -> Option<Diagnostic> {
    let &Comparison { comparator, ref left, ref right, span } = comparison;
    // What `=` and `!=` cannot compute is a term, and texts are matched.
    if matches!(comparator, Comparator::Equal | Comparator::NotEqual | Comparator::Matches) {
        return None;
    }
    let warning = |message| Diagnostic::warning(Code::NoValue, message);
    if let Some((operation, reason)) = [left, right].into_iter().find_map(|side| valueless(side, comparator, variables))
    {
        let warning = warning(format!("`{}` has no value, so that the condition never holds", shown(operation)));
        return Some(match reason {
            NoNumber::Operand(operand) => warning.at(span, format!("`{}` is no number", shown(operand))).help(format!(
                "only numbers are computed; `to_number({})` is the one that a symbol spells",
                shown(operand)
            )),
            NoNumber::Zero => warning.at(span, "nothing is divided by zero").help("divide by something else"),
        });
    }
    let of = [left, right].map(|side| of_value(side, comparator, variables));
    let are_known = of.iter().all(|&kinds| kinds != Kinds::NONE && !kinds.is_unknown() && !kinds.has_decimals());
    // Integers and floats that meet are told as such.
    let are_numbers = of.iter().all(|kinds| kinds.meets(Kinds::NUMBER));
    let are_ordered = (of[0] & of[1]).meets(Kinds::NUMBER | Kinds::SYMBOL);
    if !comparator.orders() || !are_known || are_numbers || are_ordered {
        return None;
    }
    let [left, right] =
        [(left, of[0]), (right, of[1])].map(|(side, kinds)| format!("`{}` ({})", shown(side), kinds.text()));
    Some(
        warning("no order relates the two, so that the condition never holds".to_owned())
            .at(span, format!("{left} and {right}"))
            .help(
                "numbers and symbols have an order among their own; `to_number(X)` is the number that a symbol spells",
            ),
    )
}

/// The reason why an operation has no value.
enum NoNumber<'t> {
    /// An operand that is none.
    Operand(&'t Term),
    /// It divides by zero.
    Zero,
}

/// The first operation of a side, from within, that has no value whatever its variables are.
fn valueless<'t>(
    side: &'t Term,
    comparator: Comparator,
    variables: &VariableKinds,
) -> Option<(&'t Term, NoNumber<'t>)> {
    let Term::Compound(functor, args) = side else { return None };
    let operation = Operation::of(functor, args.len()).filter(|_| comparator.computes(functor, args.len()))?;
    if let Some(within) = args.iter().find_map(|arg| valueless(arg, comparator, variables)) {
        return Some(within);
    }
    if operation.is_of_symbols() {
        return None;
    }
    let is_no_number = |arg: &&Term| {
        let kinds = of_value(arg, comparator, variables);
        // Compounds that are no functions are told as such.
        let is_compound = matches!(arg, Term::Compound(..));
        kinds != Kinds::NONE && !kinds.meets(Kinds::NUMBER) && !kinds.has_decimals() && !is_compound
    };
    if let Some(operand) = args.iter().find(is_no_number) {
        return Some((side, NoNumber::Operand(operand)));
    }
    let divides = matches!(operation, Operation::Divide | Operation::Modulo);
    let is_zero = match args.last() {
        Some(Term::Integer(divisor)) => *divisor == 0,
        Some(Term::Float(divisor)) => divisor.get() == 0.0,
        _ => false,
    };
    (divides && is_zero).then_some((side, NoNumber::Zero))
}

fn shown(term: &Term) -> String {
    print_term(term, Syntax::Datalog)
}
