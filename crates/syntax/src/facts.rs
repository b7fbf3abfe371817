//! Ground facts from files: rule files that hold nothing else, or tables.

use super::ast::{Atom, Statement};
#[cfg(feature = "tables")]
use super::table::table;
use super::{Files, Syntax, load_within};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Sources};
use std::path::Path;

/// Reads the facts of files. With the cargo feature `tables`, a `.tsv` or `.csv` table holds the facts of the predicate that its file is named after, one
/// a row (`edge.tsv` holds `edge(0, 1160)`): canonical integers are integers, all else symbols. Other files are
/// rule files without rules.
///
/// # Errors
///
/// [`Stopped`], when the budget ends first. The inner result is an error with everything that is wrong in any of the
/// files, or no ground fact.
pub fn load_facts<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Vec<Atom>, Diagnostics>, Stopped> {
    let mut facts = Vec::new();
    let mut diagnostics = Diagnostics::new();
    for path in paths.iter().map(AsRef::as_ref) {
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        let read = match extension.as_deref() {
            #[cfg(feature = "tables")]
            Some("tsv") => table(files, path, b'\t', sources, budget)?,
            #[cfg(feature = "tables")]
            Some("csv") => table(files, path, b',', sources, budget)?,
            _ => ground_facts(files, path, syntax, sources, budget)?,
        };
        match read {
            Ok(read) => facts.extend(read),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    Ok(if diagnostics.has_errors() { Err(diagnostics) } else { Ok(facts) })
}

fn ground_facts(
    files: &dyn Files,
    path: &Path,
    syntax: Option<Syntax>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Vec<Atom>, Diagnostics>, Stopped> {
    let loaded = match load_within(files, &[path], syntax, sources, budget)? {
        Ok(loaded) => loaded,
        Err(wrong) => return Ok(Err(wrong)),
    };
    let mut facts = Vec::new();
    let mut diagnostics = Diagnostics::new();
    for item in loaded.program.items {
        match item.statement {
            Statement::Rule(rule) if rule.body.is_empty() && rule.head.is_ground() => facts.push(rule.head),
            Statement::Rule(rule) if rule.body.is_empty() => diagnostics.push(
                Diagnostic::error(Code::UnsafeVariable, "a fact has a variable")
                    .at(item.span, "not ground")
                    .help("constants are written lower-case in `.dl`, without `?` in `.kif`"),
            ),
            _ => diagnostics.push(
                Diagnostic::error(Code::Syntax, "this is no fact")
                    .at(item.span, "expected facts only")
                    .help("give files with rules among the rule files"),
            ),
        }
    }
    Ok(if diagnostics.has_errors() { Err(diagnostics) } else { Ok(facts) })
}
