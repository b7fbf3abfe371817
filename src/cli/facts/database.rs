//! Facts as tables of a SQLite database, where the command is built with the feature.

use crate::cli::Failure;
use ludolog::engine::Listing;
use std::path::Path;

/// Writes a table for each predicate: all of them, or nothing.
#[cfg(feature = "sqlite")]
pub fn write(listing: &Listing, path: &Path) -> Result<(), Failure> {
    use crate::cli::output::Unwritten;
    use crate::cli::{file, limits};
    use ludolog::files::sqlite::DatabaseWriter;
    use ludolog::syntax::DatabaseFault;

    let budget = limits::budget();
    let unwritable = |fault: DatabaseFault| {
        let way_out = if fault.help.is_empty() { String::new() } else { format!("; {}", fault.help) };
        Unwritten::Unspeakable(format!("cannot write {}: {}{way_out}", path.display(), fault.reason))
    };
    let write = || {
        let mut writer = DatabaseWriter::begin(path, file::is_forced(), &budget).map_err(unwritable)?;
        for listed in listing.relations() {
            let predicate = listed.predicate();
            if predicate.arity == 0 {
                let message =
                    format!("`{predicate}` has no arguments, and tables have columns; --predicate chooses others");
                return Err(Unwritten::Unspeakable(message));
            }
            let name = super::table_name(listing, predicate);
            let mut rows = writer.table(&name, predicate.arity).map_err(unwritable)?;
            for part in listing.parts(listed) {
                for row in part.rows() {
                    budget.check()?;
                    let terms: Vec<_> = row.iter().map(|value| listing.term(*value)).collect();
                    rows.push(&terms).map_err(unwritable)?;
                }
            }
        }
        writer.commit().map_err(unwritable)
    };
    write().map_err(|reason: Unwritten| reason.failure(|error| file::unwritable(path, error)))
}

/// Tells that this command writes no databases.
#[cfg(not(feature = "sqlite"))]
pub fn write(_listing: &Listing, path: &Path) -> Result<(), Failure> {
    Err(Failure::Message(format!(
        "cannot write {}: databases are written by the command if it is built with `--features sqlite`; --format csv writes tables",
        path.display()
    )))
}
