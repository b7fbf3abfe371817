//! State facts that no state has: neither `init` nor a `next` that may fire produces them.
//!
//! A rule of `next` may fire if its positive conditions on `true` may hold, and these may hold if they match what
//! `init` or a `next` that may fire produces. Negations, moves and all other conditions are taken to hold, so what is
//! reported is never true in any state. A least fixpoint: each round adds the heads of at least one more rule.

use super::shape::TermShape;
use crate::analysis::clause::{CheckedProgram, Clause, Literal};
use ludolog_syntax::ast::{Atom, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::FxHashSet;

/// Reports the first condition on each such fact, and adds the places of all to `never`; what is in `never` is not
/// reported.
pub(super) fn check(
    program: &CheckedProgram,
    never: &mut FxHashSet<Span>,
    found: &mut Vec<Diagnostic>,
    budget: &Budget,
) -> Result<(), Stopped> {
    let heads = || program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head));
    // Without a first state, or with facts that rules say are true, states are not known from `init` and `next`.
    if !heads().any(|head| state_fact(head, "init").is_some()) || heads().any(|head| state_fact(head, "true").is_some())
    {
        return Ok(());
    }
    let mut reached = TermShape::default();
    for keyword in ["init", "next"] {
        program.facts.iter().filter_map(|fact| state_fact(fact, keyword)).for_each(|fact| reached.add(fact));
    }
    program.rules.iter().filter_map(|rule| state_fact(&rule.head, "init")).for_each(|fact| reached.add(fact));
    let mut waiting: Vec<&Clause> =
        program.rules.iter().filter(|rule| state_fact(&rule.head, "next").is_some()).collect();
    loop {
        budget.check()?;
        let (fire, wait): (Vec<&Clause>, Vec<&Clause>) =
            waiting.into_iter().partition(|rule| conditions(rule).all(|(fact, _)| reached.admits(fact)));
        fire.iter().filter_map(|rule| state_fact(&rule.head, "next")).for_each(|fact| reached.add(fact));
        waiting = wait;
        if fire.is_empty() {
            break;
        }
    }
    let mut reported: FxHashSet<String> = FxHashSet::default();
    for (fact, span) in program.rules.iter().flat_map(conditions).filter(|(fact, _)| !reached.admits(fact)) {
        let text = print_term(fact, Syntax::Kif);
        if never.insert(span) && reported.insert(text.clone()) {
            let needs_itself = waiting.iter().any(|rule| {
                state_fact(&rule.head, "next").is_some_and(|head| {
                    let mut shape = TermShape::default();
                    shape.add(head);
                    shape.admits(fact)
                })
            });
            let help = if needs_itself {
                "give it by `init`: each `next` for it needs a state fact that never holds"
            } else {
                "produce it by `init` or `next`"
            };
            found.push(
                Diagnostic::warning(Code::NeverFires, format!("no state has the fact `{text}`"))
                    .at(span, "this never holds")
                    .help(help),
            );
        }
    }
    Ok(())
}

/// The positive conditions of a rule on the state, with their places.
fn conditions(rule: &Clause) -> impl Iterator<Item = (&Term, Span)> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some((state_fact(atom, "true")?, atom.span)),
        _ => None,
    })
}

/// The state fact of an atom of this keyword.
fn state_fact<'a>(atom: &'a Atom, keyword: &str) -> Option<&'a Term> {
    (atom.predicate == keyword && atom.args.len() == 1).then(|| &atom.args[0])
}
