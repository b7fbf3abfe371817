//! Regular expressions whose arguments are changed over: `matches('A.*', S)`, where `S` is of a column of plain texts.

use super::orders::{OrderedColumn, columns_of, positive};
use super::shown;
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::given::GivenColumns;
use ludolog_syntax::ast::{Comparator, Comparison, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxHashSet;

/// Characters that texts seldom have, and regular expressions often.
const MARKS: [char; 7] = ['*', '+', '[', '\\', '^', '$', '|'];

/// Reports tests of a constant that looks like a regular expression by texts of facts and tables that do not, each once.
pub(super) fn check(checked: &CheckedProgram, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let swapped: Vec<(&Term, OrderedColumn)> = checked.bodies().flat_map(expressions_as_texts).collect();
    if swapped.is_empty() {
        return;
    }
    let columns = swapped.iter().map(|(_, variable)| variable.column.clone());
    let is_plain = |term: &Term| matches!(term, Term::Symbol(_)) && !is_marked(term);
    let plain = given.values_of_columns(columns, &checked.facts, is_plain);
    let mut told: FxHashSet<Span> = FxHashSet::default();
    for (expression, OrderedColumn { column, name, place }) in &swapped {
        if plain.contains_key(column) && told.insert(*place) {
            let [expression, name] = [expression, &Term::Variable((*name).clone())].map(shown);
            let message = format!("`{expression}` is matched as a text, and `{name}` is the regular expression");
            let warning = Diagnostic::warning(Code::RegularExpression, message);
            let warning = warning.at(*place, format!("no value of `{name}` looks like one"));
            found.push(warning.help(format!("the text comes first: write `matches({name}, {expression})`")));
        }
    }
}

/// The constants of a body that look like regular expressions and are matched by a variable, with the columns of that.
fn expressions_as_texts(body: &[Literal]) -> Vec<(&Term, OrderedColumn<'_>)> {
    let mut found = Vec::new();
    for literal in body {
        let (Literal::Compare(comparison) | Literal::NotCompare(comparison)) = literal else { continue };
        let Comparison { comparator: Comparator::Matches, left, right: Term::Variable(name), span } = comparison else {
            continue;
        };
        if is_marked(left) {
            let columns = positive(body).flat_map(|atom| columns_of(atom, &[name], *span));
            found.extend(columns.map(|variable| (left, variable)));
        }
    }
    found
}

fn is_marked(term: &Term) -> bool {
    matches!(term, Term::Symbol(text) if text.contains(MARKS))
}
