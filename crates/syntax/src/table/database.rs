//! The rows of a table of a [`Database`] as those of a [`Table`], whoever reads the database.

use super::Table;
use super::rows::ReadRows;
use crate::ast::{Float, Name, Predicate};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::{Database, DatabaseFault, DatabaseFormat, DatabaseValue, Share};
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// Most tables that are named where one is missing.
const MOST_NAMED: usize = 10;

/// A table of a database to read.
pub struct DatabaseTable<'f> {
    /// The name of the file.
    pub name: &'f str,
    /// The format of the file.
    pub format: DatabaseFormat,
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
    let DatabaseTable { name, format, table, predicate, share } = wanted;
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
    let file = match format {
        DatabaseFormat::Sqlite => format!("`{table}` in `{name}`"),
        DatabaseFormat::Parquet => format!("`{name}`"),
    };
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
        let wrong_value = |(value, column)| Some((value_fault(&mut rows, value, format)?, column));
        let fault = values.iter().copied().zip(&columns).find_map(wrong_value);
        match fault {
            None => rows.keep_share(before),
            Some(((what, help), column)) => {
                rows.undo(before);
                let found = format!("row {number} of {file} has {what} in its column `{column}`");
                wrong.push(Diagnostic::error(Code::Syntax, found).help(help));
            }
        }
        if wrong.cut_off() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
    Ok(Ok(Table {
        name: name.to_owned(),
        predicate,
        cells,
        constants,
        header: None,
        long_integers: Vec::new(),
        whole,
        index: OnceLock::new(),
    }))
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
fn value_fault(
    rows: &mut ReadRows,
    value: DatabaseValue,
    format: DatabaseFormat,
) -> Option<(&'static str, &'static str)> {
    // A view says what is read of a database; a Parquet file has to be written again.
    let way_out = |sqlite, parquet| match format {
        DatabaseFormat::Sqlite => sqlite,
        DatabaseFormat::Parquet => parquet,
    };
    let without_row = "leave such rows out: read a view with a `WHERE`";
    let rewritten = "write the file without such rows";
    match value {
        DatabaseValue::Integer(integer) => rows.integer(integer),
        DatabaseValue::Real(real) => match Float::new(real) {
            Some(float) => rows.float(float),
            None if real.is_nan() => return Some(("NaN", way_out(without_row, rewritten))),
            None => return Some(("an infinite number", way_out(without_row, rewritten))),
        },
        DatabaseValue::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => rows.symbol(text),
            Err(_) => return Some(("a text that is not in UTF-8", "write it again in UTF-8")),
        },
        DatabaseValue::Null => {
            let sqlite = "a fact has a value in each column: read a view that leaves such rows out, or has `COALESCE(x, 'none')`";
            let parquet = "a fact has a value in each column: write the file without such rows, or with a value that stands for none";
            return Some(("NULL", way_out(sqlite, parquet)));
        }
        DatabaseValue::Bytes => {
            let sqlite = "a value is a number or a text: read a view with `hex(x)`, or without the column";
            let parquet = "a value is a number or a text: write the file without the column";
            return Some(("a BLOB", way_out(sqlite, parquet)));
        }
        DatabaseValue::LongNumber => {
            let help = "integers have 64 bits with their sign, decimals 38 digits: write it as a text, or count in a larger unit";
            return Some(("a number of too many digits", help));
        }
    }
    None
}
