//! One predicate, one arity.
//!
//! A name used with several arities is nearly always a slip. It is an error, except in programs with roles: rulesheets
//! in the wild do it on purpose, other systems play them, and the engines tell `p/1` from `p/2` anyway.

use super::clause::{CheckedProgram, Literal};
use super::gdl;
use ludolog_syntax::ast::{Atom, Effect, Name};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxHashMap;

pub(super) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let severity = if gdl::has_roles(program) { Diagnostic::warning } else { Diagnostic::error };
    // By name: where each arity was first seen; the first entry is the one that the others clash with.
    let mut seen: FxHashMap<&Name, Vec<(usize, Span)>> = FxHashMap::default();
    for_each_atom(program, &mut |atom| {
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

/// Every atom of the program: definitions before uses.
pub(super) fn for_each_atom<'a>(program: &'a CheckedProgram, visit: &mut impl FnMut(&'a Atom)) {
    program.facts.iter().for_each(&mut *visit);
    program.rules.iter().for_each(|rule| visit(&rule.head));
    for effect in program.transitions.iter().flat_map(|transition| &transition.effects) {
        match effect {
            Effect::Add(atom) | Effect::Delete(atom) => visit(atom),
        }
    }
    let rules = program.rules.iter().flat_map(|rule| &rule.body);
    let transitions = program.transitions.iter().flat_map(|transition| &transition.conditions);
    let queries = program.queries.iter().flat_map(|query| &query.body);
    for literal in rules.chain(transitions).chain(queries) {
        if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
            visit(atom);
        }
    }
}

/// `no arguments`, `1 argument`, `2 arguments`, …
pub(super) fn arguments(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        _ => format!("{n} arguments"),
    }
}
