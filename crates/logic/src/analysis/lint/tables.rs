//! Tables that are probably not read as they are meant.

use super::shown;
use crate::analysis::kinds::{GivenColumns, TableOddity};
use ludolog_syntax::ast::{Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic};

/// Reports what is odd in tables.
pub(super) fn check(given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    found.extend(given.odd.iter().map(|(table, predicate, oddity)| match *oddity {
        TableOddity::MixedNumbers { column } => mixed_numbers(table, predicate, column),
        TableOddity::HeaderRow => header_row(table, predicate),
    }));
}

fn mixed_numbers(table: &str, predicate: &Predicate, column: usize) -> Diagnostic {
    let text = format!("column {} of `{table}` has integers and decimals, which are symbols", column + 1);
    let types = (0..predicate.arity).map(|other| if other == column { "float" } else { "any" });
    let types = types.collect::<Vec<_>>().join(", ");
    let name = symbol(predicate.name.text());
    let help = format!(
        "declare it: `:- type({name}, {types}).`, or `symbol` in place of `float` for texts as versions and codes"
    );
    Diagnostic::warning(Code::MixedNumbers, text).help(help)
}

fn header_row(table: &str, predicate: &Predicate) -> Diagnostic {
    let text = format!("the first row of `{table}` looks like a header, and is read as a fact");
    let path = symbol(table);
    let name = symbol(predicate.name.text());
    let help = format!("say in the rules what it is: `:- input({name}, {path}, header).`, in place of `--facts`");
    Diagnostic::warning(Code::HeaderRow, text).help(help)
}

/// A name as the rules write it.
fn symbol(name: &str) -> String {
    shown(&Term::symbol(name))
}
