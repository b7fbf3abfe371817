//! Predicates that nothing defines, and what was probably meant.
//!
//! A rule file may well read predicates that it does not define: they are its input. Only when a defined predicate of
//! the same arity is spelled nearly the same is there a warning.

use super::clause::{CheckedProgram, Literal};
use ludolog_syntax::ast::{Effect, Predicate};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic};
use rustc_hash::FxHashSet;

/// Most names of about the same length that one is compared with. Programs with more are generated, and near names are no slips.
const MOST_CANDIDATES: usize = 1000;

pub(super) fn check(
    program: &CheckedProgram,
    is_game: bool,
    budget: &Budget,
    found: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    let defined: FxHashSet<Predicate> = definable(program, is_game);
    let mut reported = FxHashSet::default();
    let bodies = program.rules.iter().map(|rule| &rule.body);
    let bodies = bodies.chain(program.transitions.iter().map(|transition| &transition.conditions));
    for literal in bodies.flatten() {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
        let predicate = atom.signature();
        if defined.contains(&predicate) || !reported.insert(predicate.clone()) {
            continue;
        }
        if let Some(meant) = meant(&predicate, &defined, budget)? {
            found.push(
                Diagnostic::warning(Code::UnknownPredicate, format!("nothing defines `{predicate}`"))
                    .at(atom.span, "no fact or rule has this head")
                    .help(format!("did you mean `{}`?", meant.name)),
            );
        }
    }
    Ok(())
}

/// The defined predicate of the same arity that is spelled nearly as this one, which is not. Compares with all of them, for
/// which the budget is checked first.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn meant<'a>(
    predicate: &Predicate,
    defined: &'a FxHashSet<Predicate>,
    budget: &Budget,
) -> Result<Option<&'a Predicate>, Stopped> {
    budget.check()?;
    Ok(closest(&predicate.name, defined.iter().filter(|other| other.arity == predicate.arity)))
}

/// The predicates that a program may have facts of: those of its facts, heads and effects, and in a game also those that the
/// game gives.
pub fn definable(program: &CheckedProgram, is_game: bool) -> FxHashSet<Predicate> {
    let effects = program.transitions.iter().flat_map(|transition| &transition.effects);
    let mut defined = program.defined();
    defined.extend(effects.map(|(Effect::Add(atom) | Effect::Delete(atom))| atom.signature()));
    if is_game {
        defined.extend([Predicate::new("true", 1), Predicate::new("does", 2)]);
    }
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

/// The predicate whose name is nearest to `name`, if it is near: one slip in four letters, two in eight. A slip is an
/// insertion, a deletion, a replacement, or a swap of neighbors. `None` if more than [`MOST_CANDIDATES`] names are as long.
pub(super) fn closest<'a>(name: &str, among: impl Iterator<Item = &'a Predicate>) -> Option<&'a Predicate> {
    let length = name.chars().count();
    let allowed = length.div_ceil(4).min(2);
    let as_long = |other: &&Predicate| other.name.chars().count().abs_diff(length) <= allowed;
    let candidates: Vec<&Predicate> =
        among.filter(|other| as_long(other) && !other.is_auxiliary()).take(MOST_CANDIDATES + 1).collect();
    if candidates.len() > MOST_CANDIDATES {
        return None;
    }
    candidates
        .into_iter()
        .map(|other| (strsim::osa_distance(name, &other.name), other))
        .filter(|&(distance, other)| distance <= allowed && distance < other.name.chars().count())
        .min()
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_forgiven() {
        let cluster = Predicate::new("cluster", 1);
        for name in ["clutser", "clster", "cluuster", "cluxter"] {
            assert_eq!(closest(name, [&cluster].into_iter()), Some(&cluster), "{name}");
        }
        assert_eq!(closest("castle", [&cluster].into_iter()), None);
    }

    #[test]
    fn names_of_generated_programs_are_not_compared() {
        let many: Vec<Predicate> = (0..=MOST_CANDIDATES).map(|i| Predicate::new(&format!("stone{i:04}"), 1)).collect();
        assert_eq!(closest("stoen0007", many[1..].iter()), Some(&many[7]));
        assert_eq!(closest("stoen0007", many.iter()), None);
    }

    #[test]
    fn short_names_are_not_taken_for_each_other() {
        let known = [Predicate::new("q", 1), Predicate::new("stone", 2)];
        assert_eq!(closest("p", known.iter()), None);
        assert_eq!(closest("stnoe", known.iter()), Some(&known[1]));
    }
}
