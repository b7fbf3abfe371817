//! Changes that make a diagnostic go away. Each was tried: who applies it does not see the diagnostic again.
//!
//! A diagnostic has them as its [`Repair`]s. One of them is offered if the diagnostic is gone from its place then, and there are no more errors
//! than before.

use crate::rename::TextChange;
use crate::{Analysis, Texts};
use ludolog_syntax::Syntax;
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{
    Applicability, Code, Diagnostic, Diagnostics, Repair, Severity, SourceId, Sources, Span,
};
use std::collections::HashSet;
use std::path::Path;

/// A change of a text that a diagnostic proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, in words.
    pub title: String,
    /// The changes, in the order of places.
    pub changes: Vec<TextChange>,
    /// Whether it may be made without the author: it neither only silences the diagnostic, nor guesses what is meant.
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
    for fix in proposals(&analysis.sources, source, syntax, diagnostic) {
        let mut tried = texts.clone();
        tried.set(path, TextChange::apply(text, &fix.changes));
        let after = Analysis::new(&tried, path, budget)?;
        let moves = Moves::new(&fix.changes);
        let is_gone = Told::new(&after.diagnostics).lacks(diagnostic, &fix.changes, &moves);
        if is_gone && errors(&after) <= errors(analysis) {
            found.push(fix);
        }
    }
    Ok(found)
}

/// The diagnostics of a text after changes, by code, message and start.
pub(crate) struct Told<'d>(HashSet<(Code, &'d str, usize)>);

impl<'d> Told<'d> {
    pub(crate) fn new(diagnostics: &'d Diagnostics) -> Told<'d> {
        Told(diagnostics.iter().map(|one| (one.code, &*one.message, start_of(one))).collect())
    }

    /// Whether a diagnostic is gone from its place, which its own changes may have moved, and which all changes, its own among them, have.
    /// Elsewhere the same may be wrong once more.
    pub(crate) fn lacks(&self, diagnostic: &Diagnostic, own: &[TextChange], all: &Moves) -> bool {
        let before = start_of(diagnostic);
        let moved = all.growth_before(before + 1);
        let of_others = moved - Moves::new(own).growth_before(before + 1);
        [of_others, moved].iter().all(|growth| {
            let place = before.saturating_add_signed(*growth);
            !self.0.contains(&(diagnostic.code, &*diagnostic.message, place))
        })
    }
}

/// The start of the main place; 0 without one.
pub(crate) fn start_of(diagnostic: &Diagnostic) -> usize {
    diagnostic.labels.first().map_or(0, |label| label.span.start as usize)
}

/// The movements of places by changes of a text.
#[derive(Default)]
pub(crate) struct Moves {
    /// The start of each change, with the bytes by which the text has grown up to its end.
    grown: Vec<(usize, isize)>,
}

impl Moves {
    /// Those by changes in the order of places. O(changes).
    pub(crate) fn new(changes: &[TextChange]) -> Moves {
        let mut sum = 0;
        let grow = |change: &TextChange| {
            sum += change.text.len() as isize - (change.end - change.start) as isize;
            (change.start, sum)
        };
        Moves { grown: changes.iter().map(grow).collect() }
    }

    /// The bytes by which the changes that begin before a place make the text longer, less than zero if they make it shorter. O(log changes).
    pub(crate) fn growth_before(&self, place: usize) -> isize {
        let changes = self.grown.partition_point(|(start, _)| *start < place);
        changes.checked_sub(1).map_or(0, |last| self.grown[last].1)
    }

    /// The place of a byte that no change replaces.
    pub(crate) fn moved(&self, place: usize) -> usize {
        place.saturating_add_signed(self.growth_before(place))
    }
}

/// The repairs of a diagnostic that change this text alone, and the comment that allows it.
fn proposals(sources: &Sources, source: SourceId, syntax: Syntax, diagnostic: &Diagnostic) -> Vec<Fix> {
    let mut list: Vec<Fix> =
        diagnostic.repairs.iter().filter_map(|repair| of_repair(sources, source, repair)).collect();
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
pub(crate) fn of_repair(sources: &Sources, source: SourceId, repair: &Repair) -> Option<Fix> {
    let edits = repair.edits(sources)?;
    let change = |(span, text): (Span, &str)| {
        (span.source == source).then(|| TextChange::new(span.start as usize..span.end as usize, text))
    };
    let changes = edits.into_iter().map(change).collect::<Option<Vec<_>>>()?;
    Some(Fix { title: repair.title(sources)?, changes, is_preferred: repair.applicability == Applicability::Certain })
}
