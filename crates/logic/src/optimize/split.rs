//! *Split*: a part of a body of which few variables are needed further is derived on its own, projected.
//!
//! ```text
//! pt(Y, W) :- load(Y, X) & pt(X, Z) & pt(Z, W).
//!
//! pt@split1(Y, Z) :- load(Y, X) & pt(X, Z).             % X is needed no further
//! pt(Y, W) :- pt@split1(Y, Z) & pt(Z, W).
//! ```
//!
//! The rest of the body then meets each projected row once, however many bindings lead to it; and a round that starts
//! from the rest finds the part joined already. This is projection pushed down (Ullman, *Principles of Database and
//! Knowledge-Base Systems* 2, 1989, ch. 11) through a relation that is kept.
//!
//! A part is two positive subgoals that share a variable, and all tests of their variables; or one subgoal that shares none with
//! another, where the rest would meet each of its rows: `tag(_, T)` beside `user(A)` becomes a relation of tags. What remains may be
//! split again.

use super::binding::{ClauseVariables, LiteralShape};
use super::parts::{PartKind, PartedRule, first_head, take_parts};
use super::pass::{Pass, PassContext, PassProgram, PassReport};
use crate::analysis::clause::{Clause, Literal};
use fixedbitset::FixedBitSet;
use ludolog_syntax::ast::{Atom, Purpose, Term};
use ludolog_syntax::budget::Stopped;

/// The share of a rule's cost that must be left. It must promise a third, because a relation more takes memory, and
/// because the sizes of recursive relations are rough estimates.
const GAIN: f64 = 0.65;

/// Bodies with more positive subgoals are left alone.
const LONGEST: usize = 12;

/// The pass. It pays where the cost model expects less work than before. It is right whatever the facts are: it closes
/// the predicates that it makes, and no others.
pub struct Split;

impl Pass for Split {
    fn name(&self) -> &'static str {
        "split"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        take_parts(work, &SPLIT, f64::INFINITY, context)
    }

    fn run_if_it_pays(&self, work: &mut PassProgram, context: &PassContext) -> Result<Option<PassReport>, Stopped> {
        take_parts(work, &SPLIT, GAIN, context).map(PassReport::if_changed)
    }
}

const SPLIT: PartKind = PartKind { ways: split_ways, needs_rows: "nothing is projected" };

/// Adds the ways to split a rule in which a variable is needed no further.
fn split_ways(number: usize, rule: &Clause, candidates: &mut Vec<PartedRule>, made: &mut usize) {
    let positive: Vec<usize> = (0..rule.body.len()).filter(|&i| matches!(rule.body[i], Literal::Positive(_))).collect();
    if positive.len() < 2 || positive.len() > LONGEST {
        return;
    }
    let variables = ClauseVariables::of(&rule.head.args, &rule.body);
    let shapes: Vec<LiteralShape> = rule.body.iter().map(|literal| LiteralShape::new(literal, &variables)).collect();
    let mut in_head = FixedBitSet::with_capacity(variables.count());
    rule.head.args.iter().for_each(|arg| in_head.union_with(&variables.set(arg)));
    let search = PartSearch { rule, variables: &variables, shapes: &shapes, in_head };
    for (at, &first) in positive.iter().enumerate() {
        let shares = |other: &&usize| !shapes[first].variables.is_disjoint(&shapes[**other].variables);
        let parts: Vec<Vec<usize>> = match positive.iter().filter(shares).count() {
            // Itself.
            0 | 1 => vec![vec![first]],
            _ if positive.len() < 3 => Vec::new(),
            _ => positive[at + 1..].iter().filter(shares).map(|&second| vec![first, second]).collect(),
        };
        for of in parts {
            if let Some((part, rest)) = search.part(&of, *made + 1) {
                *made += 1;
                candidates.push(PartedRule { rule: number, part, rest });
            }
        }
    }
}

/// A rule with what decides about its parts.
struct PartSearch<'r> {
    rule: &'r Clause,
    variables: &'r ClauseVariables<'r>,
    shapes: &'r [LiteralShape],
    in_head: FixedBitSet,
}

impl PartSearch<'_> {
    /// The part that is made of these positive subgoals, under a name with this number, and the rest; `None` if all or none of its
    /// variables are needed further.
    fn part(&self, of: &[usize], number: usize) -> Option<(Clause, Clause)> {
        let PartSearch { rule, variables, shapes, in_head } = self;
        let mut bound = FixedBitSet::with_capacity(variables.count());
        of.iter().for_each(|&i| bound.union_with(&shapes[i].variables));
        let is_part = |i: usize| {
            let is_test = !matches!(rule.body[i], Literal::Positive(_)) && shapes[i].variables.is_subset(&bound);
            // A negation's local variables are bound nowhere, and mean the same wherever it stands.
            of.contains(&i) || is_test && shapes[i].is_ready(&bound)
        };
        let mut needed = in_head.clone();
        (0..rule.body.len()).filter(|&i| !is_part(i)).for_each(|i| needed.union_with(&shapes[i].variables));
        let mut kept = bound.clone();
        kept.intersect_with(&needed);
        // A subgoal alone of which nothing is needed only has to have a row.
        if kept == bound || of.len() == 1 && kept.is_clear() {
            return None;
        }
        let mut args: Vec<Term> = Vec::new();
        for &literal in of {
            rule.body[literal].for_each_variable(&mut |name| {
                let variable = Term::Variable(name.clone());
                if kept.contains(variables.index(name)) && !args.contains(&variable) {
                    args.push(variable);
                }
            });
        }
        let head = Atom::new(Purpose::Split { of: first_head(rule), number }, args);
        let (part, rest): (Vec<usize>, Vec<usize>) = (0..rule.body.len()).partition(|&i| is_part(i));
        let body = |literals: Vec<usize>| literals.into_iter().map(|i| rule.body[i].clone());
        let before = rest.iter().filter(|&&i| i < of[0]).count();
        let mut rest: Vec<Literal> = body(rest).collect();
        rest.insert(before, Literal::Positive(head.clone()));
        let part = Clause { head, body: body(part).collect(), span: rule.span };
        let rest = Clause { body: rest.into(), ..(*rule).clone() };
        (part.is_safe() && rest.is_safe()).then_some((part, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::Optimization;
    use crate::optimize::testing::rules_after;

    fn forced(source: &str) -> Vec<String> {
        rules_after(source, Optimization::Passes(vec![&Split]))
    }

    #[test]
    fn a_variable_that_is_needed_no_further_is_projected_away() {
        let rules =
            forced("p(X, W) :- a(X, Y) & b(Y, Z) & c(Z, W). a(1, 2). b(2, 3). b(3, 3). c(3, 4). c(4, 4). c(5, 4).");
        assert_eq!(rules.len(), 2, "{rules:?}");
        let made = rules[1].split(" :-").next().unwrap();
        assert!(rules[0].contains(made), "{rules:?}");
    }

    #[test]
    fn tests_of_a_part_go_with_it_and_bodies_without_a_lost_variable_stay() {
        let rules = forced("p(X, Z, W) :- a(X, Y) & Y != X & ~bad(Y, _) & b(Y, Z) & c(Z, W). bad(1, 1).");
        assert_eq!(
            rules,
            [
                "p(X, Z, W) :- 'p@split1'(X, Z) & c(Z, W).",
                "'p@split1'(X, Z) :- a(X, Y) & Y != X & ~bad(Y, _) & b(Y, Z).",
            ]
        );
        for stays in
            ["p(X, Y, Z) :- a(X, Y) & b(Y, Z) & c(Z, X).", "p(X) :- a(X, Y) & b(Y, X).", "p :- a(X) & b(Y) & c(Z)."]
        {
            assert_eq!(forced(stays), [stays]);
        }
    }

    #[test]
    fn a_test_stands_behind_what_binds_its_variables_in_its_own_body() {
        let rules = forced("p(A, C) :- k(A, C) & A != C & ~l(A, C) & c(A, X) & c(C, X).");
        let expected =
            ["p(A, C) :- k(A, C) & 'p@split1'(A, C).", "'p@split1'(A, C) :- c(A, X) & c(C, X) & A != C & ~l(A, C)."];
        assert_eq!(rules, expected);
    }

    #[test]
    fn a_subgoal_beside_others_is_projected_on_its_own() {
        let rules = forced("p(A, T) :- u(A) & A < 5 & tag(P, T) & P > T.");
        assert_eq!(rules, ["p(A, T) :- u(A) & A < 5 & 'p@split1'(T).", "'p@split1'(T) :- tag(P, T) & P > T."]);
        for stays in ["p(A) :- u(A) & tag(_, _).", "p(A, P, T) :- u(A) & tag(P, T).", "p(A, T) :- u(A) & tag(A, T)."] {
            assert_eq!(forced(stays), [stays]);
        }
    }

    /// 1,000 pages have one of ten tags: each user meets the tags, or the pages.
    #[test]
    fn auto_projects_a_subgoal_before_a_product() {
        let users: String = (0..300).map(|i| format!("u({i}). ")).collect();
        let tags = |tags: usize| (0..1000).map(|i| format!("tag({i}, {}). ", i % tags)).collect::<String>();
        let after = |text: String| rules_after(&format!("p(A, T) :- u(A) & tag(_, T). {text}"), Optimization::Auto);
        let rules = after(users.clone() + &tags(10));
        assert_eq!(rules.len(), 2, "{rules:?}");
        assert!(rules.iter().any(|rule| rule.starts_with("'p@split1'(T)")), "{rules:?}");
        // As many tags as pages, or users of which there is one.
        assert_eq!(after(users + &tags(1000)).len(), 1);
        assert_eq!(after("u(1). ".to_owned() + &tags(10)).len(), 1);
    }

    /// A star of 200 points to and from one centre: two steps lead from each point to each, and a third step to the
    /// centre.
    #[test]
    fn auto_splits_where_many_bindings_become_few_rows() {
        let star: String = (1..=200).map(|i| format!("to({i}, 0). from(0, {i}). last({i}, {}). ", i % 3)).collect();
        let rules = rules_after(&format!("p(X, W) :- to(X, Y) & from(Y, Z) & last(Z, W). {star}"), Optimization::Auto);
        assert_eq!(rules.len(), 2, "{rules:?}");
        let chain: String =
            (1..=200).map(|i| format!("to({i}, {}). from({i}, {}). last({i}, 0). ", i + 1, i + 1)).collect();
        let rules = rules_after(&format!("p(X, W) :- to(X, Y) & from(Y, Z) & last(Z, W). {chain}"), Optimization::Auto);
        assert_eq!(rules.len(), 1, "{rules:?}");
    }
}
