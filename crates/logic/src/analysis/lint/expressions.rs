//! Regular expressions whose arguments are changed over, `matches('A.*', S)`, where `S` is of a column of plain texts; and those that no value of a column
//! is one of, though parts of some are.

use super::orders::{OrderedColumn, columns_of, positive};
use super::shown;
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::given::GivenColumns;
use crate::analysis::pattern::Pattern;
use ludolog_syntax::ast::{Comparator, Comparison, Name, Predicate, Term};
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

/// The most values of a column that are tested.
const MOST_VALUES: usize = 1 << 16;

/// Reports tests of the values of a column of facts and tables by an expression in the text that no whole value is one of, but a part of some value, each once.
/// Columns that rules derive are left out, as are those that `given` may have further facts of.
pub(super) fn check_parts(checked: &CheckedProgram, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let tests: Vec<(&Name, bool, OrderedColumn)> = checked.bodies().flat_map(tests_by_constants).collect();
    if tests.is_empty() || !given.are_complete() {
        return;
    }
    let derived: FxHashSet<Predicate> = checked.rules.iter().map(|rule| rule.head.signature()).collect();
    let columns = tests.iter().map(|(.., variable)| variable.column.clone());
    let columns = columns.filter(|(predicate, _)| !derived.contains(predicate));
    let values = given.values_of_columns(columns, &checked.facts, |term| matches!(term, Term::Symbol(_)));
    let mut told: FxHashSet<Span> = FxHashSet::default();
    for (expression, is_negated, OrderedColumn { column, name, place }) in &tests {
        let Some(values) = values.get(column).filter(|values| values.len() <= MOST_VALUES) else { continue };
        if !told.contains(place) && are_parts_alone(expression, values) {
            told.insert(*place);
            let [text, whole] = [expression.to_string(), of_whole(expression)].map(|text| shown(&Term::symbol(&text)));
            let name = shown(&Term::Variable((*name).clone()));
            let message = format!("`{text}` matches parts of values of `{name}`, and no whole value");
            let holds = if *is_negated { "always" } else { "never" };
            let warning = Diagnostic::warning(Code::RegularExpression, message);
            let warning = warning.at(*place, format!("whole symbols are matched: this {holds} holds"));
            found.push(warning.help(format!("write `{whole}` for symbols with such a part")));
        }
    }
}

/// Whether the expression is that of a part of some value, and of no whole value.
fn are_parts_alone(expression: &str, values: &[&Term]) -> bool {
    let has = |pattern: &Pattern| values.iter().any(|term| matches!(term, Term::Symbol(text) if pattern.matches(text)));
    let is_one = |text: &str| Pattern::new(text).is_ok_and(|pattern| has(&pattern));
    !is_one(expression) && is_one(&format!("(?s:.*)(?:{expression})(?s:.*)"))
}

/// The expression of the symbols that have a part of an expression.
fn of_whole(expression: &str) -> String {
    let (start, rest) = match expression.strip_prefix('^') {
        Some(rest) => ("", rest),
        None => (".*", expression),
    };
    let (end, part) = match rest.strip_suffix('$') {
        Some(part) if !part.ends_with('\\') => ("", part),
        _ => (".*", rest),
    };
    if part.contains('|') { format!("{start}({part}){end}") } else { format!("{start}{part}{end}") }
}

/// The tests of a body of a variable by an expression in the text, whether they are negated, and the columns of the variable.
fn tests_by_constants(body: &[Literal]) -> Vec<(&Name, bool, OrderedColumn<'_>)> {
    let mut found = Vec::new();
    for literal in body {
        let (Literal::Compare(comparison) | Literal::NotCompare(comparison)) = literal else { continue };
        let is_negated = matches!(literal, Literal::NotCompare(_));
        if let Comparison {
            comparator: Comparator::Matches,
            left: Term::Variable(name),
            right: Term::Symbol(expression),
            span,
        } = comparison
        {
            let columns = positive(body).flat_map(|atom| columns_of(atom, &[name], *span));
            found.extend(columns.map(|variable| (expression, is_negated, variable)));
        }
    }
    found
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
