//! Bounds: the comparisons of a body that bound a column of a subgoal by terms that are bound before it.
//!
//! In `p(X, L, H) & q(Y, N) & L <= N & N < H` both comparisons bound the second column of `q`. An engine that keeps the
//! rows of `q` sorted by that column looks up those within the bounds, and tests nothing.

use crate::analysis::clause::{Elements, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Term};
use ludolog_syntax::diagnostic::Span;

/// A bound of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound<'l> {
    /// The index of the literal that sets it in the body.
    pub literal: usize,
    /// The relation of a value in the column to the limit: `<`, `<=`, `>` or `>=`.
    pub comparator: Comparator,
    /// The limit, whose variables are bound before the subgoal. It computes.
    pub limit: &'l Term,
    /// Whether only integers are within the bound: it is an end of a range. Other bounds also relate symbols.
    pub of_range: bool,
    /// The place of the literal.
    pub span: Span,
}

/// A column with all of its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundedColumn<'l> {
    /// The column.
    pub column: usize,
    /// Its bounds, at least one. A value that is within all of them passes their literals.
    pub bounds: Vec<Bound<'l>>,
}

impl BoundedColumn<'_> {
    /// Whether the column is bounded on both sides.
    pub fn is_closed(&self) -> bool {
        let is_upper = |bound: &Bound| matches!(bound.comparator, Comparator::Less | Comparator::LessOrEqual);
        self.bounds.iter().any(is_upper) && !self.bounds.iter().all(is_upper)
    }
}

/// Whether a literal may bound a column.
pub fn may_bound(literal: &Literal) -> bool {
    match literal {
        Literal::Compare(comparison) => converse(comparison.comparator).is_some(),
        Literal::Member { elements: Elements::Range(..), negated, .. } => !negated,
        _ => false,
    }
}

/// The place of the column that is bounded best: of the first one that is bounded on both sides, or else of the first one.
pub fn best_bounded<C>(columns: &[C], is_closed: impl Fn(&C) -> bool) -> Option<usize> {
    columns.iter().position(is_closed).or((!columns.is_empty()).then_some(0))
}

/// The columns of an atom that are bounded by the literals after it, which come with their indices in the body. `is_bound` says which variables are bound
/// before the atom.
pub fn bounded_columns<'l>(
    atom: &Atom,
    is_bound: &dyn Fn(&Name) -> bool,
    after: impl Iterator<Item = (usize, &'l Literal)> + Clone,
) -> Vec<BoundedColumn<'l>> {
    let all_bound = |term: &Term| {
        let mut all = true;
        term.for_each_variable(&mut |name| all &= is_bound(name));
        all
    };
    let mut columns = Vec::new();
    for (column, arg) in atom.args.iter().enumerate() {
        let Term::Variable(name) = arg else { continue };
        if is_bound(name) {
            continue;
        }
        let mut bounds = Vec::new();
        let mut only_comparisons = true;
        for (number, literal) in after.clone() {
            bounds.extend(bounds_of(name, number, literal).into_iter().flatten().filter(|bound| {
                // A limit that is computed is computed where its comparison stands, not before another subgoal fails.
                all_bound(bound.limit) && (only_comparisons || !matches!(bound.limit, Term::Compound(..)))
            }));
            only_comparisons &=
                matches!(literal, Literal::Compare(_) | Literal::NotCompare(_) | Literal::Member { .. });
        }
        // Both ends of a range, or none.
        let count = |number: usize| bounds.iter().filter(|bound: &&Bound| bound.literal == number).count();
        let halves: Vec<usize> =
            bounds.iter().filter(|b| b.of_range && count(b.literal) < 2).map(|bound| bound.literal).collect();
        bounds.retain(|bound| !halves.contains(&bound.literal));
        if !bounds.is_empty() {
            columns.push(BoundedColumn { column, bounds });
        }
    }
    columns
}

/// The bounds that a literal sets for a variable.
fn bounds_of<'l>(name: &Name, number: usize, literal: &'l Literal) -> [Option<Bound<'l>>; 2] {
    let is_it = |term: &Term| matches!(term, Term::Variable(other) if other == name);
    match literal {
        Literal::Compare(Comparison { comparator, left, right, span }) => {
            let bound = |comparator, limit| Bound { literal: number, comparator, limit, of_range: false, span: *span };
            let Some(converse) = converse(*comparator) else { return [None, None] };
            [is_it(left).then(|| bound(*comparator, right)), is_it(right).then(|| bound(converse, left))]
        }
        Literal::Member { element, elements: Elements::Range(from, to), negated: false, span } if is_it(element) => {
            let bound =
                |comparator, limit| Some(Bound { literal: number, comparator, limit, of_range: true, span: *span });
            [bound(Comparator::GreaterOrEqual, from), bound(Comparator::LessOrEqual, to)]
        }
        _ => [None, None],
    }
}

/// The ordering that holds of two sides in turn; `None` of a comparator that is no ordering.
fn converse(comparator: Comparator) -> Option<Comparator> {
    match comparator {
        Comparator::Less => Some(Comparator::Greater),
        Comparator::LessOrEqual => Some(Comparator::GreaterOrEqual),
        Comparator::Greater => Some(Comparator::Less),
        Comparator::GreaterOrEqual => Some(Comparator::LessOrEqual),
        Comparator::Is
        | Comparator::Equal
        | Comparator::NotEqual
        | Comparator::SameValue
        | Comparator::OtherValue
        | Comparator::Matches => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::program;
    use ludolog_syntax::{Syntax, print_term};

    /// The bounded column of the second subgoal, where the variables of the first are bound, with its bounds.
    fn of_second(rule: &str) -> Option<(usize, Vec<(Comparator, String)>)> {
        let clause = program(rule).program.rules[0].clone();
        let [first, Literal::Positive(atom), ..] = &clause.body[..] else { panic!("two subgoals") };
        let mut bound = Vec::new();
        first.for_each_variable(&mut |name| bound.push(name.clone()));
        let after = clause.body.iter().enumerate().skip(2);
        let mut columns = bounded_columns(atom, &|name| bound.contains(name), after);
        let found = columns.swap_remove(best_bounded(&columns, BoundedColumn::is_closed)?);
        let limit = |bound: &Bound| (bound.comparator, print_term(bound.limit, Syntax::Datalog));
        Some((found.column, found.bounds.iter().map(limit).collect()))
    }

    #[test]
    fn a_column_is_bounded_from_either_side_of_a_comparison() {
        use Comparator::*;
        let bounds = |pairs: &[(Comparator, &str)]| pairs.iter().map(|(c, t)| (*c, (*t).to_owned())).collect();
        assert_eq!(
            of_second("r(A, B) :- p(A, L, H) & q(B, N) & L <= N & N < H + 1 & B != A."),
            Some((1, bounds(&[(GreaterOrEqual, "L"), (Less, "H + 1")])))
        );
        assert_eq!(
            of_second("r(A, B) :- p(A, L, H) & q(B, N) & N in L..H."),
            Some((1, bounds(&[(GreaterOrEqual, "L"), (LessOrEqual, "H")])))
        );
        // The column with two bounds, though another one comes first.
        assert_eq!(
            of_second("r(A) :- p(A, L, H) & q(B, N) & B > L & 3 > N & N > A."),
            Some((1, bounds(&[(Less, "3"), (Greater, "A")])))
        );
    }

    #[test]
    fn other_tests_and_terms_bound_nothing() {
        for rule in [
            "r(A, B) :- p(A, L) & q(B, N) & N != L & B =:= A.",
            "r(A, B) :- p(A, L) & q(B, N) & N + 1 < L.",
            "r(A, B) :- p(A, L) & q(B, N) & B < N.",
            "r(A, B) :- p(A, L) & q(f(B), N) & B < L & ~(N < L).",
            // Computed behind another subgoal.
            "r(A, B) :- p(A, L) & q(B, N) & p(N, _) & N < L * L.",
        ] {
            assert_eq!(of_second(rule), None, "{rule}");
        }
    }
}
