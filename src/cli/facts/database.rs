//! Facts as tables of a SQLite database or as a Parquet file, where the command is built with the feature.

use crate::cli::{Failure, file};
use ludolog::engine::Listing;
use ludolog::syntax::DatabaseFormat;
use std::path::Path;

/// Checks that a Parquet file can be put there, if that is its place. What a SQLite database has is known when tables are written.
pub fn check(path: &Path) -> Result<(), Failure> {
    if DatabaseFormat::of(path) == Some(DatabaseFormat::Parquet) { file::check(path) } else { Ok(()) }
}

/// Writes facts into a database of the format that its path names: all of them, or nothing.
pub fn write(listing: &Listing, path: &Path) -> Result<(), Failure> {
    match (DatabaseFormat::of(path), listing) {
        #[cfg(feature = "sqlite")]
        (Some(DatabaseFormat::Sqlite), listing) => sqlite::write(listing, path),
        #[cfg(feature = "parquet")]
        (Some(DatabaseFormat::Parquet), listing) => parquet::write(listing, path),
        (other, _) => unsupported(path, other),
    }
}

/// Tells that this command writes no databases of a format.
fn unsupported(path: &Path, format: Option<DatabaseFormat>) -> Result<(), Failure> {
    let (files, feature) = match format {
        Some(DatabaseFormat::Parquet) => ("Parquet files", "parquet"),
        Some(DatabaseFormat::Sqlite) | None => ("databases", "sqlite"),
    };
    Err(Failure::Message(format!(
        "cannot write {}: {files} are written by the command if it is built with `--features {feature}`; --format csv writes tables",
        path.display()
    )))
}

/// The reasons why facts are not written.
#[cfg(any(feature = "parquet", feature = "sqlite"))]
mod reasons {
    use crate::cli::output::Unwritten;
    use ludolog::syntax::DatabaseFault;
    use ludolog::syntax::ast::Predicate;
    use std::path::Path;

    /// The reason that a fault of the file at `path` is.
    pub fn unwritable(path: &Path, fault: &DatabaseFault) -> Unwritten {
        let way_out = if fault.help.is_empty() { String::new() } else { format!("; {}", fault.help) };
        Unwritten::Unspeakable(format!("cannot write {}: {}{way_out}", path.display(), fault.reason))
    }

    /// Checks that facts have arguments.
    pub fn check_columns(predicate: &Predicate) -> Result<(), Unwritten> {
        if predicate.arity == 0 {
            let message =
                format!("`{predicate}` has no arguments, and tables have columns; --predicate chooses others");
            return Err(Unwritten::Unspeakable(message));
        }
        Ok(())
    }
}

/// A table for each predicate.
#[cfg(feature = "sqlite")]
mod sqlite {
    use super::reasons::{check_columns, unwritable};
    use crate::cli::facts::with_arity;
    use crate::cli::output::Unwritten;
    use crate::cli::{Failure, file, limits};
    use ludolog::engine::Listing;
    use ludolog::files::sqlite::DatabaseWriter;
    use ludolog::syntax::DatabaseFault;
    use std::path::Path;

    pub fn write(listing: &Listing, path: &Path) -> Result<(), Failure> {
        let budget = limits::budget();
        let fault = |fault: DatabaseFault| unwritable(path, &fault);
        let write = || {
            let mut writer = DatabaseWriter::begin(path, file::is_forced(), &budget).map_err(fault)?;
            for listed in listing.relations() {
                let predicate = listed.predicate();
                check_columns(predicate)?;
                let name = with_arity(predicate.name.text().to_owned(), listing, predicate);
                let mut rows = writer.table(&name, predicate.arity).map_err(fault)?;
                for part in listing.parts(listed) {
                    for row in part.rows() {
                        budget.check()?;
                        let terms: Vec<_> = row.iter().map(|value| listing.term(*value)).collect();
                        rows.push(&terms).map_err(fault)?;
                    }
                }
            }
            writer.commit().map_err(fault)
        };
        write().map_err(|reason: Unwritten| reason.failure(|error| file::unwritable(path, error)))
    }
}

/// The table of one predicate.
#[cfg(feature = "parquet")]
mod parquet {
    use super::reasons::{check_columns, unwritable};
    use crate::cli::output::Unwritten;
    use crate::cli::{Failure, file, limits};
    use ludolog::engine::{Listed, Listing};
    use ludolog::files::parquet::ParquetWriter;
    use ludolog::syntax::DatabaseFault;
    use std::io::Write;
    use std::path::Path;

    pub fn write(listing: &Listing, path: &Path) -> Result<(), Failure> {
        let listed = only(listing)?;
        let written = file::write_with(path, |out| write_rows(listing, listed, path, out));
        written.map_err(|reason: Unwritten| reason.failure(|error| file::unwritable(path, error)))
    }

    /// Writes the facts of a predicate to `out`, which stands for the file at `path`.
    fn write_rows(
        listing: &Listing,
        listed: &Listed,
        path: &Path,
        out: &mut (dyn Write + Send),
    ) -> Result<(), Unwritten> {
        let budget = limits::budget();
        let fault = |fault: DatabaseFault| unwritable(path, &fault);
        check_columns(listed.predicate())?;
        let mut writer = ParquetWriter::new(out, listed.predicate().arity);
        for part in listing.parts(listed) {
            for row in part.rows() {
                budget.check()?;
                let terms: Vec<_> = row.iter().map(|value| listing.term(*value)).collect();
                writer.push(&terms).map_err(fault)?;
            }
        }
        writer.finish().map_err(fault)
    }

    /// The predicate whose facts are written: the only one, or the only one that has facts.
    fn only<'l, 'e>(listing: &'l Listing<'e>) -> Result<&'l Listed<'e>, Failure> {
        if let [only] = listing.relations() {
            return Ok(only);
        }
        let mut held = listing.relations().iter().filter(|listed| listed.count() > 0);
        match (held.next(), held.next()) {
            (Some(only), None) => Ok(only),
            (Some(first), Some(second)) => Err(Failure::Message(format!(
                "a Parquet file holds the facts of one predicate, and there are `{}` and `{}`; choose one with --predicate",
                first.predicate(),
                second.predicate()
            ))),
            (None, _) => Err(Failure::Message(
                "a Parquet file holds the facts of one predicate, and none has facts; choose one with --predicate"
                    .to_owned(),
            )),
        }
    }
}
