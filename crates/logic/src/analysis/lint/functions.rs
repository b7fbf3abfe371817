//! Functions under `=` and `!=`, where they are terms: `abs(X - Y) != 1` holds of all integers, since no term is one.

use crate::analysis::clause::{CheckedProgram, Literal};
use ludolog_syntax::ast::{Comparator, Comparison, Name, Operation, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Replacement, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::FxHashSet;

/// Reports the first function of each comparison of a `.dl` text that is compared as a term, unless terms of its name stand in
/// the arguments of predicates. The bodies are those of the program, or of goals that are asked of it.
pub(super) fn check<'c>(
    bodies: impl Iterator<Item = &'c [Literal]> + Clone,
    checked: &'c CheckedProgram,
    syntax_at: impl Fn(Span) -> Syntax,
    found: &mut Vec<Diagnostic>,
) {
    let mut reported: FxHashSet<Span> = FxHashSet::default();
    let mut terms = None;
    for literal in bodies.clone().flatten() {
        let (Literal::Compare(comparison) | Literal::NotCompare(comparison)) = literal else { continue };
        if !matches!(comparison.comparator, Comparator::Equal | Comparator::NotEqual)
            || syntax_at(comparison.span) != Syntax::Datalog
        {
            continue;
        }
        let sides = [&comparison.left, &comparison.right];
        let Some((function, name, arity)) = sides.into_iter().find_map(function) else { continue };
        let terms = terms.get_or_insert_with(|| functors(bodies.clone(), checked));
        if terms.contains(&(name, arity)) || !reported.insert(comparison.span) {
            continue;
        }
        if let Some(meant) = Operation::named_elsewhere(name, arity) {
            found.push(of_another_language(function, comparison, meant));
            continue;
        }
        let function = print_term(function, Syntax::Datalog);
        // A sign under a negation is told as the opposite one.
        let (way_out, meant): (_, &[(&str, &str)]) = match comparison.comparator {
            Comparator::Equal => (
                "write `=:=`, which computes both sides, or `is`, which binds the left one",
                &[("=", "=:="), ("=", "is"), ("!=", "=\\=")],
            ),
            _ => ("write `=\\=`, which computes both sides", &[("!=", "=\\="), ("\\=", "=\\="), ("=", "=:=")]),
        };
        let message = format!("`{function}` is compared as a term here, and not computed");
        let warning = Diagnostic::warning(Code::UncomputedFunction, message)
            .at(comparison.span, "`=` and `!=` compute `+`, `-`, `*`, `/` and `mod` only")
            .help(way_out);
        let respelled =
            |warning: Diagnostic, (sign, meant): &(&str, &str)| warning.respelled(comparison.span, *sign, *meant);
        found.push(meant.iter().fold(warning, respelled));
    }
}

/// What is told of a function of another language, which is a term here.
fn of_another_language(function: &Term, comparison: &Comparison, meant: &str) -> Diagnostic {
    let text = print_term(function, Syntax::Datalog);
    let place = comparison.span;
    let warning =
        Diagnostic::warning(Code::UncomputedFunction, format!("`{text}` is compared as a term here, and not computed"));
    let warning =
        warning.at(place, "it is no function here").help(format!("the function is `{meant}`, as in `X is {meant}(…)`"));
    match (function, comparison.comparator) {
        (Term::Compound(name, _), Comparator::Equal) => {
            warning.repair(vec![Replacement::first(place, "=", "is"), Replacement::first(place, &**name, meant)])
        }
        _ => warning,
    }
}

/// The first function in a term, of this language or of another, beneath operators, with its name and arity.
fn function(term: &Term) -> Option<(&Term, &Name, usize)> {
    let mut left = vec![term];
    while let Some(term) = left.pop() {
        let Term::Compound(name, args) = term else { continue };
        match Operation::of(name, args.len()) {
            Some(operation) if operation.is_operator() => left.extend(args.iter().rev()),
            Some(_) => return Some((term, name, args.len())),
            None if Operation::named_elsewhere(name, args.len()).is_some() => return Some((term, name, args.len())),
            None => {}
        }
    }
    None
}

/// The functors and arities of the compounds in the arguments of predicates.
fn functors<'c>(
    bodies: impl Iterator<Item = &'c [Literal]>,
    checked: &'c CheckedProgram,
) -> FxHashSet<(&'c Name, usize)> {
    let mut left: Vec<&Term> = bodies.flatten().filter_map(Literal::atom).flat_map(|atom| &atom.args).collect();
    checked.for_each_atom(&mut |atom| left.extend(&atom.args));
    let mut functors: FxHashSet<(&Name, usize)> = FxHashSet::default();
    while let Some(term) = left.pop() {
        if let Term::Compound(name, args) = term {
            functors.insert((name, args.len()));
            left.extend(args.iter());
        }
    }
    functors
}
