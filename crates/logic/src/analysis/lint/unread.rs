//! Predicates of a game that nothing reads, and arguments that nothing reads.
//!
//! An argument is read where it is no variable, or a variable that occurs again in the rule. Of a predicate that nothing reads no
//! argument is told, and of keywords neither. A predicate that only itself reads counts as read. Linear in the length of the
//! program.

use super::places;
use crate::analysis::clause::{CheckedProgram, Clause, Literal};
use crate::analysis::{gdl, names};
use ludolog_syntax::ast::{Atom, Name, Predicate, Program, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use rustc_hash::{FxHashMap, FxHashSet};

/// Predicates that begin so are for whoever draws the game.
const PICTURES: &str = "picture_";

/// For each predicate that is read, whether each argument is.
type Reads = FxHashMap<Predicate, Vec<bool>>;

/// Notes each predicate that the game defines and nothing reads, and the arguments of others, once. Nothing is noted of a place
/// that something was found at before.
pub(super) fn check(program: &CheckedProgram, written: &Program, found: &mut Vec<Diagnostic>) {
    let mut reads = Reads::default();
    program.rules.iter().for_each(|rule| add_rule(rule, &mut reads));
    let others = program.goals().map(|goal| &goal.body).chain(program.transitions.iter().map(|it| &it.conditions));
    others.flatten().filter_map(Literal::atom).for_each(|atom| {
        reads.insert(atom.signature(), vec![true; atom.args.len()]);
    });
    let outputs = names::declared_outputs(written);
    let is_asked = |predicate: &Predicate| {
        predicate.is_auxiliary()
            || outputs.iter().any(|name| predicate.name == ***name)
            || is_of_game(program, predicate)
    };
    let told = places(found);
    let mut seen = FxHashSet::default();
    for head in program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head)) {
        let predicate = head.signature();
        if seen.insert(predicate.clone()) && !is_asked(&predicate) && !told.contains(&head.span) {
            check_predicate(head, reads.get(&predicate), found);
        }
    }
}

/// Whether a predicate is for the game to read, or for whoever draws it.
pub(super) fn is_of_game(program: &CheckedProgram, predicate: &Predicate) -> bool {
    predicate.name.text().starts_with(PICTURES) || gdl::keywords(program).any(|(name, _)| predicate.name == name)
}

/// Notes a predicate that is not read, or its arguments that are not.
fn check_predicate(head: &Atom, read: Option<&Vec<bool>>, found: &mut Vec<Diagnostic>) {
    let predicate = head.signature();
    let Some(read) = read else {
        found.push(
            Diagnostic::note(Code::UnusedPredicate, format!("nothing reads `{predicate}`"))
                .at(head.span, "this has no effect")
                .missing(predicate.name.text()),
        );
        return;
    };
    let unread: Vec<String> = (0..read.len()).filter(|&at| !read[at]).map(|at| (at + 1).to_string()).collect();
    let message = match &unread[..] {
        [] => return,
        [one] => format!("nothing reads argument {one} of `{predicate}`"),
        [first @ .., last] => format!("nothing reads arguments {} and {last} of `{predicate}`", first.join(", ")),
    };
    let note = Diagnostic::note(Code::UnusedArgument, message).at(head.span, "the value has no effect");
    found.push(note.missing(predicate.name.text()));
}

fn add_rule(rule: &Clause, reads: &mut Reads) {
    let mut counts: FxHashMap<&Name, usize> = FxHashMap::default();
    let mut count = |name| *counts.entry(name).or_default() += 1;
    rule.head.args.iter().for_each(|arg| arg.for_each_variable(&mut count));
    rule.body.iter().for_each(|literal| literal.for_each_variable(&mut count));
    for atom in rule.body.iter().filter_map(Literal::atom) {
        let read = reads.entry(atom.signature()).or_insert_with(|| vec![false; atom.args.len()]);
        for (read, arg) in read.iter_mut().zip(&atom.args) {
            *read |= !matches!(arg, Term::Variable(name) if counts.get(name) == Some(&1));
        }
    }
}
