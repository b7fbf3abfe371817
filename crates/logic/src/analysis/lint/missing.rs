//! Marks of missing values in columns of numbers, as `NA`: no order with a number holds of them, and no sum has a value, so that their rows are
//! left out.

use super::orders::{OrderedColumn, columns_of, positive, tell_orders};
use super::shown;
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::given::{Column, GivenColumns, MissingValues};
use crate::analysis::report::symbol;
use ludolog_syntax::ast::{Comparator, Name, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports the orders and sums, each once, of variables of a table's column that has numbers and marks of missing values.
pub(super) fn check(checked: &CheckedProgram, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let measured = measured_columns(checked);
    let columns: FxHashSet<&Column> = measured.iter().map(|measured| &measured.column).collect();
    let with_values = columns.into_iter().filter_map(|column| Some((column.clone(), given.missing_values(column)?)));
    let missing: FxHashMap<Column, MissingValues> = with_values.collect();
    let tell = |column: &Column, name: &Name, place| of_missing(column, &missing[column], name, place);
    tell_orders(&measured, |column| missing.contains_key(column), tell, found);
}

fn of_missing((predicate, column): &Column, values: &MissingValues, name: &Name, place: Span) -> Diagnostic {
    let MissingValues { table, marks, rows } = values;
    let name = shown(&Term::Variable(name.clone()));
    let marks: Vec<String> = marks.iter().map(|mark| shown(mark)).collect();
    let rows = if *rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
    let atom = |mark: &String| {
        let args = (0..predicate.arity).map(|other| if other == *column { mark } else { "_" });
        format!("{}({})", symbol(predicate.name.text()), args.collect::<Vec<&str>>().join(", "))
    };
    let atoms: Vec<String> = marks.iter().map(atom).collect();
    Diagnostic::warning(
        Code::MissingValues,
        format!("`{name}` is no number in {rows} of `{table}`: {}", listed(&marks)),
    )
    .at(place, "no order with a number holds of it, and no sum has a value")
    .help(format!(
        "such rows are found by {}; if they are to be left out, say so in a comment: `ludolog: allow missing-values`",
        listed(&atoms)
    ))
}

/// Texts in words, each marked as one.
fn listed(texts: &[String]) -> String {
    let marked: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
    match &marked[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => marked.concat(),
    }
}

/// The columns of all variables that bodies compare by order, or compute with, in the order of the text; some more than once.
fn measured_columns(checked: &CheckedProgram) -> Vec<OrderedColumn<'_>> {
    let mut found = Vec::new();
    for body in checked.bodies() {
        for literal in body {
            let (Literal::Compare(comparison) | Literal::NotCompare(comparison)) = literal else { continue };
            let is_equality =
                matches!(comparison.comparator, Comparator::Is | Comparator::Equal | Comparator::NotEqual);
            let mut names: Vec<&Name> = Vec::new();
            for side in [&comparison.left, &comparison.right] {
                if !is_equality || matches!(side, Term::Compound(..)) {
                    side.for_each_variable(&mut |name| names.push(name));
                }
            }
            names.retain(|name| !body.iter().any(|literal| is_told_from_symbol(name, literal)));
            found.extend(positive(body).flat_map(|atom| columns_of(atom, &names, literal.span())));
        }
    }
    found
}

/// Whether a literal says that a variable is not some symbol, `P != 'NA'`.
fn is_told_from_symbol(name: &Name, literal: &Literal) -> bool {
    let Literal::Compare(comparison) = literal else { return false };
    let is_such =
        |side: &Term, other: &Term| matches!((side, other), (Term::Variable(one), Term::Symbol(_)) if one == name);
    comparison.comparator == Comparator::NotEqual
        && (is_such(&comparison.left, &comparison.right) || is_such(&comparison.right, &comparison.left))
}
