//! Predicates that nothing defines, and that are no input.
//!
//! What a transition rule reads may be an event. A program without facts reads all of them from its case; where some
//! predicates have facts, those without are probably forgotten. A game has no inputs but its state and moves.

use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::{gdl, names};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use rustc_hash::FxHashSet;

/// Reports predicates that nothing defines, besides those that are spelled nearly as another: of them the analysis warns.
pub(super) fn check(
    program: &CheckedProgram,
    is_game: bool,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    if program.facts.is_empty() && !is_game {
        return Ok(());
    }
    let defined = names::definable(program, is_game);
    let names = names::Names::of(&defined);
    let keywords: FxHashSet<&str> = gdl::keywords(program).map(|(name, _)| name).filter(|_| is_game).collect();
    let conditions = program.transitions.iter().flat_map(|transition| &transition.conditions);
    let mut reported: FxHashSet<_> = conditions.filter_map(Literal::atom).map(|atom| atom.signature()).collect();
    for atom in program.rules.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom) {
        let predicate = atom.signature();
        budget.check()?;
        if defined.contains(&predicate)
            || keywords.contains(&*predicate.name)
            || !reported.insert(predicate.clone())
            || names.meant(&predicate).is_some()
        {
            continue;
        }
        let help = match (&*predicate.name, predicate.arity) {
            ("findall" | "bagof" | "setof" | "aggregate_all" | "forall", _) => {
                "this is of Prolog: there are no aggregates; \"for all\" is \"not one without\", as in `~exception(X)`"
            }
            ("assert" | "asserta" | "assertz" | "retract" | "retractall", 1) => {
                "this is of Prolog: facts change by transition rules, `event & conditions ==> effects`"
            }
            ("write" | "print" | "format" | "nl", _) => "this is of Prolog: queries print their answers",
            ("between", 3) => "this is of Prolog: write one fact for each number, or count up to a bound",
            _ => {
                "define it, or correct its name; if its facts come from elsewhere, say so in a comment: \
                 `ludolog: allow unknown-predicate`"
            }
        };
        found.push(
            Diagnostic::warning(Code::UnknownPredicate, format!("nothing defines `{predicate}`"))
                .at(atom.span, "no fact or rule has this head")
                .help(help),
        );
    }
    Ok(())
}
