//! The rows of a table of a [`Database`] as those of a [`Table`], whoever reads the database.

use super::Table;
use super::rows::ReadRows;
use crate::ast::{Float, Name, Predicate};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::{Database, DatabaseFault, DatabaseValue, MAX_DIAGNOSTICS, Share};
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// Most tables that are named where one is missing.
const MOST_NAMED: usize = 10;

/// A table of a database to read.
pub struct DatabaseTable<'f> {
    /// The name of the file.
    pub name: &'f str,
    /// The name of the table in it; if none is given, it is the only one.
    pub table: Option<&'f str>,
    /// The name of the predicate whose facts it has; if none is given, it is that of the table.
    pub predicate: Option<Name>,
    /// The facts that are kept.
    pub share: Share,
}

/// Reads a table of a database. An empty one has columns, too.
pub fn read_database(
    database: &mut dyn Database,
    wanted: DatabaseTable,
    budget: &Budget,
) -> Result<Result<Table, Diagnostics>, Stopped> {
    let DatabaseTable { name, table, predicate, share } = wanted;
    budget.check()?;
    let read = find(database, name, table).and_then(|table| {
        let columns = database.columns(&table).map_err(|fault| unreadable(name, &fault))?;
        Ok((table, columns))
    });
    let (table, columns) = match read {
        Ok(read) => read,
        // A database that is stopped says that it was interrupted.
        Err(wrong) => return budget.check().map(|()| Err(wrong.into())),
    };
    let predicate = predicate.unwrap_or_else(|| Name::from(table.as_str()));
    let place = |number: usize, column: &str| format!("row {number} of `{table}` in `{name}` has {column}");
    let mut rows = ReadRows::of_share(share, &predicate);
    let mut wrong = Diagnostics::new();
    let mut number = 0;
    let mut stopped = None;
    let mut take = |values: &[DatabaseValue]| {
        number += 1;
        if let Err(reason) = budget.check() {
            stopped = Some(reason);
            return ControlFlow::Break(());
        }
        let before = rows.begin();
        let fault =
            values.iter().zip(&columns).find_map(|(value, column)| Some((value_fault(&mut rows, *value)?, column)));
        match fault {
            None => rows.keep_share(before),
            Some(((what, help), column)) => {
                rows.undo(before);
                let found = place(number, &format!("{what} in its column `{column}`"));
                wrong.push(Diagnostic::error(Code::Syntax, found).help(help));
            }
        }
        if wrong.iter().count() >= MAX_DIAGNOSTICS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let read = database.rows(&table, &mut take);
    if let Some(stopped) = stopped {
        return Err(stopped);
    }
    if let Err(fault) = read {
        budget.check()?;
        wrong.push(unreadable(name, &fault));
    }
    if wrong.has_errors() {
        return Ok(Err(wrong));
    }
    let (cells, constants, whole) = rows.into_parts();
    let predicate = Predicate::new(predicate, columns.len());
    Ok(Ok(Table { name: name.to_owned(), predicate, cells, constants, whole, index: OnceLock::new() }))
}

/// The diagnostic of a database that cannot be read.
fn unreadable(name: &str, fault: &DatabaseFault) -> Diagnostic {
    let wrong = Diagnostic::error(Code::UnreadableFile, format!("`{name}` cannot be read: {}", fault.reason));
    if fault.help.is_empty() { wrong } else { wrong.help(fault.help.clone()) }
}

/// The name of the table as the database has it.
fn find(database: &mut dyn Database, name: &str, wanted: Option<&str>) -> Result<String, Diagnostic> {
    let tables = database.tables().map_err(|fault| unreadable(name, &fault))?;
    let error = |message: String| Diagnostic::error(Code::UnreadableFile, message);
    match (wanted, &tables[..]) {
        (_, []) => {
            Err(error(format!("`{name}` has no tables")).help("is it the right file, and has its writer committed?"))
        }
        (None, [table]) => Ok(table.clone()),
        (None, [first, ..]) => Err(error(format!("`{name}` has several tables: {}", listed(&tables)))
            .help(format!("name one: `{first}={name}`, or `{name}#{first}`"))),
        (Some(wanted), tables) => {
            // Names of tables do not tell upper from lower case.
            let same = tables.iter().find(|table| *table == wanted);
            let found = same.or_else(|| tables.iter().find(|table| table.eq_ignore_ascii_case(wanted)));
            found.cloned().ok_or_else(|| {
                let message = format!("there is no table `{wanted}` in `{name}`");
                let help = format!("it has {}; a table of another name is `{wanted}={name}#TABLE`", listed(tables));
                error(message).help(help)
            })
        }
    }
}

/// The names of the first tables.
fn listed(tables: &[String]) -> String {
    let names: Vec<String> = tables.iter().take(MOST_NAMED).map(|table| format!("`{table}`")).collect();
    let more = if tables.len() > MOST_NAMED { ", …" } else { "" };
    names.join(", ") + more
}

/// Adds the cell of a value; otherwise what it is, and a way out.
fn value_fault(rows: &mut ReadRows, value: DatabaseValue) -> Option<(&'static str, &'static str)> {
    match value {
        DatabaseValue::Integer(integer) => rows.integer(integer),
        DatabaseValue::Real(real) => match Float::new(real) {
            Some(float) => rows.float(float),
            None => return Some(("an infinite number", "leave such rows out: read a view with a `WHERE`")),
        },
        DatabaseValue::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => rows.symbol(text),
            Err(_) => return Some(("a text that is not in UTF-8", "write it again in UTF-8")),
        },
        DatabaseValue::Null => {
            let help = "a fact has a value in each column: read a view that leaves such rows out, or has `COALESCE(x, 'none')`";
            return Some(("NULL", help));
        }
        DatabaseValue::Bytes => {
            return Some(("a BLOB", "a value is a number or a text: read a view with `hex(x)`, or without the column"));
        }
    }
    None
}
