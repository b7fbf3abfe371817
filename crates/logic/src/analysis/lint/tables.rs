//! Tables that are probably not read as they are meant.

use super::shown;
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::given::{GivenColumns, TableOddity};
use crate::analysis::report::symbol;
use ludolog_syntax::ast::{Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic};

/// Reports what is odd in tables.
pub(super) fn check(checked: &CheckedProgram, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let has_variables = |predicate: &Predicate, row: &[&str]| {
        let atoms = checked.bodies().flatten().filter_map(Literal::atom);
        let mut atoms = atoms.filter(|atom| atom.predicate == predicate.name && atom.args.len() == predicate.arity);
        atoms.any(|atom| atom.args.iter().zip(row).all(|(arg, field)| is_named(arg, field)))
    };
    let headers = given.first_rows().filter(|(_, predicate, row)| has_variables(predicate, row));
    found.extend(headers.map(|(table, predicate, _)| header_row(table, predicate)));
    let stated = checked.facts.iter().chain(checked.rules.iter().map(|rule| &rule.head));
    let stated = stated.chain(checked.bodies().flatten().filter_map(Literal::atom)).flat_map(|atom| &atom.args);
    found.extend(given.padded(stated).into_iter().map(|(table, value)| padded_value(table, value)));
    found.extend(given.odd.iter().map(|(table, predicate, oddity)| match oddity {
        &TableOddity::MixedNumbers { column } => {
            let text = format!("column {} of `{table}` has integers and decimals, which are symbols", column + 1);
            let types = declaration(predicate, column, "float");
            let help =
                format!("declare it: `{types}`, or `symbol` in place of `float` for texts as versions and codes");
            Diagnostic::warning(Code::MixedNumbers, text).help(help)
        }
        TableOddity::SpelledNumbers { column, first } => {
            let text = format!(
                "column {} of `{table}` has integers, and symbols that spell integers, as `{}`",
                column + 1,
                shown(first)
            );
            let types = declaration(predicate, *column, "symbol");
            let help =
                format!("if they are codes, declare it: `{types}`; if they are numbers, write all of them as integers");
            Diagnostic::warning(Code::MixedNumbers, text).help(help)
        }
        TableOddity::HeaderRow => header_row(table, predicate),
        TableOddity::RowAsHeader { row } => row_as_header(table, predicate, row),
        TableOddity::DecimalCommas { row } => decimal_commas(table, predicate, row),
        TableOddity::Semicolons { row } => semicolons(table, predicate, row),
        TableOddity::QuotedValues { column, value } => quoted_values(table, predicate, *column, value),
    }));
}

/// The declaration that makes a column of a predicate one of this type, and the others of any.
fn declaration(predicate: &Predicate, column: usize, of: &str) -> String {
    let types = (0..predicate.arity).map(|other| if other == column { of } else { "any" });
    let types = types.collect::<Vec<_>>().join(", ");
    format!(":- type({}, {types}).", symbol(predicate.name.text()))
}

/// The declaration of columns of any type.
fn any_columns(predicate: &Predicate) -> String {
    declaration(predicate, predicate.arity, "any")
}

fn header_row(table: &str, predicate: &Predicate) -> Diagnostic {
    let text = format!("the first row of `{table}` looks like a header, and is read as a fact");
    let path = symbol(table);
    let name = symbol(predicate.name.text());
    let help = format!("say in the rules what it is: `:- input({name}, {path}, header).`, in place of `--facts`");
    Diagnostic::warning(Code::HeaderRow, text).help(help)
}

fn row_as_header(table: &str, predicate: &Predicate, row: &[Term]) -> Diagnostic {
    let field = |term: &Term| match term {
        Term::Symbol(text) => text.to_string(),
        _ => shown(term),
    };
    let row = row.iter().map(field).collect::<Vec<_>>().join(",");
    let text = format!("the first row of `{table}` is left out as a header, and looks like the others: `{row}`");
    let help = format!(
        "if it is a row, do not say that the table has a header; if it is none, declare the columns: `{}`",
        any_columns(predicate)
    );
    Diagnostic::warning(Code::HeaderRow, text).help(help)
}

fn decimal_commas(table: &str, predicate: &Predicate, row: &[String]) -> Diagnostic {
    let fields = row.iter().map(|field| format!("`{field}`")).collect::<Vec<_>>().join(" and ");
    let text = format!(
        "all commas of `{table}` stand within numbers, and semicolons between: `{}` is read as {fields}",
        row.join(",")
    );
    let help = format!(
        "write `,` between columns and `.` in numbers, or tabs in a `.tsv`; if the columns are meant so, declare them: `{}`",
        any_columns(predicate)
    );
    Diagnostic::warning(Code::ColumnSeparator, text).help(help)
}

fn semicolons(table: &str, predicate: &Predicate, row: &str) -> Diagnostic {
    let text = format!("each row of `{table}` is one field with as many semicolons: `{row}`");
    let help = format!(
        "write `,` between columns, or tabs in a `.tsv`; if the column is meant so, declare it: `{}`",
        any_columns(predicate)
    );
    Diagnostic::warning(Code::ColumnSeparator, text).help(help)
}

/// Whether a term is a variable that is named as a field, but for case. Of one letter, values are named as well.
fn is_named(term: &Term, field: &str) -> bool {
    let is_word = field.chars().nth(1).is_some();
    matches!(term, Term::Variable(name) if is_word && name.eq_ignore_ascii_case(field))
}

fn padded_value(table: &str, value: &str) -> Diagnostic {
    let [whole, trimmed] = [value, value.trim()].map(|text| shown(&Term::symbol(text)));
    let text = format!("`{whole}` of `{table}` has blanks around it, and is not `{trimmed}`, which stands elsewhere");
    let help =
        "what stands in quotation marks is read as it is: remove the blanks; if they are meant, declare the columns";
    Diagnostic::warning(Code::QuotedField, text).help(help)
}

fn quoted_values(table: &str, predicate: &Predicate, column: usize, value: &Term) -> Diagnostic {
    let text = format!(
        "all values of column {} of `{table}` stand in quotation marks, which are part of them: `{}`",
        column + 1,
        shown(value)
    );
    let types = declaration(predicate, column, "symbol");
    let help = format!(
        "remove them: a `.csv` quotes fields by `\"`, where it needs to, a `.tsv` by nothing; if they are meant, declare the column: `{types}`"
    );
    Diagnostic::warning(Code::QuotedField, text).help(help)
}
