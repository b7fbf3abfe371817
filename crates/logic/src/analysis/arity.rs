//! One predicate, one arity.
//!
//! A name used with several arities is nearly always a slip. It is an error, except in programs with roles: rulesheets
//! in the wild do it on purpose, other systems play them, and the engines tell `p/1` from `p/2` anyway.

use super::clause::CheckedProgram;
use super::gdl;
use super::report::arguments;
use ludolog_syntax::ast::PredicateName;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports names with several arities, as warnings in a game, where `gdl` reports the keywords.
pub(super) fn check(program: &CheckedProgram, is_game: bool, found: &mut Vec<Diagnostic>) {
    let severity = if is_game { Diagnostic::warning } else { Diagnostic::error };
    let keywords: FxHashSet<&str> = gdl::keywords(program).map(|(name, _)| name).filter(|_| is_game).collect();
    // By name: where each arity was first seen; the first entry is the one that the others clash with.
    let mut seen: FxHashMap<&PredicateName, Vec<(usize, Span)>> = FxHashMap::default();
    program.for_each_atom(&mut |atom| {
        if atom.predicate.written().is_some_and(|name| keywords.contains(name)) {
            return;
        }
        let arities = seen.entry(&atom.predicate).or_default();
        let arity = atom.args.len();
        if arities.iter().any(|&(known, _)| known == arity) {
            return;
        }
        arities.push((arity, atom.span));
        let (expected, first) = arities[0];
        if expected != arity {
            let name = &atom.predicate;
            found.push(
                severity(
                    Code::ArityMismatch,
                    format!("`{name}` has {} here, but {} elsewhere", arguments(arity), arguments(expected)),
                )
                .at(atom.span, format!("used as `{name}/{arity}`"))
                .at(first, format!("used as `{name}/{expected}`"))
                .help("give both uses the same number of arguments, or one of them another name"),
            );
        }
    });
}
