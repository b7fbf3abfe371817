//! Facts as tables of a database, in one transaction.

use super::{PATIENCE, POLL_EVERY, fault, quoted};
use ludolog_syntax::DatabaseFault;
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::Budget;
use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{Connection, OptionalExtension, Statement, params_from_iter};
use std::path::{Path, PathBuf};

/// A transaction that writes tables into a database, or into a file that it creates. Without [`commit`](Self::commit) the database is left as
/// it was, and there is no file if there was none.
pub struct DatabaseWriter {
    /// Closed before the file is removed.
    connection: Option<Connection>,
    path: PathBuf,
    /// Whether the file is of this transaction alone.
    is_new: bool,
    /// Whether tables that are there are replaced.
    replaces: bool,
}

/// A table that rows are added to.
pub struct DatabaseRows<'c>(Statement<'c>);

impl DatabaseWriter {
    /// Begins to write. Tables that are there are kept unless they are to be replaced.
    ///
    /// # Errors
    ///
    /// The file is no database, cannot be written, or is in use.
    pub fn begin(path: &Path, replaces: bool, budget: &Budget) -> Result<DatabaseWriter, DatabaseFault> {
        let is_new = !path.exists();
        let mut writer = DatabaseWriter { connection: None, path: path.to_owned(), is_new, replaces };
        let mut open = || {
            let connection = writer.connection.insert(Connection::open(path)?);
            connection.busy_timeout(PATIENCE)?;
            let budget = budget.clone();
            connection.progress_handler(POLL_EVERY, Some(move || budget.check().is_err()))?;
            connection.execute_batch("BEGIN IMMEDIATE")
        };
        open().map_err(|error| fault(&error))?;
        Ok(writer)
    }

    /// Makes a table without rows; its columns are `c1`, `c2`, ….
    ///
    /// # Errors
    ///
    /// A table of this name is there and stays, or it cannot be made.
    pub fn table(&mut self, name: &str, columns: usize) -> Result<DatabaseRows<'_>, DatabaseFault> {
        let Some(connection) = &self.connection else { unreachable!("it is open until the end") };
        let of = |error| fault(&error);
        let query = "SELECT type FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')";
        let known: Option<String> = connection.query_row(query, [name], |row| row.get(0)).optional().map_err(of)?;
        match known {
            Some(kind) if kind == "view" || !self.replaces => {
                let reason = format!("it has a {kind} `{name}` already");
                let help = if kind == "view" { "drop the view, or write another file" } else { "--force replaces it" };
                return Err(DatabaseFault { reason, help: help.to_owned() });
            }
            Some(_) => connection.execute_batch(&format!("DROP TABLE {}", quoted(name))).map_err(of)?,
            None => {}
        }
        let names: Vec<String> = (1..=columns).map(|column| format!("c{column}")).collect();
        // Columns without types keep each value as it is.
        let create = format!("CREATE TABLE {} ({})", quoted(name), names.join(", "));
        connection.execute_batch(&create).map_err(of)?;
        let marks = vec!["?"; columns].join(", ");
        let insert = connection.prepare(&format!("INSERT INTO {} VALUES ({marks})", quoted(name)));
        Ok(DatabaseRows(insert.map_err(of)?))
    }

    /// Makes all tables part of the database.
    ///
    /// # Errors
    ///
    /// They cannot be written; the database is left as it was.
    pub fn commit(mut self) -> Result<(), DatabaseFault> {
        let committed = self.connection.as_ref().map_or(Ok(()), |connection| connection.execute_batch("COMMIT"));
        committed.map_err(|error| fault(&error))?;
        self.is_new = false;
        Ok(())
    }
}

impl Drop for DatabaseWriter {
    fn drop(&mut self) {
        // Closing rolls back what is not committed.
        drop(self.connection.take());
        if self.is_new {
            _ = std::fs::remove_file(&self.path);
        }
    }
}

impl DatabaseRows<'_> {
    /// Adds a row. Integers, floats and symbols are values of a database.
    ///
    /// # Errors
    ///
    /// A term is none of these, or the row cannot be written.
    pub fn push(&mut self, row: &[Term]) -> Result<(), DatabaseFault> {
        let values = row.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        self.0.execute(params_from_iter(values)).map(|_| ()).map_err(|error| fault(&error))
    }
}

fn value(term: &Term) -> Result<ToSqlOutput<'_>, DatabaseFault> {
    match term {
        Term::Integer(integer) => Ok(ToSqlOutput::Owned(Value::Integer(*integer))),
        Term::Float(float) => Ok(ToSqlOutput::Owned(Value::Real(float.get()))),
        Term::Symbol(symbol) => Ok(ToSqlOutput::from(&**symbol)),
        Term::Variable(_) | Term::Compound(..) => Err(DatabaseFault {
            reason: format!("{term} is no constant"),
            help: "--format dl or jsonl writes it".to_owned(),
        }),
    }
}
