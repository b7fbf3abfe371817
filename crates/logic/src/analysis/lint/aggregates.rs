//! Sums and averages that take equal values once, though they are of different things: `sum { W : edge(X, Y, W) }`; and aggregates that count
//! equal rows once; and those over a variable that is bound outside of them: `N = max { N : score(X, N) }`.

use super::shown;
use crate::analysis::clause::{Aggregation, Literal};
use crate::analysis::given::{GivenColumns, Repeated, counted_rows};
use ludolog_syntax::ast::{Aggregate, AggregateFunction, Atom, Formula, Name, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxHashSet;

/// What is told of a sum or an average of one term, where a condition has a variable besides that stands for what the values are of.
pub(super) fn of_literal(literal: &Literal) -> Option<Diagnostic> {
    let Literal::Aggregate(aggregation) = literal else { return None };
    if let Some(name) = fixed(aggregation) {
        return Some(of_fixed(aggregation, name, literal.span()));
    }
    let function = aggregation.function;
    let [term] = &aggregation.written.0.template[..] else { return None };
    if !matches!(function, AggregateFunction::Sum | AggregateFunction::Average) {
        return None;
    }
    let untold = untold(aggregation, term)?;
    let term = shown(term);
    let is_anonymous = untold.starts_with('_');
    let untold = if is_anonymous { "_".to_owned() } else { shown(&Term::Variable(untold.clone())) };
    let told = if is_anonymous { "Y" } else { &untold };
    let name = function.name();
    let warning = Diagnostic::warning(Code::EqualValues, format!("`{name}` takes equal values of `{term}` once"));
    Some(warning.at(literal.span(), format!("whatever `{untold}` they are of")).help(format!(
        "tell them apart in the tuple, as in `{name} {{ {term}, {told} : … }}`; if each value is meant once, say so in a comment: \
         `ludolog: allow equal-values`"
    )))
}

/// The variable that stands outside of the braces as well, so that an aggregate has one value at most: what its function takes of each tuple, or, of a
/// count, all that a tuple has.
fn fixed(aggregation: &Aggregation) -> Option<&Name> {
    let (written, outside) = &*aggregation.written;
    let is_fixed = |term: &&Term| matches!(term, Term::Variable(name) if outside.contains(name));
    let taken = match aggregation.function {
        AggregateFunction::Count => written.template.iter().all(|term| is_fixed(&term)),
        _ => true,
    };
    match written.template.first().filter(is_fixed) {
        Some(Term::Variable(name)) if taken => Some(name),
        _ => None,
    }
}

fn of_fixed(aggregation: &Aggregation, name: &Name, place: Span) -> Diagnostic {
    let (written, outside) = &*aggregation.written;
    let is_counted = |name: &Name| written.template.iter().any(|term| matches!(term, Term::Variable(of) if of == name));
    // With another name the count would be of all groups together.
    let is_group = aggregation.function == AggregateFunction::Count && outside.iter().all(is_counted);
    let name = shown(&Term::Variable(name.clone()));
    let function = aggregation.function.name();
    let way_out = if is_group {
        format!(
            "to count for each `{name}`, name what is counted, as in `count {{ X : … }}`, and leave `{name}` in the conditions; to count all, give it \
             another name within, `count {{ {name}1 : … }}`"
        )
    } else {
        format!("give the variable within another name, `{function} {{ {name}1 : … }}`")
    };
    let message = format!("`{function}` takes the one value that `{name}` has outside of the braces");
    Diagnostic::warning(Code::FixedTuple, message)
        .at(place, format!("`{name}` stands outside as well"))
        .help(format!("{way_out}; if one value is meant, say so in a comment: `ludolog: allow fixed-tuple`"))
}

/// Reports tables and facts of which a row is equal to an earlier one, once each, at an aggregate that takes their rows one by one.
pub(super) fn check_rows<'c>(
    bodies: impl Iterator<Item = &'c [Literal]>,
    given: &GivenColumns,
    found: &mut Vec<Diagnostic>,
) {
    let mut left: Vec<&Repeated> = given.repeated.iter().collect();
    for literal in bodies.flatten() {
        let Literal::Aggregate(aggregation) = literal else { continue };
        let Some(counted) = counted_rows(aggregation).map(Atom::signature) else { continue };
        let repeated = left.extract_if(.., |repeated| repeated.predicate == counted);
        found.extend(repeated.map(|repeated| equal_rows(repeated, literal.span())));
    }
}

fn equal_rows(repeated: &Repeated, place: Span) -> Diagnostic {
    let (noun, of) = match &repeated.table {
        Some(table) => ("row", table.clone()),
        None => ("fact", repeated.predicate.to_string()),
    };
    let are_equal = if repeated.count == 1 {
        format!("1 {noun} of `{of}` is equal to an earlier one, and no fact of its own")
    } else {
        format!("{} {noun}s of `{of}` are equal to earlier ones, and no facts of their own", repeated.count)
    };
    Diagnostic::warning(Code::EqualValues, are_equal).at(place, "equal ones are taken once here").help(
        "tell them apart by a column of their own, as a number; if they say the same twice, say so in a comment: `ludolog: allow equal-values`",
    )
}

/// The first variable of a condition that neither stands outside of the braces nor in the term.
fn untold<'a>(aggregation: &'a Aggregation, term: &'a Term) -> Option<&'a Name> {
    let (written, outside) = &*aggregation.written;
    let mut known: FxHashSet<&Name> = outside.iter().collect();
    term.for_each_variable(&mut |name| _ = known.insert(name));
    let mut untold = None;
    for atom in positive_atoms(written) {
        atom.args.iter().for_each(|arg| {
            arg.for_each_variable(&mut |name: &'a Name| {
                if !known.contains(name) {
                    untold.get_or_insert(name);
                }
            });
        });
    }
    untold
}

/// The atoms of the conditions of an aggregate that are not within a negation, in the order of the text.
pub(super) fn positive_atoms(written: &Aggregate) -> Vec<&Atom> {
    let mut atoms = Vec::new();
    let mut left: Vec<&Formula> = written.body.iter().rev().collect();
    while let Some(condition) = left.pop() {
        match condition {
            Formula::And(parts) | Formula::Or(parts) => left.extend(parts.iter().rev()),
            Formula::Atom(atom) => atoms.push(atom),
            _ => {}
        }
    }
    atoms
}
