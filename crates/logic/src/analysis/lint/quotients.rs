//! Quotients of two integers that are rounded before they are used: `1 / 3 * N` is 0 whatever `N` is, and `S / T * 100` where `S` is less than `T`.

use super::shown;
use crate::analysis::clause::{Elements, Literal};
use crate::analysis::kinds::{Kinds, VariableKinds, of_value};
use crate::optimize::binding::terms;
use ludolog_syntax::ast::{Comparator, Operation, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic};

/// What is told of a condition that computes such a quotient.
pub(super) fn of_literal(literal: &Literal, variables: &VariableKinds) -> Option<Diagnostic> {
    let sides: Vec<&Term> = match literal {
        Literal::Compare(_) | Literal::NotCompare(_) => terms(literal).collect(),
        Literal::Member { elements: Elements::Range(from, to), .. } => vec![from, to],
        _ => return None,
    };
    // Who asks for remainders as well means quotients that are rounded.
    let is_exact = !computed(&sides).any(|(operation, _)| operation == Operation::Modulo);
    computed(&sides).find_map(|(operation, term)| {
        let Term::Compound(_, args) = term else { return None };
        let told = match (operation, &args[..]) {
            (Operation::Divide, [Term::Integer(dividend), Term::Integer(divisor)]) => {
                of_constants(*dividend, *divisor, term)
            }
            (Operation::Float, [quotient]) if is_exact => made_float(quotient, variables),
            (Operation::Multiply, [quotient, Term::Integer(factor)] | [Term::Integer(factor), quotient])
                if is_exact =>
            {
                multiplied(quotient, *factor, variables)
            }
            _ => None,
        };
        told.map(|RoundedQuotient { message, help }| {
            Diagnostic::warning(Code::MixedNumbers, message).at(literal.span(), "computed first").help(help)
        })
    })
}

/// What is told of a quotient.
struct RoundedQuotient {
    message: String,
    help: String,
}

/// The operations in terms, outer ones first.
fn computed<'t>(sides: &[&'t Term]) -> impl Iterator<Item = (Operation, &'t Term)> + use<'t> {
    let mut open = sides.to_vec();
    std::iter::from_fn(move || {
        while let Some(term) = open.pop() {
            let Term::Compound(functor, args) = term else { continue };
            let Some(operation) = Operation::of(functor, args.len()) else { continue };
            open.extend(args);
            return Some((operation, term));
        }
        None
    })
}

fn of_constants(dividend: i64, divisor: i64, quotient: &Term) -> Option<RoundedQuotient> {
    dividend.checked_rem_euclid(divisor).filter(|left| *left != 0)?;
    let rounded = dividend.div_euclid(divisor) - i64::from(divisor < 0);
    Some(RoundedQuotient {
        message: format!("`{}` is {rounded}: a quotient of integers is rounded down", shown(quotient)),
        help: format!(
            "multiply before dividing, as in `N * {dividend} / {divisor}`, or compute with floats: `{dividend}.0 / {divisor}.0`"
        ),
    })
}

/// The operands of a quotient of integers of which one at least is no constant.
fn of_integers<'t>(quotient: &'t Term, variables: &VariableKinds) -> Option<[&'t Term; 2]> {
    let Term::Compound(functor, args) = quotient else { return None };
    let [dividend, divisor] = &args[..] else { return None };
    let is_quotient = Operation::of(functor, 2) == Some(Operation::Divide);
    let are_integers = || args.iter().all(|arg| of_value(arg, Comparator::Is, variables) == Kinds::INTEGER);
    (is_quotient && are_integers() && !quotient.is_ground()).then_some([dividend, divisor])
}

fn made_float(quotient: &Term, variables: &VariableKinds) -> Option<RoundedQuotient> {
    let [dividend, divisor] = of_integers(quotient, variables)?;
    Some(RoundedQuotient {
        message: format!("`{}` is rounded down before it is made a float", shown(quotient)),
        help: format!("divide floats: `to_float({}) / to_float({})`", shown(dividend), shown(divisor)),
    })
}

/// A share in percent, and the like: of another factor the rounding may be meant, as in hundreds of hundreds.
fn multiplied(quotient: &Term, factor: i64, variables: &VariableKinds) -> Option<RoundedQuotient> {
    let [dividend, divisor] = of_integers(quotient, variables)?;
    let is_share = matches!(factor, 100 | 1000) && !matches!(divisor, Term::Integer(divisor) if *divisor >= factor);
    is_share.then(|| RoundedQuotient {
        message: format!("`{}` is rounded down before it is multiplied by {factor}", shown(quotient)),
        help: format!("multiply before dividing: `{} * {factor} / {}`", factor_text(dividend), factor_text(divisor)),
    })
}

/// A term as it stands beside `*` and `/`.
fn factor_text(term: &Term) -> String {
    match term {
        Term::Compound(..) => format!("({})", shown(term)),
        _ => shown(term),
    }
}
