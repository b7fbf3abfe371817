//! Databases, as the caller hands them in: tables whose values have types already. The core can read none itself.

use crate::Unreadable;
use std::ops::ControlFlow;
use std::path::Path;

/// The extensions of databases, with their formats.
const EXTENSIONS: [(&str, DatabaseFormat); 4] = [
    ("sqlite", DatabaseFormat::Sqlite),
    ("sqlite3", DatabaseFormat::Sqlite),
    ("db", DatabaseFormat::Sqlite),
    ("parquet", DatabaseFormat::Parquet),
];

/// A format of databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseFormat {
    /// SQLite: any number of tables and views.
    Sqlite,
    /// Parquet: one table, which is named after the file.
    Parquet,
}

impl DatabaseFormat {
    /// The format of the database at a path, by its extension; `None` of another file.
    pub fn of(path: &Path) -> Option<DatabaseFormat> {
        let extension = path.extension()?;
        EXTENSIONS.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known)).map(|(_, format)| *format)
    }

    /// The reason why no database of this format is read where none is.
    pub fn unsupported(self) -> Unreadable {
        let (files, feature) = match self {
            DatabaseFormat::Sqlite => ("databases", "sqlite"),
            DatabaseFormat::Parquet => ("Parquet files", "parquet"),
        };
        Unreadable::Other(format!(
            "{files} are not read here; the command reads them if it is built with `--features {feature}`"
        ))
    }
}

/// A value in a row of a database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DatabaseValue<'v> {
    /// No value.
    Null,
    /// An integer.
    Integer(i64),
    /// A floating-point number, which may be infinite.
    Real(f64),
    /// A text, which should be UTF-8.
    Text(&'v [u8]),
    /// Bytes that are no text.
    Bytes,
    /// A number with more digits than a value has.
    LongNumber,
}

/// A database that is open for reading. All that is read is of one state of it.
pub trait Database {
    /// The names of its tables and views.
    ///
    /// # Errors
    ///
    /// The database cannot be read, or the budget with which it was opened ended.
    fn tables(&mut self) -> Result<Vec<String>, DatabaseFault>;

    /// The names of the columns of a table or view.
    ///
    /// # Errors
    ///
    /// As [`tables`](Self::tables).
    fn columns(&mut self, table: &str) -> Result<Vec<String>, DatabaseFault>;

    /// Hands over the rows of a table or view, one after the other, until one is answered by a break.
    ///
    /// # Errors
    ///
    /// As [`tables`](Self::tables).
    fn rows(
        &mut self,
        table: &str,
        take: &mut dyn FnMut(&[DatabaseValue]) -> ControlFlow<()>,
    ) -> Result<(), DatabaseFault>;
}

/// The reason why a database cannot be read, and a way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseFault {
    /// The reason, as follows `cannot be read: `.
    pub reason: String,
    /// What to do; empty if that is not known.
    pub help: String,
}
