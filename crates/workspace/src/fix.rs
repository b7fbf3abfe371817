//! Changes that make a diagnostic go away. Each was tried: who applies it does not see the diagnostic again.
//!
//! A diagnostic has them as its [`Repair`]s. One of them is offered if the diagnostic is gone from its place then, and there are no more errors
//! than before.

use crate::rename::TextChange;
use crate::{Analysis, Texts};
use ludolog_syntax::Syntax;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Diagnostic, Diagnostics, Repair, ReplacedPart, Replacement, Severity, SourceId};
use std::collections::HashSet;
use std::path::Path;

/// Most changes of a fix that its title names.
const MOST_NAMED: usize = 3;

/// A change of a text that a diagnostic proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// The changes, in the order of places.
    pub changes: Vec<TextChange>,
    /// Whether it does what the diagnostic advises, to the last letter: it neither only silences it, nor has a number or name that the author
    /// has to choose.
    pub is_preferred: bool,
}

/// The changes of the text of `path` that make a diagnostic go away, best first.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn fixes(
    texts: &Texts,
    path: &Path,
    analysis: &Analysis,
    diagnostic: &Diagnostic,
    budget: &Budget,
) -> Result<Vec<Fix>, Stopped> {
    let Some((source, syntax)) = analysis.source(path) else { return Ok(Vec::new()) };
    let text = analysis.sources.get(source).map_or("", |source| &source.text);
    // Reading may get farther, and find the next mistake there.
    let errors = |analysis: &Analysis| analysis.diagnostics.count(Severity::Error);
    let mut found = Vec::new();
    for fix in proposals(text, source, syntax, diagnostic) {
        let mut tried = texts.clone();
        tried.set(path, TextChange::apply(text, &fix.changes));
        let after = Analysis::new(&tried, path, budget)?;
        if goes(diagnostic, &fix.changes, &after.diagnostics) && errors(&after) <= errors(analysis) {
            found.push(fix);
        }
    }
    Ok(found)
}

/// Whether a diagnostic is gone from its place, which the changes have moved. Elsewhere the same may be wrong once more.
pub(crate) fn goes(diagnostic: &Diagnostic, changes: &[TextChange], after: &Diagnostics) -> bool {
    let start = |one: &Diagnostic| one.labels.first().map_or(0, |label| label.span.start as usize);
    let before = start(diagnostic);
    let earlier = changes.iter().filter(|change| change.start <= before);
    let place =
        earlier.fold(before, |place, change| (place + change.text.len()).saturating_sub(change.end - change.start));
    !after.iter().any(|one| {
        (one.code, &one.message) == (diagnostic.code, &diagnostic.message) && [before, place].contains(&start(one))
    })
}

/// The repairs of a diagnostic that change this text alone, and the comment that allows it.
fn proposals(text: &str, source: SourceId, syntax: Syntax, diagnostic: &Diagnostic) -> Vec<Fix> {
    let mut list: Vec<Fix> =
        diagnostic.repairs.iter().filter_map(|repair| of_repair(text, source, syntax, repair)).collect();
    let mut seen = HashSet::new();
    list.retain(|fix| seen.insert(fix.title.clone()));
    if diagnostic.severity != Severity::Error && diagnostic.labels.iter().any(|label| label.span.source == source) {
        let mark = if syntax == Syntax::Kif { ";" } else { "%" };
        let line = format!("{mark} ludolog: allow {}\n", diagnostic.code);
        let title = format!("allow `{}` in this file", diagnostic.code);
        list.push(Fix { title, changes: vec![TextChange::new(0..0, line)], is_preferred: false });
    }
    list
}

/// A repair as changes of a text; `None` if it changes another text too, or a word of it is not there.
pub(crate) fn of_repair(text: &str, source: SourceId, syntax: Syntax, repair: &Repair) -> Option<Fix> {
    let mut changes: Vec<TextChange> = Vec::new();
    let mut titles: Vec<String> = Vec::new();
    for replacement in &repair.replacements {
        let ranges = replacement.ranges(text, syntax);
        let first = ranges.first().filter(|_| replacement.span.source == source)?;
        let title = title(replacement, text.get(first.clone())?);
        if !titles.contains(&title) {
            titles.push(title);
        }
        changes.extend(ranges.into_iter().map(|range| TextChange::new(range, &*replacement.text)));
    }
    changes.sort();
    changes.dedup();
    let overlap = changes.windows(2).any(|pair| pair[0].end > pair[1].start);
    if changes.is_empty() || overlap {
        return None;
    }
    if titles.len() > MOST_NAMED {
        titles.truncate(MOST_NAMED);
        titles.push("…".to_owned());
    }
    Some(Fix { title: titles.join(", "), changes, is_preferred: !repair.is_example })
}

/// What a replacement does to what stands there, in words.
fn title(replacement: &Replacement, old: &str) -> String {
    let new = replacement.text.trim();
    let shown = old.trim();
    let first = shown.lines().next().unwrap_or_default();
    let more = if first.len() < shown.len() { " …" } else { "" };
    if old.is_empty() {
        format!("insert `{new}`")
    } else if new.is_empty() && replacement.part == ReplacedPart::Lines && old.ends_with('\n') {
        "remove the line".to_owned()
    } else if new.is_empty() {
        format!("remove `{first}{more}`")
    } else {
        format!("write `{new}` in place of `{first}{more}`")
    }
}
