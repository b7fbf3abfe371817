//! Goals against an analyzed program.

use super::built_in::BuiltIn;
use super::clause::{Goal, Literal, StratifiedProgram};
use super::report::in_reading_order;
use super::{formula, lower, names, types};
use ludolog_syntax::Syntax;
use ludolog_syntax::ast::{Formula, Predicate, Query};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};

/// Lowers a goal and checks it: its predicates are known, with their arity, and its variables are bound.
///
/// Known is what the program defines or reads, and `inputs`, predicates that only the case at hand has facts for. A
/// goal is one conjunction; one with alternatives is refused here, but may stand as a query in a program, where
/// [`analyze`](super::analyze) turns it into an auxiliary predicate.
///
/// # Errors
///
/// All that is wrong with the goal.
///
/// # Panics
///
/// Never: without limits, nothing stops early.
pub fn goal(query: &Query, program: &StratifiedProgram, inputs: &[Predicate]) -> Result<Goal, Diagnostics> {
    let mut found = Vec::new();
    let span = query.body.iter().map(Formula::span).fold(Span::NONE, |all, one| all.to(one));
    let built_in = BuiltIn::beside(&program.program, inputs);
    let mut bodies = lower::lower_goal(query, built_in, span, Syntax::Datalog, &Budget::unlimited(), &mut found)
        .expect("nothing stops it without limits");
    let known = names::known(&program.program, inputs);
    let mut aggregate = None;
    formula::for_each_aggregate(&query.body, false, &mut |found, _| aggregate = aggregate.or(Some(found.span)));
    if let Some(place) = aggregate {
        let error =
            Diagnostic::error(Code::UnsupportedGoal, "a goal has no aggregates of its own").at(place, "an aggregate");
        return Err(error
            .help(
                "define a predicate by it among the rules, as `total(N) :- N = count { X : p(X) }.`, and ask for that",
            )
            .into());
    }
    let mut unknown = Vec::new();
    for literal in bodies.iter().flat_map(|body| body.iter()) {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
        let predicate = atom.signature();
        if known.contains(&predicate) || unknown.contains(&(predicate.clone(), atom.span)) {
            continue;
        }
        let (wrong, label) = names::unknown(&predicate, &known);
        found.push(wrong.at(atom.span, label));
        unknown.push((predicate, atom.span));
    }
    types::check_goal(&program.program, &bodies, &mut found);
    if bodies.len() != 1 {
        found.push(
            Diagnostic::error(Code::UnsupportedGoal, "a goal is one conjunction, without alternatives")
                .at(span, "several ways to satisfy this")
                .help("ask each alternative by itself, or write them as rules of one predicate, as `either(X) :- p(X).` and `either(X) :- q(X).`, and ask for that"),
        );
    }
    if found.is_empty() {
        return Ok(Goal { body: bodies.remove(0), variables: formula::answer_variables(&query.body), span });
    }
    Err(in_reading_order(found))
}
