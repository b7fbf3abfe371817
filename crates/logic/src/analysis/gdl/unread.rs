//! State facts that nothing reads.

use super::produced::OuterFunctor;
use super::{heads_of, read};
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::names;
use indexmap::IndexMap;
use ludolog_syntax::ast::Predicate;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// The fewest letters of the longer one of two names that are near each other by no chance.
const SHORTEST: usize = 4;

/// Reports each functor of state facts that `init` or `next` produce and no `true` reads: a slip, if its name is nearly that of one that is read;
/// else a note. A functor that is read with another number of arguments is told of elsewhere.
pub(in crate::analysis) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let asked = program.goals().flat_map(|goal| &goal.body).filter_map(Literal::atom);
    let reads = read(program).chain(asked).filter(|atom| atom.predicate == "true" && atom.args.len() == 1);
    let mut known: FxHashSet<Predicate> = FxHashSet::default();
    for atom in reads {
        // A variable reads any of them.
        let Some(functor) = OuterFunctor::of(&atom.args[0]) else { return };
        known.insert(functor.predicate);
    }
    let mut unread: IndexMap<OuterFunctor, Span, FxBuildHasher> = IndexMap::default();
    for head in ["init", "next"].into_iter().flat_map(|name| heads_of(program, name, 1)) {
        let Some(functor) = OuterFunctor::of(&head.args[0]) else { continue };
        if !known.iter().any(|other| other.name == functor.predicate.name) {
            unread.entry(functor).or_insert(head.span);
        }
    }
    found.extend(unread.iter().map(|(functor, place)| told(functor, *place, &known)));
}

fn told(functor: &OuterFunctor, place: Span, known: &FxHashSet<Predicate>) -> Diagnostic {
    let name = functor.predicate.name.text();
    let letters = |name: &str| name.chars().count();
    let is_slip = |meant: &&Predicate| {
        letters(name).max(letters(meant.name.text())) >= SHORTEST && !name.contains(char::is_numeric)
    };
    let of_arity = known.iter().filter(|other| other.arity == functor.predicate.arity);
    let message = format!("nothing reads the state fact {}", functor.text());
    let unread = match names::closest(name, of_arity).filter(is_slip) {
        Some(meant) => {
            Diagnostic::warning(Code::UnknownName, format!("{message}, whose name is nearly `{}`", meant.name))
                .help(format!("did you mean `{}`?", meant.name))
                .respelled(place, name, meant.name.text())
        }
        None => Diagnostic::note(Code::UnusedPredicate, message),
    };
    unread.at(place, "this has no effect").missing(name)
}
