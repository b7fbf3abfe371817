//! Databases of SQLite, read in one transaction: a writer changes nothing of what is seen, and one that is at it is told.
//!
//! * `write`: facts as tables.

mod write;

pub use write::{DatabaseRows, DatabaseWriter};

use super::{Unreadable, unreadable};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::{Database, DatabaseFault, DatabaseValue};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags};
use std::fs::File;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// The time to wait for another program that is writing: the commit of a transaction takes milliseconds.
const PATIENCE: Duration = Duration::from_millis(400);

/// Instructions of SQLite's machine between two looks at the budget, some tens of microseconds.
const POLL_EVERY: i32 = 4096;

/// A database that is open for reading.
struct SqliteDatabase(Connection);

/// Opens the database at `path` within a budget, for reading only.
///
/// # Errors
///
/// Why it cannot be read.
pub(super) fn open(path: &Path, budget: &Budget) -> Result<Box<dyn Database>, Unreadable> {
    // SQLite's own errors do not tell these reasons apart.
    let metadata = File::open(path).and_then(|file| file.metadata()).map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(unreadable(ErrorKind::IsADirectory.into()));
    }
    let open = || {
        let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(PATIENCE)?;
        let budget = budget.clone();
        connection.progress_handler(POLL_EVERY, Some(move || budget.check().is_err()))?;
        connection.execute_batch("BEGIN")?;
        Ok(connection)
    };
    match open() {
        Ok(connection) => Ok(Box::new(SqliteDatabase(connection))),
        Err(error) => Err(Unreadable::Other(fault(&error).reason)),
    }
}

/// An identifier as SQL quotes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The reason of an error, and a way out.
fn fault(error: &Error) -> DatabaseFault {
    let of = |reason: String, help: &str| DatabaseFault { reason, help: help.to_owned() };
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => of(
            "it is in use: another program writes to it".to_owned(),
            "wait until that has committed, or work on a copy",
        ),
        Some(ErrorCode::NotADatabase) => {
            of("it is no database of SQLite".to_owned(), "is it the right file, and is it encrypted?")
        }
        Some(ErrorCode::DatabaseCorrupt) => of(
            format!("it is damaged or cut short ({error})"),
            "copy it again; `.recover` of the program sqlite3 saves what is left",
        ),
        _ => of(error.to_string(), ""),
    }
}

impl SqliteDatabase {
    fn table_names(&self) -> rusqlite::Result<Vec<String>> {
        let query = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid";
        let mut statement = self.0.prepare(query)?;
        statement.query_map([], |row| row.get(0))?.collect()
    }

    fn column_names(&self, table: &str) -> rusqlite::Result<Vec<String>> {
        let statement = self.0.prepare(&selection(table))?;
        Ok(statement.column_names().map(str::to_owned).collect())
    }

    fn each_row(&self, table: &str, take: &mut dyn FnMut(&[DatabaseValue]) -> ControlFlow<()>) -> rusqlite::Result<()> {
        let mut statement = self.0.prepare(&selection(table))?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(columns);
            for column in 0..columns {
                values.push(value(row.get_ref(column)?));
            }
            if take(&values).is_break() {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Database for SqliteDatabase {
    fn tables(&mut self) -> Result<Vec<String>, DatabaseFault> {
        self.table_names().map_err(|error| fault(&error))
    }

    fn columns(&mut self, table: &str) -> Result<Vec<String>, DatabaseFault> {
        self.column_names(table).map_err(|error| fault(&error))
    }

    fn rows(
        &mut self,
        table: &str,
        take: &mut dyn FnMut(&[DatabaseValue]) -> ControlFlow<()>,
    ) -> Result<(), DatabaseFault> {
        self.each_row(table, take).map_err(|error| fault(&error))
    }
}

/// The query of all rows of a table.
fn selection(table: &str) -> String {
    format!("SELECT * FROM {}", quoted(table))
}

fn value(value: ValueRef) -> DatabaseValue {
    match value {
        ValueRef::Null => DatabaseValue::Null,
        ValueRef::Integer(integer) => DatabaseValue::Integer(integer),
        ValueRef::Real(real) => DatabaseValue::Real(real),
        ValueRef::Text(text) => DatabaseValue::Text(text),
        ValueRef::Blob(_) => DatabaseValue::Bytes,
    }
}
