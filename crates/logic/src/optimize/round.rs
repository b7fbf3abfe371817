//! The order in which a round of semi-naive evaluation joins the body of a rule.
//!
//! A round starts from what is new of one literal, the *delta*. The rest is placed one by one: what only filters as
//! soon as it can be, then the literal that is expected to leave the fewest bindings. A literal that shares no variable
//! with those before it waits as long as another shares one, because it multiplies the bindings. This greedy choice is
//! that of Selinger et al. (SIGMOD 1979) with a beam of one. It is made again whenever sizes have changed, so it has to
//! be quick: quadratic in the length of the body.

use super::binding::{ClauseVariables, LiteralShape};
use crate::analysis::clause::Literal;
use fixedbitset::FixedBitSet;

/// Orders the body of the clause with these variables, whose literal `delta` comes first. `fan_out` estimates the rows of a positive literal for each
/// binding, by its number, the variables bound before it, and the literals placed before it. Among equals the order of
/// the body stays. [Sums](super::sums) are placed where they can be solved.
///
/// # Errors
///
/// Those of `fan_out`.
pub fn order<E>(
    variables: &ClauseVariables,
    body: &[Literal],
    delta: usize,
    mut fan_out: impl FnMut(usize, &FixedBitSet, &FixedBitSet) -> Result<f64, E>,
) -> Result<Vec<usize>, E> {
    // With one literal besides the delta there is no choice, and making plans is to cost little.
    if body.len() <= 2 {
        return Ok([delta].into_iter().chain((0..body.len()).filter(|&i| i != delta)).collect());
    }
    let shapes: Vec<LiteralShape> = body.iter().map(|literal| LiteralShape::new(literal, variables)).collect();
    let mut bound = FixedBitSet::with_capacity(variables.count());
    let mut placed = FixedBitSet::with_capacity(body.len());
    let mut order = Vec::with_capacity(body.len());
    let mut next = Some(delta);
    while let Some(chosen) = next {
        order.push(chosen);
        placed.insert(chosen);
        bound.union_with(&shapes[chosen].variables);
        let ready = |i: &usize| !placed.contains(*i) && shapes[*i].is_ready_or_solved(&bound);
        let filter = (0..body.len()).filter(ready).find(|&i| filters(&body[i], &shapes[i], &bound));
        next = match filter {
            Some(filter) => Some(filter),
            None => {
                let is_product = |i: &usize| shapes[*i].variables.is_disjoint(&bound);
                let (products, joins): (Vec<usize>, Vec<usize>) = (0..body.len()).filter(ready).partition(is_product);
                let candidates = if joins.is_empty() { products } else { joins };
                if candidates.len() < 2 {
                    next = candidates.first().copied();
                    continue;
                }
                let mut best: Option<(usize, f64)> = None;
                for i in candidates {
                    let rows = fan_out(i, &bound, &placed)?;
                    if best.is_none_or(|(_, fewest)| rows < fewest) {
                        best = Some((i, rows));
                    }
                }
                best.map(|(i, _)| i)
            }
        };
    }
    debug_assert_eq!(order.len(), body.len(), "a clause is safe, so some literal is always ready");
    Ok(order)
}

/// Whether the literal, placed here, leaves at most one binding for each.
fn filters(literal: &Literal, shape: &LiteralShape, bound: &FixedBitSet) -> bool {
    match literal {
        Literal::Positive(_) | Literal::Member { negated: false, .. } => shape.variables.is_subset(bound),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::program;
    use std::convert::Infallible;

    /// The order from a delta, where a literal has as many rows as told, divided by ten for each bound variable.
    fn order_of(rule: &str, delta: usize, rows: &[f64]) -> Vec<usize> {
        let clause = program(rule).program.rules[0].clone();
        let variables = ClauseVariables::of(&clause.head.args, &clause.body);
        let fan_out = |i: usize, bound: &FixedBitSet, _: &FixedBitSet| {
            let shape = LiteralShape::new(&clause.body[i], &variables);
            Ok::<f64, Infallible>(rows[i] / 10f64.powi(shape.variables.intersection(bound).count() as i32))
        };
        let Ok(order) = order(&variables, &clause.body, delta, fan_out);
        order
    }

    #[test]
    fn what_shares_a_variable_comes_before_a_product() {
        let rule = "q(Z, W) :- s(Y, X) & q(Y, Z) & q(X, W).";
        assert_eq!(order_of(rule, 2, &[1000.0, 5.0, 5.0]), [2, 0, 1]);
        assert_eq!(order_of(rule, 1, &[1000.0, 5.0, 5.0]), [1, 0, 2]);
    }

    #[test]
    fn the_fewest_rows_come_first_and_filters_at_once() {
        let rule = "p(X) :- q(X, Y) & big(Y, Z) & small(Y, U) & Z > U & ~bad(U) & V is U + 1 & good(V).";
        assert_eq!(order_of(rule, 0, &[9.0, 900.0, 90.0, 0.0, 0.0, 0.0, 9.0]), [0, 2, 4, 5, 6, 1, 3]);
    }

    #[test]
    fn among_equals_the_order_of_the_body_stays() {
        assert_eq!(order_of("p(X) :- a(X) & b(X, Y) & c(X, Z).", 0, &[5.0; 3]), [0, 1, 2]);
    }
}
