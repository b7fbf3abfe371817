//! The rules of the Game Description Language, for programs that are games.
//!
//! N. Love, T. Hinrichs, D. Haley, E. Schkufza, M. Genesereth: *General Game Playing: Game Description Language
//! Specification* (2008) gives the keywords, says that goals are integers from 0 to 100, that every role has legal moves and
//! goals, and restricts recursion. M. Thielscher: *A General Game Description Language for Incomplete Information Games*
//! (2010) adds `sees` and the role `random` (GDL-II), and sums up which descriptions are *valid*:
//!
//! * `role` stands in heads of facts only;
//! * `init` stands in heads only, and depends on none of `true`, `does`, `legal`, `next`, `sees`, `terminal`, `goal`;
//! * `true` stands in bodies only;
//! * `does` stands in bodies only, and none of `legal`, `terminal`, `goal` depends on it;
//! * `next` and `sees` stand in heads only.
//!
//! `base` and `input` came later (M. Genesereth, M. Thielscher: *General Game Playing*, 2014); they list all state facts and
//! moves that ever come up, so they may not depend on the state either. That programs be safe and stratified, and their
//! recursion restricted, is checked with all other programs: see `safety`, `strata` and `growth`.
//!
//! All are warnings but one: without roles, nobody can play. Rulesheets in the wild break most of these rules somewhere, and
//! other systems play them.
//!
//! * `bare`: state facts without keyword, and keywords that run into the next word.
//! * `keywords`: arities, and the places where each keyword may stand.
//! * `complete`: what every game must define, for every role; `goals`: the values of goals.
//! * `dependence`: what may depend on the state and the moves.
//! * `hidden`: what every role of a game with hidden states needs to see. Only `lint` asks.
//! * `produced`: state facts, moves and roles that nothing produces, or that have two arities. Only `lint` asks.
//! * `unread`: state facts that nothing reads. Only `lint` asks.

mod bare;
mod complete;
mod dependence;
mod goals;
mod hidden;
mod keywords;
mod produced;
mod unread;

pub(super) use bare::{BareWords, check as check_bare};
pub(super) use complete::{check_roles, lacks_roles};
pub(super) use hidden::check as check_hidden;
pub(super) use keywords::{check_misspelled, keywords};
pub(super) use produced::check as check_produced;
pub use produced::unproduced;
pub(super) use unread::check as check_unread;

use super::clause::CheckedProgram;
use ludolog_syntax::ast::{Atom, Term};
use ludolog_syntax::diagnostic::Diagnostic;

/// The role of GDL-II that moves at random.
const RANDOM: &str = "random";

/// Whether the program is a game: it says who plays, and what a player may do, begins with, comes to or aims at.
pub fn has_roles(program: &CheckedProgram) -> bool {
    let defines = |name, arity| heads_of(program, name, arity).next().is_some();
    defines("role", 1) && GAME.iter().any(|&(name, arity)| defines(name, arity))
}

/// The relations of which a game with roles has at least one.
const GAME: [(&str, usize); 5] = [("legal", 2), ("init", 1), ("next", 1), ("goal", 2), ("terminal", 0)];

/// Reports how a game departs from the specification.
pub(super) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    keywords::check(program, found);
    complete::check(program, found);
    goals::check(program, found);
    dependence::check(program, found);
}

/// All facts and heads of rules. A rule with alternatives has become several, with the same head.
fn heads(program: &CheckedProgram) -> impl Iterator<Item = &Atom> {
    program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head))
}

/// The facts and heads of one predicate.
fn heads_of<'a>(program: &'a CheckedProgram, name: &'a str, arity: usize) -> impl Iterator<Item = &'a Atom> {
    heads(program).filter(move |head| head.predicate == name && head.args.len() == arity)
}

/// The atoms in bodies of rules, those under negation included.
fn read(program: &CheckedProgram) -> impl Iterator<Item = &Atom> {
    program.rules.iter().flat_map(|rule| &rule.body).filter_map(|literal| literal.atom())
}

/// The roles that are facts.
fn roles(program: &CheckedProgram) -> impl Iterator<Item = &Atom> {
    program.facts.iter().filter(|fact| fact.predicate == "role" && fact.args.len() == 1)
}

/// Whether the game is written in GDL-II: `random` is one of its roles, or its states are hidden.
fn is_gdl_ii(program: &CheckedProgram) -> bool {
    has_random(program) || hides(program)
}

/// Whether `random` is a role.
fn has_random(program: &CheckedProgram) -> bool {
    roles(program).any(|role| is_random(&role.args[0]))
}

/// Whether the roles of a game know no more than their own moves and what they see (GDL-II): `sees/2` is defined. Where
/// `random` is no role, a relation of this name that rules read is one as any other.
pub fn hides(program: &CheckedProgram) -> bool {
    let defines = |name, arity| heads_of(program, name, arity).next().is_some();
    let is_read = || read(program).any(|atom| atom.predicate == "sees" && atom.args.len() == 2);
    defines("role", 1) && defines("sees", 2) && (has_random(program) || !is_read())
}

/// Whether a role is chance, as GDL-II has it.
pub fn is_random(role: &Term) -> bool {
    matches!(role, Term::Symbol(name) if &**name == RANDOM)
}
