//! Functions of symbols, orders and regular expressions that take lists. A list is a term with its elements, which none of them has a value of; the empty
//! one is the symbol `nil`, with three characters.

use super::orders::{OrderedColumn, columns_of, positive};
use super::{places, shown};
use crate::analysis::clause::{CheckedProgram, Literal, cons};
use crate::analysis::given::GivenColumns;
use ludolog_syntax::ast::{Comparator, Comparison, Name, Operation, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};

/// Reports conditions that take a variable of a column of lists for a symbol, each once, unless something is told of them before. Columns that rules
/// derive are left out.
pub(super) fn check(checked: &CheckedProgram, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let taken: Vec<Taken> = checked.bodies().flat_map(taken_for_symbols).collect();
    if taken.is_empty() {
        return;
    }
    let columns = taken.iter().map(|taken| taken.variable.column.clone());
    let lists = given.values_of_columns(columns, &checked.facts, is_list);
    let mut told = places(found);
    for Taken { by, variable: OrderedColumn { column, name, place } } in &taken {
        let has_elements = |values: &Vec<&Term>| values.iter().any(|value| cons(value).is_some());
        if lists.get(column).is_some_and(has_elements) && told.insert(*place) {
            found.push(told_of(by, name, *place));
        }
    }
}

fn told_of(by: &str, name: &Name, place: Span) -> Diagnostic {
    let name = shown(&Term::Variable(name.clone()));
    Diagnostic::warning(Code::NoValue, format!("`{name}` is a list, and {by} takes symbols"))
        .at(place, "`[]` is the symbol `nil`, and no other list has a value here")
        .help(format!(
            "`member(X, {name})` goes through the elements: `N = count {{ X : p({name}) & member(X, {name}) }}` counts the different ones"
        ))
}

fn is_list(term: &Term) -> bool {
    matches!(term, Term::Symbol(name) if &**name == "nil") || cons(term).is_some()
}

/// A variable that a condition takes for a symbol, with a column that it stands in.
struct Taken<'c> {
    /// The function or the relation, in words.
    by: String,
    variable: OrderedColumn<'c>,
}

/// The variables that comparisons of a body take for symbols.
fn taken_for_symbols(body: &[Literal]) -> Vec<Taken<'_>> {
    let mut taken = Vec::new();
    for literal in body {
        let (Literal::Compare(comparison) | Literal::NotCompare(comparison)) = literal else { continue };
        for (by, name) in variables_of(comparison) {
            let columns = positive(body).flat_map(|atom| columns_of(atom, &[name], comparison.span));
            taken.extend(columns.map(|variable| Taken { by: by.clone(), variable }));
        }
    }
    taken
}

/// The variables that a comparison takes for symbols, each with what takes it.
fn variables_of(comparison: &Comparison) -> Vec<(String, &Name)> {
    let &Comparison { comparator, ref left, ref right, .. } = comparison;
    let by_relation = match comparator {
        Comparator::Matches => Some("`matches`"),
        _ if comparator.orders() => Some("an order"),
        _ => None,
    };
    let mut found = Vec::new();
    for side in [left, right] {
        match (side, by_relation) {
            (Term::Variable(name), Some(by)) => found.push((by.to_owned(), name)),
            _ => operands_of_symbols(side, comparator, &mut found),
        }
    }
    found
}

fn operands_of_symbols<'t>(side: &'t Term, comparator: Comparator, found: &mut Vec<(String, &'t Name)>) {
    let Term::Compound(functor, args) = side else { return };
    if !comparator.computes(functor, args.len()) {
        return;
    }
    let Some(operation) = Operation::of(functor, args.len()) else { return };
    for arg in args {
        match arg {
            Term::Variable(name) if operation.is_of_symbols() => found.push((format!("`{functor}`"), name)),
            arg => operands_of_symbols(arg, comparator, found),
        }
    }
}
