//! Sums solved for a term: `Y is X + 1` binds `X` where `Y` is known, as `X is Y - 1`.
//!
//! Both hold of the same integers if the other term is one: a constant, or an element of a range of the same body. Of
//! anything but an integer in the place of `Y` neither holds, since a sum with an integer is one or has no value. Two floats are not
//! solved, whose sum is rounded. Where a difference does not fit 64 bits, no `X` that fits has the sum `Y`.
//!
//! Bodies are written with sums whose result is new (`Y is X + 1`, after what binds `X`), and stay safe as written. An order that comes from the
//! other end, as the round of a recursion does that reads the row before this one, met all candidates for `X` and tested them.

use super::binding::{ClauseVariables, LiteralShape};
use crate::analysis::body::Body;
use crate::analysis::clause::Literal;
use ludolog_syntax::ast::{Comparator, Comparison, Name, Term};

/// Whether a literal is a sum or a difference, which may have [solutions].
pub fn is_sum(literal: &Literal) -> bool {
    matches!(literal, Literal::Compare(Comparison { comparator: Comparator::Is, right: Term::Compound(sign, _), .. }) if matches!(&**sign, "+" | "-"))
}

/// The solutions of a comparison: each with the variable that it binds. One at most unless both terms are elements of ranges.
pub fn solutions<'l>(literal: &'l Literal, variables: &ClauseVariables) -> Vec<(&'l Name, Comparison)> {
    let Literal::Compare(sum) = literal else { return Vec::new() };
    let Term::Compound(sign, terms) = &sum.right else { return Vec::new() };
    let [left, right] = &terms[..] else { return Vec::new() };
    let is_known = matches!(sum.left, Term::Variable(_) | Term::Integer(_));
    if sum.comparator != Comparator::Is || !is_known || left == right {
        return Vec::new();
    }
    let is_integer = |term: &Term| match term {
        Term::Integer(_) => true,
        Term::Variable(name) => variables.is_in_range(name),
        _ => false,
    };
    let solution = |unknown: &'l Term, other: &Term, functor: &str, terms: [&Term; 2]| match unknown {
        Term::Variable(name) if is_integer(other) && *unknown != sum.left => {
            let right = Term::compound(functor, terms.map(Term::clone).into());
            Some((name, Comparison { left: unknown.clone(), right, ..sum.clone() }))
        }
        _ => None,
    };
    let result = &sum.left;
    let both = match &**sign {
        "+" => [solution(left, right, "-", [result, right]), solution(right, left, "-", [result, left])],
        "-" => [solution(left, right, "+", [result, right]), solution(right, left, "-", [left, result])],
        _ => [None, None],
    };
    both.into_iter().flatten().collect()
}

/// The sums of a body that are solved in an order of it, by number, since they stand before what binds one of their terms.
pub fn solved(variables: &ClauseVariables, body: &[Literal], order: &[usize]) -> Vec<(usize, Literal)> {
    let mut solved = Vec::new();
    if !body.iter().any(is_sum) {
        return solved;
    }
    let mut bound = variables.none();
    for &place in order {
        let shape = LiteralShape::new(&body[place], variables);
        if !shape.is_ready(&bound) {
            let binds = |(name, _): &(&Name, Comparison)| !bound.contains(variables.index(name));
            let solution = solutions(&body[place], variables).into_iter().find(binds);
            solved.extend(solution.map(|(_, comparison)| (place, Literal::Compare(comparison))));
        }
        bound.union_with(&shape.variables);
    }
    solved
}

/// The literals of a body in an order, with sums solved where they have to be.
pub fn in_order(variables: &ClauseVariables, body: &[Literal], order: &[usize]) -> Body {
    let mut solved = solved(variables, body, order);
    let mut literal = |place: usize| {
        let number = solved.iter().position(|(other, _)| *other == place);
        number.map_or_else(|| body[place].clone(), |number| solved.swap_remove(number).1)
    };
    order.iter().map(|&place| literal(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::{program, text};

    /// The rule in an order of its body.
    fn ordered(rule: &str, order: &[usize]) -> String {
        let mut clause = program(rule).program.rules[0].clone();
        let body = in_order(&ClauseVariables::of(&clause.head.args, &clause.body), &clause.body, order);
        clause.body = body;
        text(&[clause]).remove(0)
    }

    #[test]
    fn a_sum_is_solved_for_what_is_not_bound() {
        for (sum, solved) in [
            ("Y is X + 1", "X is Y - 1"),
            ("Y is 3 + X", "X is Y - 3"),
            ("Y is X - 1", "X is Y + 1"),
            ("Y is 3 - X", "X is 3 - Y"),
        ] {
            let rule = format!("p(X) :- a(X) & {sum} & b(Y).");
            assert_eq!(ordered(&rule, &[2, 1, 0]), format!("p(X) :- b(Y) & {solved} & a(X)."));
            assert_eq!(ordered(&rule, &[0, 1, 2]), rule);
        }
    }

    #[test]
    fn elements_of_ranges_are_integers() {
        let rule = "p(X, Y) :- a(X) & D in -1..1 & Y is X + D & b(Y).";
        assert_eq!(ordered(rule, &[3, 1, 2, 0]), "p(X, Y) :- b(Y) & D in -1..1 & X is Y - D & a(X).");
        // What a relation has may be a float.
        let rule = "p(X, Y) :- a(X) & d(D) & Y is X + D & b(Y).";
        assert_eq!(ordered(rule, &[3, 1, 2, 0]), "p(X, Y) :- b(Y) & d(D) & a(X) & Y is X + D.");
    }

    #[test]
    fn other_expressions_are_not_solved() {
        for sum in ["Y is X + X", "Y is X * 2", "Y is X + 1.0", "Y = X + 1", "X is X + 1", "Y is -X"] {
            let rule = format!("p(X) :- a(X) & a(Y) & {sum}.");
            assert_eq!(solutions(&program(&rule).program.rules[0].body[2], &ClauseVariables::default()), [], "{sum}");
        }
    }
}
