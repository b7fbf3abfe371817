//! Predicates that nothing defines, and what was probably meant.
//!
//! A rule file may well read predicates that it does not define: they are its input. Only when a defined predicate of
//! the same arity is spelled nearly the same is there a warning.

use super::clause::{CheckedProgram, Literal};
use ludolog_syntax::ast::{Effect, Predicate};
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use rustc_hash::FxHashSet;

pub(super) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let defined: FxHashSet<Predicate> = defined(program);
    let mut reported = FxHashSet::default();
    let bodies = program.rules.iter().map(|rule| &rule.body);
    let bodies = bodies.chain(program.transitions.iter().map(|transition| &transition.conditions));
    for literal in bodies.flatten() {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
        let predicate = atom.signature();
        if defined.contains(&predicate) || !reported.insert(predicate.clone()) {
            continue;
        }
        let same_arity = defined.iter().filter(|other| other.arity == predicate.arity);
        if let Some(meant) = closest(&predicate.name, same_arity) {
            found.push(
                Diagnostic::warning(Code::UnknownPredicate, format!("nothing defines `{predicate}`"))
                    .at(atom.span, "no fact or rule has this head")
                    .help(format!("did you mean `{}`?", meant.name)),
            );
        }
    }
}

/// The predicates of facts, heads and effects.
fn defined(program: &CheckedProgram) -> FxHashSet<Predicate> {
    let effects = program.transitions.iter().flat_map(|transition| &transition.effects);
    let mut defined = program.defined();
    defined.extend(effects.map(|(Effect::Add(atom) | Effect::Delete(atom))| atom.signature()));
    defined
}

/// All predicates that occur, defined or read.
pub(super) fn mentioned(program: &CheckedProgram) -> FxHashSet<Predicate> {
    let mut all = FxHashSet::default();
    program.for_each_atom(&mut |atom| {
        all.insert(atom.signature());
    });
    all
}

/// The predicate whose name is nearest to `name`, if it is near: one slip in four letters, two in eight.
pub(super) fn closest<'a>(name: &str, among: impl Iterator<Item = &'a Predicate>) -> Option<&'a Predicate> {
    let name: Vec<char> = name.chars().collect();
    let allowed = name.len().div_ceil(4).min(2);
    among
        .filter(|other| !other.is_auxiliary() && other.name.chars().count().abs_diff(name.len()) <= allowed)
        .map(|other| (slips(&name, &other.name.chars().collect::<Vec<_>>()), other))
        .filter(|&(distance, other)| distance <= allowed && distance < other.name.chars().count())
        .min()
        .map(|(_, other)| other)
}

/// How many insertions, deletions, replacements and swaps of neighbors turn one word into the other (optimal string
/// alignment).
fn slips(a: &[char], b: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slips_of(a: &str, b: &str) -> usize {
        slips(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>())
    }

    #[test]
    fn slips_count_single_key_errors() {
        assert_eq!(slips_of("cluster", "cluster"), 0);
        assert_eq!(slips_of("cluster", "clutser"), 1);
        assert_eq!(slips_of("cluster", "clster"), 1);
        assert_eq!(slips_of("coords", "coord"), 1);
        assert_eq!(slips_of("", "abc"), 3);
        assert_eq!(slips_of("win", "lose"), 4);
    }

    #[test]
    fn short_names_are_not_taken_for_each_other() {
        let known = [Predicate::new("q", 1), Predicate::new("stone", 2)];
        assert_eq!(closest("p", known.iter()), None);
        assert_eq!(closest("stnoe", known.iter()), Some(&known[1]));
    }
}
