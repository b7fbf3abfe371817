//! Predicates with facts or rules that nothing reads, and whose names are slips for others: `egde(b, c).` among facts of `edge`.
//!
//! What nothing reads may be a result that somebody asks for, and results have names as `xpos` and `ypos`, `path` and `paths`. So the slip is one
//! within a word, unless the predicate has facts alone and the other one is read. Of a predicate with as many clauses as the other one, nothing is
//! told unless it has one. Linear in the length of the program, but for names that are near each other.

use super::places;
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::names::{self, NamesBySize};
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Predicate, Program};
use ludolog_syntax::diagnostic::{Diagnostic, Replacement, Span};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// The fewest letters of the longer one of two names that are near each other by no chance.
const SHORTEST: usize = 4;

/// The fewest letters of both names, if both may be words of results, as `last` and `least`.
const SHORTEST_OF_RESULTS: usize = 5;

/// For a slip that was made more than once, the least number of clauses of the predicate that is meant.
const MANY: usize = 4;

/// The facts, heads and effects of a predicate.
#[derive(Default)]
struct Conclusions {
    places: Vec<Span>,
    have_conditions: bool,
}

/// How one name differs from another one by one slip.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slip {
    /// Neighbors are exchanged, or a letter stands twice or once: never another word.
    Certain,
    /// A letter is missing or too much.
    Length { is_inner: bool },
    /// A letter stands for another.
    Letter { is_inner: bool },
}

/// Reports each predicate that nothing reads and no output declares, and whose name is a slip for another one that is defined or among those
/// `given`. Nothing is told of a place that something was found at before, and of names that `is_kept`.
pub(super) fn check(
    checked: &CheckedProgram,
    program: &Program,
    given: &[Predicate],
    is_kept: impl Fn(&Predicate) -> bool,
    found: &mut Vec<Diagnostic>,
) {
    let mut concluded: IndexMap<Predicate, Conclusions, FxBuildHasher> = IndexMap::default();
    // Facts of a predicate mostly stand together.
    for facts in checked.facts.chunk_by(|a, b| a.predicate == b.predicate && a.args.len() == b.args.len()) {
        let conclusions = concluded.entry(facts[0].signature()).or_default();
        conclusions.places.extend(facts.iter().map(|fact| fact.span));
    }
    for (head, body) in checked.conclusions().skip(checked.facts.len()) {
        let conclusions = concluded.entry(head.signature()).or_default();
        conclusions.places.push(head.span);
        conclusions.have_conditions |= !body.is_empty();
    }
    let orders = checked.orders().into_iter().map(|(_, order)| order);
    let read: FxHashSet<Predicate> =
        checked.bodies().flatten().filter_map(Literal::atom).chain(orders).map(Atom::signature).collect();
    let outputs = names::declared_outputs(program);
    let told = places(found);
    let names = NamesBySize::of(concluded.keys().chain(given));
    for (number, (predicate, conclusions)) in concluded.iter().enumerate() {
        let is_asked = read.contains(predicate)
            || given.contains(predicate)
            || outputs.iter().any(|name| predicate.name == ***name)
            || predicate.is_auxiliary()
            || is_kept(predicate);
        if is_asked || told.contains(&conclusions.places[0]) {
            continue;
        }
        let Some(meant) = names.meant(predicate) else { continue };
        let of_meant = concluded.get_full(meant);
        // Of two that nothing reads, the later one is the slip.
        let is_later = of_meant.is_none_or(|(other, _, _)| other < number || read.contains(meant));
        let clauses = of_meant.map_or(usize::MAX, |(_, _, meant)| meant.places.len());
        let is_rare = conclusions.places.len() == 1 || conclusions.places.len() <= clauses / MANY;
        let is_fact_of_read = !conclusions.have_conditions && read.contains(meant);
        if is_later && is_rare && is_slip(predicate.name.text(), meant.name.text(), is_fact_of_read) {
            let [name, meant] = [predicate, meant].map(|one| one.name.text());
            let all = conclusions.places.iter().map(|&place| Replacement::first(place, name, meant));
            found.push(names::unread_slip(predicate, conclusions.places[0], meant).repair(all.collect()));
        }
    }
}

/// Whether a name is a slip for another one. In facts of what is read otherwise, names that begin or end otherwise are slips too.
fn is_slip(name: &str, meant: &str, is_fact_of_read: bool) -> bool {
    let [name, meant]: [Vec<char>; 2] = [name, meant].map(|name| name.chars().collect());
    let longer = name.len().max(meant.len());
    let are_long = name.len().min(meant.len()) >= SHORTEST_OF_RESULTS;
    longer >= SHORTEST
        && slip(&name, &meant).is_some_and(|slip| match slip {
            Slip::Certain => true,
            Slip::Length { .. } if is_fact_of_read => true,
            Slip::Length { is_inner } | Slip::Letter { is_inner } => is_inner && (is_fact_of_read || are_long),
        })
}

/// The slip by which a name differs from another one; `None` if it takes several, or changes more than letters.
fn slip(name: &[char], meant: &[char]) -> Option<Slip> {
    let same = |(one, other): &(&char, &char)| one == other;
    let front = name.iter().zip(meant).take_while(same).count();
    let [rest, rest_meant] = [&name[front..], &meant[front..]];
    let behind = rest.iter().rev().zip(rest_meant.iter().rev()).take_while(same).count();
    let is_letter = |at: usize| name.get(at).is_some_and(|letter| letter.is_alphabetic());
    let is_inner = front > 0 && is_letter(front - 1) && behind > 0 && is_letter(name.len() - behind);
    let changed = [&rest[..rest.len() - behind], &rest_meant[..rest_meant.len() - behind]];
    if !changed.into_iter().flatten().all(|letter| letter.is_alphabetic()) {
        return None;
    }
    match changed {
        [[a, b], [c, d]] if a == d && b == c => Some(Slip::Certain),
        // The letter in front is the same, since the longest common beginning is left out.
        [[letter], []] | [[], [letter]] if front > 0 && name[front - 1] == *letter => Some(Slip::Certain),
        [[_], []] | [[], [_]] => Some(Slip::Length { is_inner }),
        [[_], [_]] => Some(Slip::Letter { is_inner }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_told_from_names_that_belong_together() {
        for (name, meant) in [("egde", "edge"), ("pahts", "paths"), ("ggen", "gen"), ("ancstor", "ancestor")] {
            assert!(is_slip(name, meant, false), "{name}");
        }
        for name in ["parrent", "parnt", "parwent", "porent", "praent", "parentt"] {
            assert!(is_slip(name, "parent", false), "{name}");
        }
        for name in ["parents", "aparent", "paren"] {
            assert_eq!([false, true].map(|of_read| is_slip(name, "parent", of_read)), [false, true], "{name}");
        }
        for (name, other) in
            [("xpos", "ypos"), ("x_pos", "y_pos"), ("step1", "step2"), ("row_a", "row_b"), ("last", "least")]
        {
            assert!(!is_slip(name, other, false), "{name}");
        }
    }
}
