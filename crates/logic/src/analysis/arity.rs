//! One predicate, one arity.
//!
//! A name used with several arities is nearly always a slip. It is an error, except in programs with roles: rulesheets
//! in the wild do it on purpose, other systems play them, and the engines tell `p/1` from `p/2` anyway.

use super::clause::CheckedProgram;
use super::gdl;
use super::names::NamesBySize;
use super::report::arguments;
use ludolog_syntax::ast::{Predicate, PredicateName};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
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

/// The numbers of arguments that a program gives its predicates, by name.
#[derive(Clone, Debug, Default)]
pub struct Arities(FxHashMap<PredicateName, FxHashSet<usize>>);

impl Arities {
    /// Those of all predicates that a program mentions or declares types of.
    pub fn of(program: &CheckedProgram) -> Arities {
        let mut arities = Arities::default();
        let mut add = |predicate: Predicate| _ = arities.0.entry(predicate.name).or_default().insert(predicate.arity);
        program.for_each_atom(&mut |atom| add(atom.signature()));
        program.types.predicates().for_each(add);
        arities
    }

    /// Whether a fact of a predicate may be meant: the program has it with this number of arguments, or not at all.
    ///
    /// # Errors
    ///
    /// The number of arguments that the program gives it.
    pub fn check(&self, predicate: &Predicate) -> Result<(), Diagnostics> {
        let Some(arities) = self.0.get(&predicate.name) else { return Ok(()) };
        let Some(other) = arities.iter().min().filter(|_| !arities.contains(&predicate.arity)) else { return Ok(()) };
        let [given, has] = [predicate.arity, *other].map(arguments);
        let message = format!("`{}` has {has} in the program, and {given} here", predicate.name);
        let help = format!("give each fact of `{}/{other}` {has}", predicate.name);
        let mut wrong = Diagnostics::new();
        wrong.push(Diagnostic::error(Code::ArityMismatch, message).help(help));
        Err(wrong)
    }

    /// Warnings of predicates that got facts and that the program has not. Of a program without predicates there are none.
    pub fn unread(&self, given: impl IntoIterator<Item = Predicate>) -> Diagnostics {
        let mut found = Diagnostics::new();
        let unread: Vec<Predicate> = given.into_iter().filter(|one| !self.0.contains_key(&one.name)).collect();
        if unread.is_empty() || self.0.is_empty() {
            return found;
        }
        let pairs = self.0.iter().flat_map(|(name, arities)| arities.iter().map(move |arity| (name, arity)));
        let known: Vec<Predicate> =
            pairs.map(|(name, arity)| Predicate { name: name.clone(), arity: *arity }).collect();
        let names = NamesBySize::of(&known);
        let warning = |predicate: Predicate| {
            let message = format!("nothing reads `{predicate}`, which got facts");
            let warning = Diagnostic::warning(Code::UnknownPredicate, message);
            warning.help(match names.meant(&predicate) {
                Some(meant) => format!("did you mean `{}`?", meant.name),
                None => "the rules have no such predicate; a goal may ask for it".to_owned(),
            })
        };
        unread.into_iter().map(warning).for_each(|one| found.push(one));
        found
    }
}
