//! The wording and the order of what analysis reports.

use ludolog_syntax::ast::Term;
use ludolog_syntax::diagnostic::{Diagnostic, Diagnostics};
use ludolog_syntax::{ColdSort, Syntax, print_term};

/// `no arguments`, `1 argument`, `2 arguments`, …
pub(super) fn arguments(n: usize) -> String {
    match n {
        0 => "no arguments".into(),
        1 => "1 argument".into(),
        _ => format!("{n} arguments"),
    }
}

/// A name as the rules write it, in quotes where it needs them.
pub(super) fn symbol(name: &str) -> String {
    print_term(&Term::symbol(name), Syntax::Datalog)
}

/// Sorted by main place, as one reads the file.
pub(super) fn in_reading_order(mut found: Vec<Diagnostic>) -> Diagnostics {
    found.cold_sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| (label.span.source, label.span.start)));
    let mut all = Diagnostics::new();
    found.into_iter().for_each(|diagnostic| all.push(diagnostic));
    all
}
