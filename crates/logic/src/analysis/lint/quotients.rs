//! Quotients of two integers that are constants and that are rounded: `1 / 3 * N` is 0 whatever `N` is.

use super::shown;
use crate::analysis::clause::{Elements, Literal};
use crate::optimize::binding::terms;
use ludolog_syntax::ast::{Operation, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic};

/// What is told of a condition that computes such a quotient.
pub(super) fn of_literal(literal: &Literal) -> Option<Diagnostic> {
    let mut open: Vec<&Term> = match literal {
        Literal::Compare(_) | Literal::NotCompare(_) => terms(literal).collect(),
        Literal::Member { elements: Elements::Range(from, to), .. } => vec![from, to],
        _ => return None,
    };
    while let Some(term) = open.pop() {
        let Term::Compound(functor, args) = term else { continue };
        let Some(operation) = Operation::of(functor, args.len()) else { continue };
        if let (Operation::Divide, [Term::Integer(dividend), Term::Integer(divisor)]) = (operation, &args[..])
            && dividend.checked_rem_euclid(*divisor).is_some_and(|left| left != 0)
        {
            let rounded = dividend.div_euclid(*divisor) - i64::from(*divisor < 0);
            let quotient = shown(term);
            let message = format!("`{quotient}` is {rounded}: a quotient of integers is rounded down");
            return Some(Diagnostic::warning(Code::MixedNumbers, message).at(literal.span(), "computed first").help(
                format!("multiply before dividing, as in `N * {dividend} / {divisor}`, or compute with floats: `{dividend}.0 / {divisor}.0`"),
            ));
        }
        open.extend(args);
    }
    None
}
