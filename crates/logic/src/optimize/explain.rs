//! Plans for people to read: the way in which an engine runs each literal of a body.

use super::binding::ClauseVariables;
use super::bounds::{BoundedColumn, best_bounded, bounded_columns};
use super::cost::{BoundColumns, bound_by_head};
use super::cost_model::CostModel;
use super::text;
use crate::analysis::clause::Literal;
use ludolog_syntax::ast::{Name, Predicate, Term};
use rustc_hash::FxHashSet;

/// The way in which a literal is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Access {
    /// All rows: nothing is bound.
    Scan,
    /// The rows that agree with the bound arguments.
    Lookup,
    /// The rows that agree with the bound arguments and are within the bounds that comparisons set, if they are many.
    Range,
    /// A comparison that such a look-up answers.
    Bound,
    /// A test for one row: everything is bound.
    Check,
    /// A test for any row: the variables that it binds are needed nowhere else.
    Existence,
    /// The predicate is derived again, for the bound arguments.
    Call,
    /// A test that there is no row.
    Absence,
    /// A comparison of bound terms.
    Test,
    /// A comparison that binds.
    Compute,
    /// The elements of a list or a range.
    Elements,
    /// The value of an aggregate.
    Aggregate,
}

/// One literal of a body in its place.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PlanLine {
    /// The literal in `.dl`.
    pub literal: String,
    /// Which arguments are bound before it, `b` or `f` each.
    pub pattern: String,
    /// The way in which it is run.
    pub access: Access,
    /// The head is complete before it: one success is enough.
    pub first_suffices: bool,
}

/// Explains a body whose head is called with these columns bound.
pub fn explain(
    head: &[Term],
    body: &[Literal],
    pattern: BoundColumns,
    cost_model: CostModel,
    has_rules: impl Fn(&Predicate) -> bool,
) -> Vec<PlanLine> {
    let variables = ClauseVariables::of(head, body);
    let mut bound = bound_by_head(&variables, head, pattern);
    let in_head: FxHashSet<usize> = head
        .iter()
        .flat_map(|arg| (0..variables.count()).filter(|&v| variables.set(arg).contains(v)).collect::<Vec<_>>())
        .collect();
    let mut lines = Vec::new();
    let mut has_bindings = false;
    let mut answered: Vec<usize> = Vec::new();
    for (i, literal) in body.iter().enumerate() {
        let is_bound = |term: &Term| variables.set(term).is_subset(&bound);
        let letters = |terms: &[&Term]| terms.iter().map(|term| if is_bound(term) { 'b' } else { 'f' }).collect();
        let terms: Vec<&Term> = super::binding::terms(literal).collect();
        let pattern: String = letters(&terms);
        let all_bound = !pattern.contains('f');
        let is_needed = |v: usize| {
            in_head.contains(&v)
                || body[i + 1..].iter().any(|later| super::binding::terms(later).any(|t| variables.set(t).contains(v)))
        };
        let binds_for_later = (0..variables.count())
            .any(|v| !bound.contains(v) && terms.iter().any(|term| variables.set(term).contains(v)) && is_needed(v));
        let bounds = match literal {
            Literal::Positive(atom) if cost_model.ranges && has_bindings && !all_bound => {
                let is_bound = |name: &Name| bound.contains(variables.index(name));
                let mut columns = bounded_columns(atom, &is_bound, body.iter().enumerate().skip(i + 1));
                best_bounded(&columns, BoundedColumn::is_closed).map(|best| columns.swap_remove(best))
            }
            _ => None,
        };
        answered.extend(bounds.iter().flat_map(|column| &column.bounds).map(|bound| bound.literal));
        let access = match literal {
            _ if bounds.is_some() => Access::Range,
            _ if answered.contains(&i) => Access::Bound,
            Literal::Negative(_) => Access::Absence,
            Literal::NotCompare(_) => Access::Test,
            Literal::Aggregate(_) => Access::Aggregate,
            Literal::Compare(_) | Literal::Member { negated: true, .. } if all_bound => Access::Test,
            Literal::Compare(_) => Access::Compute,
            Literal::Member { .. } if all_bound => Access::Test,
            Literal::Member { .. } => Access::Elements,
            Literal::Positive(atom) if cost_model.calls && has_rules(&atom.signature()) => Access::Call,
            Literal::Positive(_) if all_bound => Access::Check,
            Literal::Positive(_) if !binds_for_later => Access::Existence,
            Literal::Positive(_) if pattern.contains('b') => Access::Lookup,
            Literal::Positive(_) => Access::Scan,
        };
        has_bindings |= matches!(access, Access::Scan | Access::Lookup | Access::Range | Access::Elements);
        let first_suffices = in_head.iter().all(|&v| bound.contains(v));
        lines.push(PlanLine { literal: text::literal(literal), pattern, access, first_suffices });
        if !matches!(literal, Literal::Negative(_)) {
            literal.for_each_variable(&mut |name| bound.insert(variables.index(name)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::{BOTTOM_UP, TOP_DOWN, program};

    #[test]
    fn every_kind_of_access() {
        let rule = "r(X) :- p(X) & q(X, Y) & Z is Y + 1 & q(Z, X) & s(Z, U) & ~p(Z) & Z > 3 & t(V, 1).";
        let rules = program(&format!("{rule} t(X, Y) :- q(X, Y).")).program.rules;
        let has_rules = |predicate: &Predicate| predicate.name == "t";
        let lines = |cost_model| explain(&rules[0].head.args, &rules[0].body, 0, cost_model, has_rules);
        use Access::*;
        let accesses: Vec<Access> = lines(BOTTOM_UP).iter().map(|line| line.access).collect();
        assert_eq!(accesses, [Scan, Lookup, Compute, Check, Existence, Absence, Test, Existence]);
        let patterns: Vec<String> = lines(BOTTOM_UP).into_iter().map(|line| line.pattern).collect();
        assert_eq!(patterns, ["f", "bf", "fb", "bb", "bf", "b", "bb", "fb"]);
        let first: Vec<bool> = lines(BOTTOM_UP).iter().map(|line| line.first_suffices).collect();
        assert_eq!(first, [false, true, true, true, true, true, true, true]);
        assert_eq!(lines(TOP_DOWN)[7].access, Call);
    }

    #[test]
    fn comparisons_bound_a_subgoal_behind_another() {
        let rule = "r(X, Y) :- p(X, L, H) & L > 3 & q(Y, N) & L <= N & N in 0..H & Y != N.";
        let rules = program(rule).program.rules;
        let accesses = |cost_model| {
            let lines = explain(&rules[0].head.args, &rules[0].body, 0, cost_model, |_| false);
            lines.iter().map(|line| line.access).collect::<Vec<Access>>()
        };
        use Access::*;
        assert_eq!(accesses(BOTTOM_UP), [Scan, Test, Range, Bound, Bound, Test]);
        assert_eq!(accesses(TOP_DOWN), [Scan, Test, Scan, Test, Test, Test]);
    }
}
