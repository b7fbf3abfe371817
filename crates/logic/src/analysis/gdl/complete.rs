//! The definitions that every game must have: roles, its end, and for each role legal moves and goals.

use super::{GAME, heads_of, is_random, read, roles};
use crate::analysis::clause::CheckedProgram;
use ludolog_syntax::ast::{Atom, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::FxHashSet;

/// Reports a program that is a game by all signs but that nobody plays.
pub(in crate::analysis) fn check_roles(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let Some(given) = reads_game(program) else { return };
    found.push(
        Diagnostic::error(Code::IncompleteGame, "no fact defines `role/1`: nobody plays this game")
            .at(given.span, "a game is read here")
            .help("name each role by a fact"),
    );
}

/// Whether the program is a game by all signs but that nobody plays.
pub(in crate::analysis) fn lacks_roles(program: &CheckedProgram) -> bool {
    reads_game(program).is_some()
}

/// The first place where a program without roles reads a state or moves that it does not define, if it defines two relations
/// that only games do.
fn reads_game(program: &CheckedProgram) -> Option<&Atom> {
    let defines = |name, arity| heads_of(program, name, arity).next().is_some();
    if defines("role", 1) || defines("true", 1) || defines("does", 2) {
        return None;
    }
    let is_given =
        |atom: &&Atom| matches!((atom.predicate.written(), atom.args.len()), (Some("true"), 1) | (Some("does"), 2));
    let signs = GAME.iter().filter(|&&(name, arity)| defines(name, arity)).count();
    read(program).find(is_given).filter(|_| signs >= 2)
}

/// Reports what a game with roles does not define.
pub(super) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let incomplete = |message: String| Diagnostic::warning(Code::IncompleteGame, message);
    let place = heads_of(program, "role", 1).next().map_or(Span::NONE, |head| head.span);
    for (name, arity) in [("legal", 2), ("goal", 2), ("terminal", 0)] {
        if heads_of(program, name, arity).next().is_none() {
            found.push(incomplete(format!("no rule defines `{name}/{arity}`")).at(place, "a game begins here").help(
                match name {
                    "legal" => "say what each role may do",
                    "goal" => "say what each role gets, from 0 to 100",
                    _ => "say when the game is over",
                },
            ));
        } else if arity == 2 {
            let has_it: FxHashSet<&Term> = heads_of(program, name, 2).map(|head| &head.args[0]).collect();
            if has_it.iter().any(|role| matches!(role, Term::Variable(_))) {
                continue;
            }
            let needs_it = |role: &Term| name == "legal" || !is_random(role);
            for fact in roles(program).filter(|fact| !has_it.contains(&fact.args[0]) && needs_it(&fact.args[0])) {
                let role = print_term(&fact.args[0], Syntax::Kif);
                found.push(
                    incomplete(format!("no rule defines `{name}` for the role `{role}`"))
                        .at(fact.span, "a role")
                        .help("say it for each role, or by a variable for all"),
                );
            }
        }
    }
}
