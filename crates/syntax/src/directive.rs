//! Directives: the statements that name other files, results, the types of columns, and types of the program's own.
//!
//! | `.dl` | `.kif` |
//! |---|---|
//! | `:- include('rules.dl').` | `(include "rules.dl")` |
//! | `:- use('closure.dl', edge = link).` | `(use "closure.dl" "edge" "link")` |
//! | `:- input(edge, 'edge.csv').` | `(input "edge" "edge.csv")` |
//! | `:- input(edge, 'edge.csv', header).` | `(input "edge" "edge.csv" "header")` |
//! | `:- output(path).` | `(output "path")` |
//! | `:- type(price, symbol, float).` | `(type "price" "symbol" "float")` |
//! | `:- enumeration(color, red, green).` | `(enumeration "color" "red" "green")` |
//! | `:- record(point, integer, integer).` | `(record "point" "integer" "integer")` |

use crate::ast::{ColumnType, ColumnTypes, InputTable, Name, Statement, TypeDefinition, TypeValues, Use};

/// The names of all directives.
pub(super) const NAMES: [&str; 7] = ["include", USE, "input", "output", TYPE, ENUMERATION, RECORD];

/// The directive whose arguments behind the first are pairs, in `.dl` with a sign between them.
pub(super) const USE: &str = "use";

/// The directive of the types of columns. A condition may have its name: it has variables.
pub(super) const TYPE: &str = "type";

/// The directive of a type of symbols. A condition may have its name: it has variables.
pub(super) const ENUMERATION: &str = "enumeration";

/// The directive of a type of compounds. A condition may have its name: it has variables.
pub(super) const RECORD: &str = "record";

/// The directive of these words, its name first; `None` if they are none.
pub(super) fn statement(words: &[&str]) -> Option<Statement> {
    Some(match *words {
        ["include", path] => Statement::Include(path.into()),
        [USE, path, ref names @ ..] if names.len() % 2 == 0 => {
            let renamed = names.chunks_exact(2).map(|pair| (Name::from(pair[0]), Name::from(pair[1])));
            Statement::Use(Use { path: path.into(), renamed: renamed.collect() })
        }
        ["input", predicate, path] => {
            Statement::Input(InputTable { predicate: predicate.into(), path: path.into(), header: false })
        }
        ["input", predicate, path, "header"] => {
            Statement::Input(InputTable { predicate: predicate.into(), path: path.into(), header: true })
        }
        ["output", predicate] => Statement::Output(predicate.into()),
        [TYPE, predicate, ref columns @ ..] if !columns.is_empty() => {
            let columns = columns.iter().map(|name| ColumnType::of(name)).collect();
            Statement::Type(ColumnTypes { predicate: predicate.into(), columns })
        }
        [ENUMERATION, name, ref values @ ..] if !values.is_empty() => {
            let values = TypeValues::Symbols(values.iter().map(|value| Name::from(*value)).collect());
            Statement::Define(TypeDefinition { name: name.into(), values })
        }
        [RECORD, name, ref fields @ ..] if !fields.is_empty() => {
            let values = TypeValues::Record(fields.iter().map(|field| ColumnType::of(field)).collect());
            Statement::Define(TypeDefinition { name: name.into(), values })
        }
        _ => return None,
    })
}

/// The words of a directive, its name first; `None` for all other statements.
pub(super) fn words(statement: &Statement) -> Option<Vec<&str>> {
    Some(match statement {
        Statement::Include(path) => vec!["include", path],
        Statement::Use(Use { path, renamed }) => {
            let names = renamed.iter().flat_map(|(inner, outer)| [&**inner, &**outer]);
            [USE, path].into_iter().chain(names).collect()
        }
        Statement::Input(InputTable { predicate, path, header: false }) => vec!["input", predicate, path],
        Statement::Input(InputTable { predicate, path, header: true }) => vec!["input", predicate, path, "header"],
        Statement::Output(predicate) => vec!["output", predicate],
        Statement::Type(ColumnTypes { predicate, columns }) => {
            [TYPE, predicate.text()].into_iter().chain(columns.iter().map(|column| column.name())).collect()
        }
        Statement::Define(TypeDefinition { name, values: TypeValues::Symbols(values) }) => {
            [ENUMERATION, name].into_iter().chain(values.iter().map(|value| &**value)).collect()
        }
        Statement::Define(TypeDefinition { name, values: TypeValues::Record(fields) }) => {
            [RECORD, name].into_iter().chain(fields.iter().map(ColumnType::name)).collect()
        }
        Statement::Rule(_) | Statement::Transition(_) | Statement::Query(_) | Statement::Constraint(_) => return None,
    })
}
